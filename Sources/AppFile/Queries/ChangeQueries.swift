extension App {
    /// The statements of changes, with values for their parameters.
    package func changes(_ bindings: [String: Binding] = [:]) -> ChangeQueries {
        ChangeQueries(app: self, bindings: bindings)
    }
}

/// Composes the statements of changes, and the queries that run before them.
package struct ChangeQueries: Sendable {
    let app: App
    let bindings: [String: Binding]

    private func compose(_ pieces: [Composer.Piece]) -> ComposedQuery { app.compose(pieces, bindings) }

    package func statement(_ statement: App.Statement) -> ComposedQuery {
        compose([.fragment(statement.sql)])
    }

    /// Counts the users or objects by the first refusal and the first warning that apply to them.
    ///
    /// The columns are the numbers of the refusal and the warning, NULL if none applies, and the count.
    package func tally(
        of remarks: (refusals: [App.Remark], warnings: [App.Remark]), _ subject: App.Subject,
        where selections: [App.Selection],
        keys: Binding?
    ) -> ComposedQuery {
        guard let (definition, key) = app.directory(of: subject) else {
            return compose([.text("select null, null, '0'")])
        }
        var pieces: [Composer.Piece] =
            [.text("select (")] + Composer.firstTrue(of: remarks.refusals.map(\.condition)) + [.text(")::text, (")]
        pieces += Composer.firstTrue(of: remarks.warnings.map(\.condition)) + [.text(")::text, count(*)::text from ")]
        pieces +=
            keys.map { keys in
                Composer.some(
                    of: definition,
                    where: [.text("facts.\(Composer.quoted(key)) = any("), .bound(keys), .text(")")])
            } ?? [.definition(definition), .text(" facts")]
        pieces.append(.text(" where true"))
        for selection in selections { pieces += [.text(" and (\n"), .fragment(selection.condition), .text(")")] }
        return compose(pieces + [.text(" group by 1, 2")])
    }

    /// Finds the users that some objects belong to.
    package func owners(of object: App.ObjectKind, keys: Binding)
        -> ComposedQuery?
    {
        if let members = object.members {
            return compose(
                [
                    .text("select distinct member.\"user\"::text from (\n"), .fragment(members),
                    .text(") member (key, \"user\") where member.\"user\" is not null and member.key = any("),
                    .bound(keys), .text(") order by 1"),
                ])
        }
        guard let column = object.userColumn.map(Composer.quoted) else { return nil }
        return compose(
            [
                .text("select distinct facts.\(column)::text from "), .definition(object.noun),
                .text(" facts where facts.\(column) is not null and facts.\(Composer.quoted(object.key)) = any("),
                .bound(keys), .text(") order by 1"),
            ])
    }

    /// Selects objects with their users, and with the column that selects one of several answers of a decision.
    package func one(
        _ column: String, of object: App.ObjectKind, keys: Binding
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
        return compose(pieces + [.text(" where \(key) = any("), .bound(keys), .text(")")])
    }

    /// Selects the keys in some selections, in order; the columns are the key, and an email of a user.
    package func selected(
        _ selections: [App.Selection], of subject: App.Subject, limit: Int
    ) -> ComposedQuery? {
        guard let (definition, keyColumn) = app.directory(of: subject) else { return nil }
        let key = "facts.\(Composer.quoted(keyColumn))"
        var pieces: [Composer.Piece] = [.text("select \(key)::text")]
        if subject == .users, let email = app.users.emails.first {
            pieces.append(.text(", facts.\(Composer.quoted(email))::text"))
        }
        pieces += [.text(" from "), .definition(definition), .text(" facts where true")]
        for selection in selections { pieces += [.text(" and (\n"), .fragment(selection.condition), .text(")")] }
        return compose(pieces + [.text(" order by \(key) limit \(limit)")])
    }

    /// Selects the name of the key type of the users or objects, even if there are none.
    package func keyType(of subject: App.Subject) -> ComposedQuery? {
        guard let (definition, key) = app.directory(of: subject) else { return nil }
        return compose(
            [
                .text("select pg_catalog.format_type(pg_catalog.pg_typeof((select \(Composer.quoted(key)) from "),
                .definition(definition), .text(" limit 0)), -1)"),
            ])
    }

    /// Selects keys in the order of a column.
    package func ordered(
        by column: String, _ subject: App.Subject, keys: Binding
    ) -> ComposedQuery? {
        guard let (definition, keyColumn) = app.directory(of: subject) else { return nil }
        let key = "facts.\(Composer.quoted(keyColumn))"
        return compose(
            [
                .text("select \(key)::text from "), .definition(definition), .text(" facts where \(key) = any("),
                .bound(keys),
                .text(") order by facts.\(Composer.quoted(column)), \(key)"),
            ])
    }

    // MARK: Remarks

    /// Selects one row per user or object: the key, the numbers of the refusals and warnings that apply, and the facts
    /// in their sentences.
    package func verdict(
        of remarks: [App.Remark], on subject: App.Subject, keys: Binding, facts: [App.Fact]
    ) -> ComposedQuery {
        let held = Self.numbers(of: remarks) + [.text(" as held, ")]
        let mentioned = Set(remarks.flatMap(\.sentence.facts))
        let shown = facts.filter { mentioned.contains($0.name) }
        guard let (definition, keyColumn) = app.directory(of: subject) else {
            return compose(
                [.text("select null::pg_catalog.text as key, ")] + held + [.text(Self.object([])), .text(" as facts")])
        }
        let key = "facts.\(Composer.quoted(keyColumn))"
        let object = Self.object(shown.map { ($0, "facts.\(Composer.quoted($0.name))") })
        return compose(
            [.text("select \(key)::pg_catalog.text as key, ")] + held + [.text("\(object) as facts from ")]
                + Composer.some(of: definition, where: [.text("\(key) = any("), .bound(keys), .text(")")]))
    }

    /// Selects one row with the facts of an impact's sentence; usher identifies columns by position, because names can
    /// repeat.
    package func impact(_ remark: App.Remark, facts: [App.Fact]) -> ComposedQuery {
        let columns = facts.indices.map { "\"column \($0)\"" }
        let object = Self.object(zip(facts, columns).map { ($0, "impact.\($1)") })
        return compose(
            [.text("select \(object) as facts from (\n"), .fragment(remark.condition)]
                + [.text(") impact (\(columns.joined(separator: ", "))) limit 1")])
    }

    /// Selects the keys in a selection, of all or of some users or objects, in any order.
    package func keys(
        of selection: App.Selection, _ subject: App.Subject, among some: Binding?
    ) -> ComposedQuery? {
        guard let (definition, key) = app.directory(of: subject) else { return nil }
        let column = "facts.\(Composer.quoted(key))"
        var pieces: [Composer.Piece] = [
            .text("select \(column)::pg_catalog.text as key from "), .definition(definition),
        ]
        pieces += [.text(" facts where (\n"), .fragment(selection.condition), .text(")")]
        if let some { pieces += [.text(" and \(column) = any("), .bound(some), .text(")")] }
        return compose(pieces)
    }

    /// Selects a label for each user: an email, or the key if the user has none; there is no query without email
    /// columns.
    package func labels(keys: Binding) -> ComposedQuery? {
        if app.users.emails.isEmpty { return nil }
        let key = "facts.\(Composer.quoted(app.users.key))"
        let names = (app.users.emails.map { "facts.\(Composer.quoted($0))" } + [key]).map { "\($0)::pg_catalog.text" }
        return compose(
            [
                .text(
                    "select \(key)::pg_catalog.text as key, coalesce(\(names.joined(separator: ", "))) as label from "),
                .definition("users"), .text(" facts where \(key) = any("), .bound(keys), .text(")"),
            ])
    }

    /// Selects the values that an UPDATE of an app file assigns, with the keys of the rows; nil if usher can't tell
    /// them.
    ///
    /// Some quoted names are placeholders, which the database replaces: the key columns, and the types of the assigned
    /// columns.
    package func values(of statement: App.Statement) -> AssignedValues? {
        guard let update = statement.sql.without(app.absent).update, let target = statement.sql.target, !target.isOnly
        else { return nil }
        var pieces: [Composer.Piece] = [.text("select \"usher key\"")]
        for (index, assignment) in update.assignments.enumerated() {
            pieces += [
                .text(", (\n"), .fragment(assignment.value),
                .text(")::\"usher type \(index)\" as \"usher value \(index)\""),
            ]
        }
        pieces += [.text(" from "), .fragment(update.table)]
        if let source = update.source { pieces += [.text(", "), .fragment(source)] }
        if let condition = update.condition { pieces += [.text(" where "), .fragment(condition)] }
        // The text of the table, with its alias, is also valid after FROM.
        let query = Composer.compose(pieces, of: statement.sql, for: app, bindings: bindings)
        return AssignedValues(table: update.table.text, columns: update.assignments.map(\.column), query: query)
    }

    /// The UPDATE that changes one cell of a settings table, unless the cell already has the value.
    ///
    /// Nil if the app file doesn't name a valid table.
    package func update(
        _ settings: App.Settings, column: String, key: Binding, value: Binding
    ) -> (query: ComposedQuery, target: StatementTarget)? {
        guard let table = TableName(path: settings.table) else { return nil }
        let assigned = Composer.quoted(column)
        let query = compose(
            [
                .text("update \(table.quoted) t set \(assigned) = "), .bound(value),
                .text(" where t.\(Composer.quoted(settings.key))::pg_catalog.text operator(pg_catalog.=) "),
                .bound(key),
                .text(" and t.\(assigned) is distinct from "), .bound(value),
            ])
        return (query, StatementTarget(.update, table, alias: "t"))
    }

    /// Builds a JSON object from facts: each name has the value as text, and the oid of the value's type.
    private static func object(_ facts: [(fact: App.Fact, value: String)]) -> String {
        if facts.isEmpty { return "'{}'::pg_catalog.jsonb" }
        let pairs = facts.map { fact, value in
            let pair = "pg_catalog.jsonb_build_array(\(value)::pg_catalog.text, \(fact.type)::pg_catalog.int8)"
            return "\(Composer.literal(fact.name)), \(pair)"
        }
        // A function in Postgres can have at most 100 arguments.
        return stride(from: 0, to: pairs.count, by: 50).map { start in
            "pg_catalog.jsonb_build_object(\(pairs[start..<min(start + 50, pairs.count)].joined(separator: ", ")))"
        }.joined(separator: " operator(pg_catalog.||) ")
    }

    /// Selects the users to whom a refusal or warning applies, each with the numbers of these remarks and the facts.
    package func held(_ remarks: [App.Remark], keys: Binding) -> ComposedQuery {
        var pieces = [.text("select marked.\"usher held\" as held, marked.* from (select ")] + Self.numbers(of: remarks)
        pieces += [.text(" as \"usher held\", facts.* from "), .definition("users")]
        pieces += [.text(" facts where facts.\(Composer.quoted(app.users.key)) = any("), .bound(keys), .text(")")]
        // The query leaves out users without a refusal or warning. Because of the subquery, Postgres evaluates each
        // condition once.
        pieces.append(.text(" offset 0) marked where marked.\"usher held\" <> '{}'"))
        return compose(pieces)
    }

    /// The expression for the numbers of the refusals and warnings that apply, as an array.
    private static func numbers(of remarks: [App.Remark]) -> [Composer.Piece] {
        var pieces: [Composer.Piece] = [.text("pg_catalog.array_remove(array[")]
        for (index, remark) in remarks.enumerated() {
            pieces += [.text(index == 0 ? "" : ", "), .text("case when (\n"), .fragment(remark.condition)]
            pieces.append(.text(") then \(index) end"))
        }
        return pieces + [.text("]::pg_catalog.int4[], null)")]
    }
}

/// The values that an UPDATE would assign, as a select.
package struct AssignedValues: Sendable {
    /// The table with its alias, as in the statement.
    package let table: String
    package let columns: [String]
    package let query: ComposedQuery
}

extension ParameterDeclaration {
    /// The parameters of a command that changes a cell: the key of the row, and the new value.
    package var cell: (key: ParameterDeclaration, value: ParameterDeclaration) {
        let key = ParameterDeclaration(
            name: "key", type: "text", choices: [], isOptional: false, range: nil, defaultValue: nil)
        let value = ParameterDeclaration(
            name: "value", type: type, choices: choices, isOptional: isOptional, range: range,
            defaultValue: defaultValue)
        return (key, value)
    }
}

extension StatementTarget {
    /// The RETURNING clause with the location of each written row.
    package var returning: String { "returning \(alias).tableoid::pg_catalog.text, \(alias).ctid::text" }
}
