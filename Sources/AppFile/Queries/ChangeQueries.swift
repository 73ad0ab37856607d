/// The statements of changes, and the queries that run before them.
extension AppQueries {
    package func statement(_ statement: App.Statement) -> ComposedQuery { compose("\(statement.sql)") }

    /// The name and the key of the definition of a subject; the definition has the alias `facts`.
    private func directory(of subject: App.Subject) -> (definition: String, key: SQL)? {
        app.directory(of: subject).map { ($0.definition, "facts.\(name: $0.key)") }
    }

    /// Counts the users or objects by the first refusal and the first warning that apply to them.
    ///
    /// The columns are the numbers of the refusal and the warning, NULL if none applies, and the count.
    package func tally(
        of remarks: (refusals: [App.Remark], warnings: [App.Remark]), _ subject: App.Subject,
        where selections: [App.Selection],
        keys: Binding?
    ) -> ComposedQuery {
        guard let (definition, key) = directory(of: subject) else { return compose("select null, null, '0'") }
        let refusal = SQL.firstTrue(of: remarks.refusals.map(\.condition))
        let warning = SQL.firstTrue(of: remarks.warnings.map(\.condition))
        let some = keys.map { SQL.rows(of: definition, where: "\(key) = any(\($0))") }
        let rows = some ?? "\(definition: definition) facts"
        return compose(
            """
            select (\(refusal))::text, (\(warning))::text, count(*)::text from \(rows) \
            where true\(.all(of: selections)) group by 1, 2
            """)
    }

    /// Finds the users that some objects belong to.
    package func owners(of object: App.ObjectKind, keys: Binding) -> ComposedQuery? {
        let user: SQL? = object.userColumn.map {
            "select \(name: object.key), \(name: $0) from \(definition: object.noun)"
        }
        guard let pairs = object.members.map({ "\n\($0)" }) ?? user else { return nil }
        return compose(
            """
            select distinct member."user"::text from (\(pairs)) member (key, "user") \
            where member."user" is not null and member.key = any(\(keys)) order by 1
            """)
    }

    /// Selects objects with their users, and with the column that selects one of several answers of a decision.
    package func one(_ column: String, of object: App.ObjectKind, keys: Binding) -> ComposedQuery? {
        let key: SQL = "facts.\(name: object.key)"
        let (user, join): (SQL, SQL?)
        if let members = object.members {
            (user, join) = ("member.\"user\"", " join (\n\(members)) member (key, \"user\") on member.key = \(key)")
        } else {
            guard let column = object.userColumn else { return nil }
            (user, join) = ("facts.\(name: column)", nil)
        }
        return compose(
            """
            select \(key)::text, \(user)::text, facts.\(name: column)::text \
            from \(definition: object.noun) facts\(join) where \(key) = any(\(keys))
            """)
    }

    /// Selects the keys in some selections, in order; the columns are the key, and an email of a user.
    package func selected(_ selections: [App.Selection], of subject: App.Subject, limit: Int) -> ComposedQuery? {
        guard let (definition, key) = directory(of: subject) else { return nil }
        let email: SQL? = subject == .users ? app.users.emails.first.map { ", facts.\(name: $0)::text" } : nil
        return compose(
            """
            select \(key)::text\(email) from \(definition: definition) facts \
            where true\(.all(of: selections)) order by \(key) limit \(limit)
            """)
    }

    /// Selects the name of the key type of the users or objects, even if there are none.
    package func keyType(of subject: App.Subject) -> ComposedQuery? {
        guard let (definition, key) = directory(of: subject) else { return nil }
        return compose(
            """
            select pg_catalog.format_type(pg_catalog.pg_typeof(\
            (select \(key) from \(definition: definition) facts limit 0)), -1)
            """)
    }

    /// Selects keys in the order of a column.
    package func ordered(by column: String, _ subject: App.Subject, keys: Binding) -> ComposedQuery? {
        guard let (definition, key) = directory(of: subject) else { return nil }
        return compose(
            """
            select \(key)::text from \(definition: definition) facts \
            where \(key) = any(\(keys)) order by facts.\(name: column), \(key)
            """)
    }

    /// Selects one row per user or object: the key, the numbers of the refusals and warnings that apply, and the facts
    /// in their sentences.
    package func verdict(
        of remarks: [App.Remark], on subject: App.Subject, keys: Binding, facts: [App.Fact]
    ) -> ComposedQuery {
        let held = Self.numbers(of: remarks)
        guard let (definition, key) = directory(of: subject) else {
            return compose("select null::pg_catalog.text as key, \(held) as held, \(Self.object([])) as facts")
        }
        let mentioned = Set(remarks.flatMap(\.sentence.facts))
        let shown = Self.object(facts.filter { mentioned.contains($0.name) }.map { ($0, "facts.\(name: $0.name)") })
        let rows = SQL.rows(of: definition, where: "\(key) = any(\(keys))")
        return compose("select \(key)::pg_catalog.text as key, \(held) as held, \(shown) as facts from \(rows)")
    }

    /// Selects one row with the facts of an impact's sentence; usher identifies columns by position, because names can
    /// repeat.
    package func impact(_ remark: App.Remark, facts: [App.Fact]) -> ComposedQuery {
        let columns: [SQL] = facts.indices.map { "\"column \($0)\"" }
        let object = Self.object(zip(facts, columns).map { ($0, "impact.\($1)") })
        return compose(
            """
            select \(object) as facts from (
            \(remark.condition)) impact (\(columns.joined(separator: ", "))) limit 1
            """)
    }

    /// Selects the keys in a selection, of all or of some users or objects, in any order.
    package func keys(of selection: App.Selection, _ subject: App.Subject, among some: Binding?) -> ComposedQuery? {
        guard let (definition, key) = directory(of: subject) else { return nil }
        let isAmong: SQL? = some.map { " and \(key) = any(\($0))" }
        return compose(
            """
            select \(key)::pg_catalog.text as key from \(definition: definition) facts where (
            \(selection.condition))\(isAmong)
            """)
    }

    /// Selects a label for each user: an email, or the key if the user has none; there is no query without email
    /// columns.
    package func labels(keys: Binding) -> ComposedQuery? {
        if app.users.emails.isEmpty { return nil }
        let names: [SQL] = (app.users.emails + [app.users.key]).map { "facts.\(name: $0)::pg_catalog.text" }
        let key: SQL = "facts.\(name: app.users.key)"
        return compose(
            """
            select \(key)::pg_catalog.text as key, coalesce(\(names.joined(separator: ", "))) as label \
            from \(definition: "users") facts where \(key) = any(\(keys))
            """)
    }

    /// Selects the values that an UPDATE of an app file assigns, with the keys of the rows; nil if usher can't tell
    /// them.
    ///
    /// The table has its alias, as in the statement. Some quoted names are placeholders, which the database replaces:
    /// the key columns, and the types of the assigned columns. usher can't tell the values if the UPDATE has RETURNING,
    /// or if an assignment sets several columns, a part of a column, or a default.
    package func values(of statement: App.Statement) -> (table: String, columns: [String], query: ComposedQuery)? {
        let sql = statement.sql.without(app.absent)
        let clauses = sql.clauses(["update", "set", "from", "where", "returning"])
        let keywords = clauses.map(\.keyword)
        guard sql.isUpdate, keywords.starts(with: ["update", "set"]), !keywords.contains("returning"),
            sql.target.map({ !$0.isOnly }) ?? false
        else { return nil }
        var (columns, values): ([String], [SQL]) = ([], [])
        for part in clauses[1].body.parts(at: ",") {
            let value = part.slice(min(2, part.tokens.count)..<part.tokens.count)
            guard part.isName(at: 0), part.word(at: 1) == "=", !value.tokens.isEmpty, value.word(at: 0) != "default"
            else { return nil }
            let index = columns.count
            values.append(", (\n\(value))::\"usher type \(index)\" as \"usher value \(index)\"")
            columns.append(part.word(at: 0))
        }
        let table = clauses[0].body
        let source: SQL? = clauses.first { $0.keyword == "from" }.map { ", \($0.body)" }
        let condition: SQL? = clauses.first { $0.keyword == "where" }.map { " where \($0.body)" }
        // The text of the table, with its alias, is also valid after FROM.
        let query: SQL = "select \"usher key\"\(values.joined()) from \(table)\(source)\(condition)"
        return (table.text, columns, app.compose(query, of: statement.sql, bindings))
    }

    /// The UPDATE that changes one cell of a settings table, unless the cell already has the value.
    package func update(
        _ settings: App.Settings, column: String, key: Binding, value: Binding
    ) -> (query: ComposedQuery, target: StatementTarget) {
        let query = compose(
            """
            update \(unsafe: settings.table.quoted) t set \(name: column) = \(value) \
            where t.\(name: settings.key)::pg_catalog.text operator(pg_catalog.=) \(key) \
            and t.\(name: column) is distinct from \(value)
            """)
        return (query, StatementTarget(verb: .update, table: settings.table, alias: "t"))
    }

    /// Builds a JSON object from facts: each name has the value as text, and the oid of the value's type.
    private static func object(_ facts: [(fact: App.Fact, value: SQL)]) -> SQL {
        if facts.isEmpty { return "'{}'::pg_catalog.jsonb" }
        let pairs: [SQL] = facts.map { fact, value in
            let type = Int(fact.type)
            return """
                \(unsafe: Composer.literal(fact.name)), \
                pg_catalog.jsonb_build_array(\(value)::pg_catalog.text, \(type)::pg_catalog.int8)
                """
        }
        // A function in Postgres can have at most 100 arguments.
        let objects: [SQL] = stride(from: 0, to: pairs.count, by: 50).map { start in
            let some = Array(pairs[start..<min(start + 50, pairs.count)])
            return "pg_catalog.jsonb_build_object(\(some.joined(separator: ", ")))"
        }
        return objects.joined(separator: " operator(pg_catalog.||) ")
    }

    /// Selects the users with a refusal or warning, each with the numbers of these remarks and the facts.
    package func held(_ remarks: [App.Remark], keys: Binding) -> ComposedQuery {
        // The query leaves out users without a refusal or warning. Because of the subquery, Postgres evaluates each
        // condition once.
        compose(
            """
            select marked."usher held" as held, marked.* from (\
            select \(Self.numbers(of: remarks)) as "usher held", facts.* from \(definition: "users") facts \
            where facts.\(name: app.users.key) = any(\(keys)) offset 0) marked where marked."usher held" <> '{}'
            """)
    }

    /// The expression for the numbers of the refusals and warnings that apply, as an array.
    private static func numbers(of remarks: [App.Remark]) -> SQL {
        let cases: [SQL] = remarks.enumerated().map { index, remark in
            "case when (\n\(remark.condition)) then \(index) end"
        }
        return "pg_catalog.array_remove(array[\(cases.joined(separator: ", "))]::pg_catalog.int4[], null)"
    }
}

extension ParameterDeclaration {
    /// The parameters of a command that changes a cell: the key of the row, and the new value.
    package var cell: (key: ParameterDeclaration, value: ParameterDeclaration) {
        let value = ParameterDeclaration(
            name: "value", type: type, choices: choices, isOptional: isOptional, range: range,
            defaultValue: defaultValue)
        return (ParameterDeclaration(name: "key", type: "text"), value)
    }
}

extension StatementTarget {
    /// The RETURNING clause with the location of each written row.
    package var returning: String { "returning \(alias).tableoid::pg_catalog.text, \(alias).ctid::text" }
}
