/// Composes queries for the rows that belong to one user.
extension App {
    /// The objects that a list contains.
    package struct ObjectFilter: Sendable {
        package var selections: [Selection] = []
        /// The user that the objects belong to; nil for the objects of all users.
        package var user: UserKey?
        /// The time column that must be in a span, with the span's start and end.
        package var span: (column: String, since: String?, until: String?)?
        /// The column and the direction that sort the list; nil for the order of the app file.
        package var order: (column: String, isDescending: Bool)?
        package var limit: Int?
        /// True if the list also contains an email of each object's user.
        package var namesOwner = true

        /// Creates the filter that all objects pass, in the order of the app file.
        package init() {}
    }

    /// Lists the objects of a kind that pass a filter.
    package func list(of object: ObjectKind, _ filter: ObjectFilter, bindings: [String: Binding]) -> ComposedQuery {
        // If an object has members, its owner can be another user than the member.
        let user = object.members == nil ? filter.user : nil
        let owner = filter.namesOwner ? naming(object, of: user) : (column: "", join: [])
        var condition = filter.user.map { belonging(object, to: $0) } ?? [.text("true")]
        for selection in filter.selections {
            condition += [.text(" and (\n"), .fragment(selection.condition), .text(")")]
        }
        if let span = filter.span {
            condition += Self.span(of: "facts.\(Composer.quoted(span.column))", span.since, span.until)
        }
        let order = order(of: object, by: filter.order)
        if let limit = filter.limit { condition += order + [.text(" limit \(limit)")] }
        let head: [Composer.Piece] = [.text("select facts.*\(owner.column) from ")]
        // Without a limit, the rows are streamed, so Postgres doesn't need to buffer them.
        let pieces =
            filter.limit == nil
            ? head + [.definition(object.noun), .text(" facts")] + owner.join + [.text(" where ")] + condition + order
            : head + Self.some(of: object.noun, where: condition) + owner.join + order
        return compose(pieces, bindings)
    }

    /// Sorts by a chosen column or the order of the app file, and then by key.
    private func order(of object: ObjectKind, by sorted: (column: String, isDescending: Bool)?) -> [Composer.Piece] {
        let key = "facts.\(Composer.quoted(object.key))"
        if let sorted {
            let direction = sorted.isDescending ? " desc nulls last" : ""
            return [.text(" order by facts.\(Composer.quoted(sorted.column))\(direction), \(key)")]
        }
        return [.text(" order by " + (object.order.map(\.sql) + [key]).joined(separator: ", "))]
    }

    /// The name of the column that contains an email of the row's user.
    package static let ownerColumn = "user_address"

    /// True if a list of these objects contains an email of each object's user.
    package func namesOwners(of object: ObjectKind) -> Bool { object.userColumn != nil && !users.emails.isEmpty }

    private func naming(_ object: ObjectKind, of user: UserKey?) -> (column: String, join: [Composer.Piece]) {
        guard namesOwners(of: object), let column = object.userColumn else { return ("", []) }
        let addresses = users.emails.map { "\(Composer.quoted($0))::pg_catalog.text" }
        let (key, address) = ("\"usher owner\"", "\"usher address\"")
        // The columns of the user have special names here, because names in conditions stand for columns of the object.
        return (
            ", owner.\(address) as \(Composer.quoted(Self.ownerColumn))",
            [
                .text(
                    " left join (select \(Composer.quoted(users.key)), coalesce(\(addresses.joined(separator: ", "))) from "
                ),
                .definition("users"),
            ] + (user.map { [.text(" where \(Composer.quoted(users.key)) = "), .key($0)] } ?? []) + [
                .text(") owner (\(key), \(address)) on owner.\(key) = facts.\(Composer.quoted(column))")
            ]
        )
    }

    /// Finds the rows of a user, or of the user's objects, that violate an invariant.
    ///
    /// The query returns one more row than the limit, to show that there are more rows. There is no query if the
    /// invariant is about objects without a user. The first column gets a reserved name, so that the condition can
    /// refer to it in any select.
    package func violations(
        of check: Check, by user: UserKey, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery? {
        let subject = "violation.\(Composer.quoted(Self.subjectColumn))"
        let condition: [Composer.Piece]
        switch check.subject {
        case .users:
            condition = [.text("\(subject) = "), .key(user)]
        case .object(let noun):
            guard let object = objects.first(where: { $0.noun == noun }), object.hasOwner else { return nil }
            // Postgres computes the array once, and can then use an index of the invariant's table.
            condition =
                [.text("\(subject) = any(array(select facts.\(Composer.quoted(object.key)) from ")]
                + Self.some(of: noun, where: belonging(object, to: user)) + [.text("))")]
        case .nothing: return nil
        }
        return violations(of: check, where: condition, limit: limit, bindings: bindings)
    }

    /// Finds the violations of an invariant by one object, whoever its user is.
    package func violations(
        of check: Check, byObject key: String, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery {
        let subject = "violation.\(Composer.quoted(Self.subjectColumn))"
        return violations(
            of: check, where: [.text("\(subject) = "), .value(key, type: nil)], limit: limit, bindings: bindings)
    }

    /// Finds the violations of an invariant by the users or objects that meet a condition.
    private func violations(
        of check: Check, where condition: [Composer.Piece], limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery {
        let head: [Composer.Piece] = [
            .text("select violation.* from (\n"), .fragment(check.select),
            .text(") violation (\(Composer.quoted(Self.subjectColumn))) where "),
        ]
        return compose(head + condition + [.text(" limit \(limit + 1)")], bindings)
    }

    private static let subjectColumn = "usher subject"

    /// The table column that contains an object's key, perhaps through definitions; nil if usher can't tell.
    package func keyColumn(of object: ObjectKind) -> (table: TableName, column: String)? {
        var (select, column) = (object.select, object.key)
        // The number of steps is limited, so that a cycle of definitions ends, too.
        for _ in 0...(1 + objects.count + definitions.count) {
            guard let source = DirectorySource(select, key: column), source.isKeyPlain else { return nil }
            if let base = source.key.base { return base.isColumn ? (base.table, base.column) : nil }
            guard let inner = source.key.inner, let next = definition(named: inner.definition), next.columns.isEmpty
            else {
                return nil
            }
            (select, column) = (next.select, inner.column)
        }
        return nil
    }

    /// The condition that an object belongs to a user.
    private func belonging(_ object: ObjectKind, to user: UserKey) -> [Composer.Piece] {
        if let members = object.members {
            return [
                .text("facts.\(Composer.quoted(object.key)) = any(array(select member.key from (\n"),
                .fragment(members), .text(") member (key, person) where member.person = "), .key(user), .text("))"),
            ]
        }
        return object.userColumn.map { [.text("facts.\(Composer.quoted($0)) = "), .key(user)] } ?? [.text("false")]
    }

    /// The selections of objects that may need a repair, each with the action that repairs the objects.
    ///
    /// An invariant reports such an object only after some time. The screen for a user shows it immediately.
    package var awaited: [(object: ObjectKind, selection: Selection, fix: Action)] {
        var seen: Set<String> = []
        return checks.flatMap { check -> [(object: ObjectKind, selection: Selection, fix: Action)] in
            guard case .object(let noun) = check.subject, let fix = check.fix,
                let object = objects.first(where: { $0.noun == noun && $0.hasOwner }),
                let action = action(fix.noun, fix.verb), action.subject == check.subject
            else { return [] }
            return object.selections.filter {
                action.selections.contains($0.name) && seen.insert("\(noun) \($0.name)").inserted
            }.map { (object, $0, action) }
        }
    }

    /// The action with a noun and a verb; nil if there is none.
    package func action(_ noun: String, _ verb: String) -> Action? {
        actions.first { $0.noun == noun && $0.verb == verb }
    }
}

extension App.ObjectKind {
    /// True if the app file shows which users the objects belong to.
    package var hasOwner: Bool { userColumn != nil || members != nil }
}
