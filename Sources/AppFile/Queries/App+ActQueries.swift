/// Composes the statements of actions for the functions in the database.
extension App {
    /// A column with a fact about a subject, and the number of the type to show it in.
    package struct Fact: Sendable, Hashable {
        package let name: String
        package let type: UInt32

        /// A column as Postgres describes it.
        package init(name: String, type: UInt32) {
            self.name = name
            self.type = type
        }
    }

    /// One row per subject: the key, the numbers of the remarks that apply, and the facts of their sentences.
    package func verdict(
        of remarks: [Remark], on subject: Subject, keys: Binding, selection: Selection? = nil, facts: [Fact],
        bindings: [String: Binding]
    ) -> ComposedQuery {
        let held = Self.numbers(of: remarks) + [.text(" as held, ")]
        let mentioned = Set(remarks.flatMap(\.sentence.facts))
        let told = facts.filter { mentioned.contains($0.name) }
        guard let (definition, keyColumn) = directory(of: subject) else {
            return compose(
                [.text("select null::pg_catalog.text as key, ")] + held + [.text(Self.object([])), .text(" as facts")],
                bindings)
        }
        let key = "facts.\(Composer.quoted(keyColumn))"
        let object = Self.object(told.map { ($0, "facts.\(Composer.quoted($0.name))") })
        var selected: [Composer.Piece] = []
        if let selection { selected = [.text(" where (\n"), .fragment(selection.condition), .text(")")] }
        return compose(
            [.text("select \(key)::pg_catalog.text as key, ")] + held + [.text("\(object) as facts from ")]
                + Self.some(of: definition, where: [.text("\(key) = any("), .bound(keys), .text(")")]) + selected,
            bindings)
    }

    /// One row with the facts of an impact's sentence; columns are matched by index, since names may repeat.
    package func impact(_ remark: Remark, facts: [Fact], bindings: [String: Binding]) -> ComposedQuery {
        let columns = facts.indices.map { "\"column \($0)\"" }
        let object = Self.object(zip(facts, columns).map { ($0, "impact.\($1)") })
        return compose(
            [.text("select \(object) as facts from (\n"), .fragment(remark.condition)]
                + [.text(") impact (\(columns.joined(separator: ", "))) limit 1")], bindings)
    }

    /// Queries the keys in a selection, among all or some subjects, unordered.
    package func keys(
        of selection: Selection, _ subject: Subject, among some: Binding?, bindings: [String: Binding]
    ) -> ComposedQuery? {
        guard let (definition, key) = directory(of: subject) else { return nil }
        let column = "facts.\(Composer.quoted(key))"
        var pieces: [Composer.Piece] = [
            .text("select \(column)::pg_catalog.text as key from "), .definition(definition),
        ]
        pieces += [.text(" facts where (\n"), .fragment(selection.condition), .text(")")]
        if let some { pieces += [.text(" and \(column) = any("), .bound(some), .text(")")] }
        return compose(pieces, bindings)
    }

    /// The labels of users: the first email, else the key; nil if users have no email column.
    package func labels(keys: Binding, bindings: [String: Binding]) -> ComposedQuery? {
        if users.emails.isEmpty { return nil }
        let key = "facts.\(Composer.quoted(users.key))"
        let names = (users.emails.map { "facts.\(Composer.quoted($0))" } + [key]).map { "\($0)::pg_catalog.text" }
        return compose(
            [
                .text(
                    "select \(key)::pg_catalog.text as key, coalesce(\(names.joined(separator: ", "))) as label from "),
                .definition("users"), .text(" facts where \(key) = any("), .bound(keys), .text(")"),
            ], bindings)
    }

    /// The values that an UPDATE of an app file assigns, selected with the keys of the rows; nil if that is impossible.
    ///
    /// Quoted names are placeholders for values that only the database has: the key columns, and the types of the
    /// assigned ones.
    package func values(of statement: Statement, bindings: [String: Binding]) -> AssignedValues? {
        guard let update = statement.sql.without(absent).update, let target = statement.sql.target, !target.isOnly
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
        // After FROM, Postgres reads the text as a table.
        let query = Composer.compose(pieces, of: statement.sql, for: self, bindings: bindings)
        return AssignedValues(table: update.table.text, columns: update.assignments.map(\.column), query: query)
    }

    /// An UPDATE that sets one cell of an editable table, unless the cell has that value already.
    ///
    /// Nil without such a table.
    package func update(
        _ settings: Settings, column: String, key: Binding, value: Binding
    ) -> (query: ComposedQuery, target: StatementTarget)? {
        guard let table = TableName(path: settings.table) else { return nil }
        let assigned = Composer.quoted(column)
        let query = compose(
            [
                .text("update \(table.quoted) t set \(assigned) = "), .bound(value),
                .text(" where t.\(Composer.quoted(settings.key))::pg_catalog.text operator(pg_catalog.=) "),
                .bound(key),
                .text(" and t.\(assigned) is distinct from "), .bound(value),
            ], [:])
        return (query, StatementTarget(.update, table, alias: "t"))
    }

    /// Builds a JSON object of facts: the name of each with its value as text and the number of its type.
    private static func object(_ facts: [(fact: Fact, value: String)]) -> String {
        if facts.isEmpty { return "'{}'::pg_catalog.jsonb" }
        let pairs = facts.map { fact, value in
            let pair = "pg_catalog.jsonb_build_array(\(value)::pg_catalog.text, \(fact.type)::pg_catalog.int8)"
            return "\(Composer.literal(fact.name)), \(pair)"
        }
        // A function has at most a hundred arguments.
        return stride(from: 0, to: pairs.count, by: 50).map { start in
            "pg_catalog.jsonb_build_object(\(pairs[start..<min(start + 50, pairs.count)].joined(separator: ", ")))"
        }.joined(separator: " operator(pg_catalog.||) ")
    }
}

/// The values that an UPDATE assigns, without the UPDATE.
package struct AssignedValues: Sendable {
    /// The table as the statement names it.
    package let table: String
    package let columns: [String]
    package let query: ComposedQuery
}

extension ParameterDeclaration {
    /// The parameters that set a cell: the key of the row, and the new value.
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
    /// The RETURNING clause that lists the written row versions.
    package var returning: String { "returning \(alias).tableoid::pg_catalog.text, \(alias).ctid::text" }
}

/// Queries before an account is deleted.
extension App {
    /// One row per user: the numbers of the remarks that apply, and the facts.
    package func held(_ remarks: [Remark], keys: Binding, now: Binding) -> ComposedQuery {
        var pieces = [.text("select told.\"usher held\" as held, told.* from (select ")] + Self.numbers(of: remarks)
        pieces += [.text(" as \"usher held\", facts.* from "), .definition("users")]
        pieces += [.text(" facts where facts.\(Composer.quoted(users.key)) = any("), .bound(keys), .text(")")]
        // For most users no remark applies, and the subquery evaluates each remark once.
        pieces.append(.text(" offset 0) told where told.\"usher held\" <> '{}'"))
        return compose(pieces, ["now": now])
    }

    /// The numbers of the remarks that apply, as an array.
    private static func numbers(of remarks: [Remark]) -> [Composer.Piece] {
        var pieces: [Composer.Piece] = [.text("pg_catalog.array_remove(array[")]
        for (index, remark) in remarks.enumerated() {
            pieces += [.text(index == 0 ? "" : ", "), .text("case when (\n"), .fragment(remark.condition)]
            pieces.append(.text(") then \(index) end"))
        }
        return pieces + [.text("]::pg_catalog.int4[], null)")]
    }

    /// A statement that inserts into the app's own queue.
    package func addition(_ statement: Statement, keys: Binding, now: Binding) -> ComposedQuery {
        Composer.compose([.fragment(statement.sql)], for: self, bindings: ["users": keys, "now": now])
    }
}
