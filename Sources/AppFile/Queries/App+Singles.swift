/// Selects that say one thing of each user.
extension App {
    /// A select with at most one row a user, and the question for a user of whom it has several.
    package struct Single: Sendable {
        /// What it is called where it is spoken of.
        package let name: String
        package let place: Place
        /// Asked of all users, and of some, where all are many.
        package let repeated: ComposedQuery
        package let repeatedAmongSome: ComposedQuery
        /// Whether the file can say what each of several rows is for.
        package let takesSeveral: Bool
    }

    /// How many users are looked at where all are too many.
    package static let someUsers = 1_000

    /// The directory, the quotas, and the decisions over selects of their own, unless they say what each row is for.
    package var singles: [Single] {
        let directory = single(
            "@users", users.select, "u.\(Composer.quoted(users.key))", in: [.definition("users"), .text(" u")],
            takesSeveral: false)
        let limits = quotas.filter { $0.per == nil }.map { quota in
            single(
                "@quota \(quota.name)", quota.select, "quota.key",
                in: [.text("(\n"), .fragment(quota.select), .text(quota.columns)])
        }
        let decided = decisions.filter { $0.per == nil }.compactMap { decision in
            decision.select.map { select in
                single(
                    "@decision \(decision.name)", select, "facts.\(Composer.quoted(users.key))",
                    in: [.text("(\n"), .fragment(select), .text(") facts")], decision.defaults)
            }
        }
        return [directory] + limits + decided
    }

    private func single(
        _ name: String, _ select: Fragment, _ key: String, in rows: [Composer.Piece],
        _ bindings: [String: Binding] = [:], takesSeveral: Bool = true
    ) -> Single {
        // An array that is computed once stands inside of a grouping too, where a join would wait for all of it.
        let some: [Composer.Piece] = [
            .text(" where \(key) = any (array(select s.\(Composer.quoted(users.key)) from "), .definition("users"),
            .text(" s limit \(Self.someUsers)))"),
        ]
        return Single(
            name: name, place: select.place, repeated: composed(Self.repeated(key, in: rows), bindings),
            repeatedAmongSome: composed(Self.repeated(key, in: rows + some), bindings), takesSeveral: takesSeveral)
    }

    /// A key that stands several times among the users.
    package var repeatedKey: ComposedQuery {
        composed(Self.repeated("u.\(Composer.quoted(users.key))", in: [.definition("users"), .text(" u")]), [:])
    }

    private func composed(_ pieces: [Composer.Piece], _ bindings: [String: Binding]) -> ComposedQuery {
        Composer.compose(pieces, for: self, bindings: bindings)
    }

    private static func repeated(_ key: String, in rows: [Composer.Piece]) -> [Composer.Piece] {
        [.text("select \(key)::text from ")] + rows
            + [.text(" group by \(key) having pg_catalog.count(*) > 1 limit 1")]
    }

    /// The selects that name a user in a column, and where that stands: the first column, or the one of this name.
    package var keyed: [(select: Fragment, column: String?)] {
        quotas.map { ($0.select, nil) } + decisions.compactMap { decision in decision.select.map { ($0, users.key) } }
    }
}
