/// Selects that say one thing of each user.
extension App {
    /// A select with at most one row a user, and the question for a user of whom it has several.
    package struct Single: Sendable {
        /// What it is called where it is spoken of.
        package let name: String
        package let place: Place
        package let repeated: ComposedQuery
        /// Whether the file can say what each of several rows is for.
        package let takesSeveral: Bool
    }

    /// The directory, the quotas, and the decisions over selects of their own, unless they say what each row is for.
    package var singles: [Single] {
        let directory = Single(name: "@users", place: users.select.place, repeated: repeatedKey, takesSeveral: false)
        let limits = quotas.filter { $0.per == nil }.map { quota in
            Single(
                name: "@quota \(quota.name)", place: quota.select.place,
                repeated: composed(
                    Self.repeated("quota.key", in: [.text("(\n"), .fragment(quota.select), .text(quota.columns)]), [:]),
                takesSeveral: true)
        }
        let decided = decisions.filter { $0.per == nil }.compactMap { decision in
            decision.select.map { select in
                Single(
                    name: "@decision \(decision.name)", place: select.place,
                    repeated: composed(
                        Self.repeated(
                            "facts.\(Composer.quoted(users.key))",
                            in: [.text("(\n"), .fragment(select), .text(") facts")]), decision.defaults),
                    takesSeveral: true)
            }
        }
        return [directory] + limits + decided
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
