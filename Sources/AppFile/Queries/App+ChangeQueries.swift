/// Composes the statements for changes of the app file.
extension App {
    /// The definition and the key column of the users or objects that a change is about; nil if it is about neither.
    package func directory(of subject: Subject) -> (definition: String, key: String)? {
        switch subject {
        case .users: ("users", users.key)
        case .object(let noun): objects.first { $0.noun == noun }.map { (noun, $0.key) }
        case .nothing: nil
        }
    }

    /// The rows of a definition that meet a condition, with the alias `facts`.
    ///
    /// If a statement also reads other tables, Citus computes each subquery in full before it applies conditions
    /// outside the subquery. A materialized subquery limits the rows to those that meet the condition. Users
    /// don't need this subquery, because they are on the same server as their rows.
    static func some(of definition: String, where condition: [Composer.Piece]) -> [Composer.Piece] {
        let rows = [.text("select facts.* from "), .definition(definition), .text(" facts where ")] + condition
        return definition == "users"
            ? [.text("(")] + rows + [.text(") facts")]
            : [.text("(with facts as materialized (")] + rows + [.text(") select * from facts) facts")]
    }

    /// The bindings for the users or objects of a change statement.
    package func bindings(for subject: Subject, one: Binding, all: Binding) -> [String: Binding] {
        switch subject {
        case .users: ["user": one, "users": all]
        case .object: ["key": one, "keys": all]
        case .nothing: [:]
        }
    }

    package func statement(_ statement: Statement, bindings: [String: Binding]) -> ComposedQuery {
        compose([.fragment(statement.sql)], bindings)
    }

    /// The number of the first refusal or warning that applies, as text; NULL if none applies.
    static func first(of remarks: [Remark]) -> [Composer.Piece] {
        if remarks.isEmpty { return [.text("null::text")] }
        var pieces: [Composer.Piece] = [.text("(case")]
        for (index, remark) in remarks.enumerated() {
            pieces += [.text(" when (\n"), .fragment(remark.condition), .text(") then \(index)")]
        }
        return pieces + [.text(" end)::text")]
    }

    /// Counts the users or objects by the first refusal and the first warning that apply to them.
    ///
    /// The columns are the numbers of the refusal and the warning, NULL if none applies, and the count.
    package func tally(
        of remarks: (refusals: [Remark], warnings: [Remark]), _ subject: Subject, where selections: [Selection],
        keys: Binding?, bindings: [String: Binding]
    ) -> ComposedQuery {
        guard let (definition, key) = directory(of: subject) else {
            return compose([.text("select null, null, '0'")], bindings)
        }
        var pieces: [Composer.Piece] = [.text("select ")] + Self.first(of: remarks.refusals)
        pieces += [.text(", ")] + Self.first(of: remarks.warnings) + [.text(", count(*)::text from ")]
        pieces +=
            keys.map { keys in
                Self.some(
                    of: definition,
                    where: [.text("facts.\(Composer.quoted(key)) = any("), .bound(keys), .text(")")])
            } ?? [.definition(definition), .text(" facts")]
        pieces.append(.text(" where true"))
        for selection in selections { pieces += [.text(" and (\n"), .fragment(selection.condition), .text(")")] }
        return compose(pieces + [.text(" group by 1, 2")], bindings)
    }

    /// Finds the users that some objects belong to.
    package func owners(of object: ObjectKind, keys: Binding, bindings: [String: Binding])
        -> ComposedQuery?
    {
        if let members = object.members {
            return compose(
                [
                    .text("select distinct member.\"user\"::text from (\n"), .fragment(members),
                    .text(") member (key, \"user\") where member.\"user\" is not null and member.key = any("),
                    .bound(keys), .text(") order by 1"),
                ], bindings)
        }
        guard let column = object.userColumn.map(Composer.quoted) else { return nil }
        return compose(
            [
                .text("select distinct facts.\(column)::text from "), .definition(object.noun),
                .text(" facts where facts.\(column) is not null and facts.\(Composer.quoted(object.key)) = any("),
                .bound(keys), .text(") order by 1"),
            ], bindings)
    }

    /// Selects objects with their users, and with the column that selects one of several answers of a decision.
    package func one(
        _ column: String, of object: ObjectKind, keys: Binding, bindings: [String: Binding]
    ) -> ComposedQuery? {
        let key = "facts.\(Composer.quoted(object.key))"
        let one = "facts.\(Composer.quoted(column))::text"
        var pieces: [Composer.Piece] = []
        if let members = object.members {
            pieces = [
                .text("select \(key)::text, member.\"user\"::text, \(one) from "), .definition(object.noun),
                .text(" facts join (\n"), .fragment(members), .text(") member (key, \"user\") on member.key = \(key)"),
            ]
        } else {
            guard let user = object.userColumn.map(Composer.quoted) else { return nil }
            pieces = [
                .text("select \(key)::text, facts.\(user)::text, \(one) from "), .definition(object.noun),
                .text(" facts"),
            ]
        }
        return compose(pieces + [.text(" where \(key) = any("), .bound(keys), .text(")")], bindings)
    }

    /// Finds the objects with a key; the columns are the key as text, the name of the key's type, and the facts.
    package func resolution(ofObject object: ObjectKind, key text: String, bindings: [String: Binding]) -> ComposedQuery
    {
        let key = "facts.\(Composer.quoted(object.key))"
        return compose(
            [
                .text("select \(Self.keyed(key)), facts.* from "),
                .definition(object.noun), .text(" facts where \(key) = "), .value(text, type: nil), .text(" limit 2"),
            ], bindings)
    }

    /// Selects the keys in some selections, in order; the columns are the key, and an email of a user.
    package func selected(
        _ selections: [Selection], of subject: Subject, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery? {
        guard let (definition, keyColumn) = directory(of: subject) else { return nil }
        let key = "facts.\(Composer.quoted(keyColumn))"
        var pieces: [Composer.Piece] = [.text("select \(key)::text")]
        if subject == .users, let email = users.emails.first {
            pieces.append(.text(", facts.\(Composer.quoted(email))::text"))
        }
        pieces += [.text(" from "), .definition(definition), .text(" facts where true")]
        for selection in selections { pieces += [.text(" and (\n"), .fragment(selection.condition), .text(")")] }
        return compose(pieces + [.text(" order by \(key) limit \(limit)")], bindings)
    }

    /// Selects the key and the editable columns of a settings table; nil if the app file doesn't name a valid table.
    package func rows(of settings: Settings) -> ComposedQuery? {
        guard let table = TableName(path: settings.table) else { return nil }
        let names = [settings.key] + settings.columns.map(\.name)
        let list = names.map { "t.\(Composer.quoted($0))" }.joined(separator: ", ")
        return compose([.text("select \(list) from \(table.quoted) t order by 1")], [:])
    }

    /// Selects the name of the key type of the users or objects, even if there are none.
    package func keyType(of subject: Subject, bindings: [String: Binding]) -> ComposedQuery? {
        guard let (definition, key) = directory(of: subject) else { return nil }
        return compose(
            [
                .text("select pg_catalog.format_type(pg_catalog.pg_typeof((select \(Composer.quoted(key)) from "),
                .definition(definition), .text(" limit 0)), -1)"),
            ], bindings)
    }

    /// Selects keys in the order of a column.
    package func ordered(
        by column: String, _ subject: Subject, keys: Binding, bindings: [String: Binding]
    ) -> ComposedQuery? {
        guard let (definition, keyColumn) = directory(of: subject) else { return nil }
        let key = "facts.\(Composer.quoted(keyColumn))"
        return compose(
            [
                .text("select \(key)::text from "), .definition(definition), .text(" facts where \(key) = any("),
                .bound(keys),
                .text(") order by facts.\(Composer.quoted(column)), \(key)"),
            ], bindings)
    }
}

extension App.Decision {
    /// Selects the outcomes of the decision for some users; the columns of each answer are the key, its name and the
    /// outcome.
    package func outcomes(
        keys: Binding, in app: App, bindings: [String: Binding]
    ) -> ComposedQuery {
        let key = "facts.\(Composer.quoted(app.users.key))"
        let per = self.per.map { "facts.\(Composer.quoted($0))::text" } ?? "null::text"
        var pieces: [Composer.Piece] = [.text("select \(key)::text as key, \(per) as per, ")] + outcome
        pieces += [.text(" as outcome from (\n")] + facts + [.text(") facts where \(key) = any(")]
        pieces += [.bound(keys), .text(")")]
        return Composer.compose(
            withDefaults(around: pieces, includesDefaults: false), for: app,
            bindings: bindings.merging(defaults) { given, _ in given })
    }
}
