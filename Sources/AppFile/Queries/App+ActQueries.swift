/// Composes the statements of actions, which functions in the database run.
extension App {
    /// A fact about a user or object, and the oid of its type, which determines how usher shows the value.
    package struct Fact: Sendable, Hashable {
        package let name: String
        package let type: UInt32

        /// Creates a fact from a column that Postgres describes.
        package init(name: String, type: UInt32) {
            self.name = name
            self.type = type
        }
    }

    /// Selects one row per user or object: the key, the numbers of the remarks that apply, and the facts of their
    /// sentences.
    package func verdict(
        of remarks: [Remark], on subject: Subject, keys: Binding, facts: [Fact], bindings: [String: Binding]
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
        return compose(
            [.text("select \(key)::pg_catalog.text as key, ")] + held + [.text("\(object) as facts from ")]
                + Self.some(of: definition, where: [.text("\(key) = any("), .bound(keys), .text(")")]),
            bindings)
    }

    /// Selects one row with the facts of an impact's sentence; usher identifies columns by position, because names can
    /// repeat.
    package func impact(_ remark: Remark, facts: [Fact], bindings: [String: Binding]) -> ComposedQuery {
        let columns = facts.indices.map { "\"column \($0)\"" }
        let object = Self.object(zip(facts, columns).map { ($0, "impact.\($1)") })
        return compose(
            [.text("select \(object) as facts from (\n"), .fragment(remark.condition)]
                + [.text(") impact (\(columns.joined(separator: ", "))) limit 1")], bindings)
    }

    /// Selects the keys in a selection, of all or of some users or objects, in any order.
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

    /// Selects a label for each user: an email, or the key if the user has none; there is no query without email
    /// columns.
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

    /// Selects the values that an UPDATE of an app file assigns, with the keys of the rows; nil if usher can't tell
    /// them.
    ///
    /// Some quoted names are placeholders, which the database replaces: the key columns, and the types of the assigned
    /// columns.
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
        // The text of the table can be used after FROM.
        let query = Composer.compose(pieces, of: statement.sql, for: self, bindings: bindings)
        return AssignedValues(table: update.table.text, columns: update.assignments.map(\.column), query: query)
    }

    /// The UPDATE that changes one cell of a settings table, unless the cell already has the value.
    ///
    /// Nil if the app file doesn't name a valid table.
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

    /// Builds a JSON object from facts: each name has the value as text, and the oid of the value's type.
    private static func object(_ facts: [(fact: Fact, value: String)]) -> String {
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

/// Composes queries that run before an account is deleted.
extension App {
    /// Selects one row per user to whom a remark applies: the numbers of these remarks, and the facts.
    package func held(_ remarks: [Remark], keys: Binding, now: Binding) -> ComposedQuery {
        var pieces = [.text("select told.\"usher held\" as held, told.* from (select ")] + Self.numbers(of: remarks)
        pieces += [.text(" as \"usher held\", facts.* from "), .definition("users")]
        pieces += [.text(" facts where facts.\(Composer.quoted(users.key)) = any("), .bound(keys), .text(")")]
        // Rows without remarks are left out; because of the subquery, Postgres evaluates each remark once.
        pieces.append(.text(" offset 0) told where told.\"usher held\" <> '{}'"))
        return compose(pieces, ["now": now])
    }

    /// The expression for the numbers of the remarks that apply, as an array.
    private static func numbers(of remarks: [Remark]) -> [Composer.Piece] {
        var pieces: [Composer.Piece] = [.text("pg_catalog.array_remove(array[")]
        for (index, remark) in remarks.enumerated() {
            pieces += [.text(index == 0 ? "" : ", "), .text("case when (\n"), .fragment(remark.condition)]
            pieces.append(.text(") then \(index) end"))
        }
        return pieces + [.text("]::pg_catalog.int4[], null)")]
    }

    /// The statement that inserts into the app's own queue.
    package func addition(_ statement: Statement, keys: Binding, now: Binding) -> ComposedQuery {
        Composer.compose([.fragment(statement.sql)], for: self, bindings: ["users": keys, "now": now])
    }
}
