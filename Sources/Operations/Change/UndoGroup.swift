internal import AppFile
internal import Catalog
internal import PQ

/// Changes of one kind to the same columns of one table, to be taken back by one statement.
struct UndoGroup {
    let operation: String
    let kind: RowChange.Kind
    let table: TableShape
    /// The columns to put back; of rows that came or went, all of them.
    let columns: [String]
    let count: Int

    /// The changes as rows of SQL: `c` the change, `k` its key, typed as the table's columns are.
    private var changes: String {
        """
        usher.change c
         cross join lateral jsonb_populate_record(null::\(table.sql), c.payload -> 'key') k
        """
    }

    private var isOurs: String {
        let kindTest =
            switch kind {
            case .insert: "jsonb_typeof(c.payload -> 'before') is distinct from 'object'"
            case .delete: "jsonb_typeof(c.payload -> 'after') is distinct from 'object'"
            case .update:
                """
                jsonb_typeof(c.payload -> 'before') = 'object' and jsonb_typeof(c.payload -> 'after') = 'object'
                and array(select e.name from jsonb_object_keys(c.payload -> 'before') e (name)
                           where not coalesce(c.payload -> 'rewritten', '[]') ? e.name order by e.name) = $3::text[]
                """
            }
        return """
            c.operation = $1::uuid and c.payload ->> 'table' = $2 and $3::text[] is not null
            and \(kindTest)
            """
    }

    private var sameRow: String {
        table.key.map { "t.\($0.sql) = k.\($0.sql)" }.joined(separator: " and ")
    }

    private var parameters: [String?] { [operation, table.qualifiedName, arrayLiteral(columns)] }

    private var target: StatementTarget {
        let name = TableName(schema: table.schema, name: table.name)
        return switch kind {
        case .insert: StatementTarget(.delete, name, alias: "t", assigned: nil, isOnly: true)
        case .update: StatementTarget(.update, name, alias: "t", assigned: Set(columns), isOnly: true)
        case .delete: StatementTarget(.insert, name, alias: "t", assigned: [])
        }
    }

    /// The statement that takes the changes back.
    var step: ChangeStep {
        switch kind {
        case .insert:
            let sql = "delete from only \(table.sql) t using \(changes) where \(isOurs) and \(sameRow) \(Self.versions)"
            return ChangeStep(
                "removing what was inserted into \(table.qualifiedName)", Query(unsafe: sql, parameters),
                writing: target)
        case .update: return update(where: "true")
        case .delete:
            let names = written.map(\.sql).joined(separator: ", ")
            let values = written.map { value(of: $0) }.joined(separator: ", ")
            let sql = """
                insert into \(table.sql) as t (\(names)) overriding system value
                select \(values)
                  from \(changes) cross join lateral jsonb_populate_record(null::\(table.sql), c.payload -> 'before') b
                 where \(isOurs) \(Self.versions)
                """
            return ChangeStep(
                "inserting again what was deleted from \(table.qualifiedName)", Query(unsafe: sql, parameters),
                writing: target)
        }
    }

    /// The statement that puts right what triggers of other tables made of these rows meanwhile.
    var correction: ChangeStep? { kind == .update ? update(where: isDifferent) : nil }

    private func update(where condition: String) -> ChangeStep {
        let assignments = written.map { "\($0.sql) = \(value(of: $0))" }.joined(separator: ", ")
        let sql = """
            update only \(table.sql) t set \(assignments)
              from \(changes) cross join lateral jsonb_populate_record(null::\(table.sql), c.payload -> 'before') b
             where \(isOurs) and \(sameRow) and \(condition) \(Self.versions)
            """
        return ChangeStep("putting back \(table.qualifiedName)", Query(unsafe: sql, parameters), writing: target)
    }

    private static let versions = "returning t.tableoid::text, t.ctid::text"

    /// Whether a column that the operation wrote is not as it was before.
    private var isDifferent: String {
        """
        exists (select from jsonb_each(c.payload -> 'before') e (name, value)
                 where not coalesce(c.payload -> 'rewritten', '[]') ? e.name
                   and ((\(table.image())) -> e.name)::text is distinct from e.value::text)
        """
    }

    private var written: [TableShape.Column] {
        table.columns.filter { column in !column.isGenerated && (kind == .delete || columns.contains(column.name)) }
    }

    /// A recorded value.
    private func value(of column: TableShape.Column) -> String {
        column.value(from: "(c.payload -> 'before')", populated: "b")
    }

    /// Whether the operation itself put another row with the same key in the place of this one, or the reverse.
    private var isReplaced: String {
        """
        exists (select from usher.change o
                 where o.operation = c.operation and o.ordinal <> c.ordinal and o.payload ->> 'table' = $2
                   and o.payload -> 'key' = c.payload -> 'key')
        """
    }

    /// Rows that are not as the operation left them, each with the reason.
    var obstacles: Query {
        let left = "\(table.sql) t on \(sameRow)"
        let difference = """
            (select string_agg(e.name, ', ' order by e.name)
               from jsonb_each(c.payload -> 'after') e (name, value)
              where not coalesce(c.payload -> 'rewritten', '[]') ? e.name
                and ((\(table.image())) -> e.name)::text is distinct from e.value::text)
            """
        let sentence =
            switch kind {
            case .insert, .update:
                """
                case when t.ctid is null then 'is gone' else 'changed since in ' || \(difference) end
                """
            case .delete: "case when t.ctid is not null and not \(isReplaced) then 'is there again' end"
            }
        return Query(
            unsafe: """
                select s.key, s.sentence
                  from (select $2 || ' ' || (c.payload ->> 'key') as key, \(sentence) as sentence
                          from \(changes) left join \(left) where \(isOurs)) s
                 where s.sentence is not null order by 1 limit 11
                """, parameters)
    }

    /// Rows that are not as they were before the operation, although the statements ran.
    ///
    /// What the table's own triggers make of a row that comes back is theirs.
    var unrestored: Query {
        let left = "\(table.sql) t on \(sameRow)"
        let isWrong =
            switch kind {
            case .insert: "t.ctid is not null and not \(isReplaced)"
            case .delete where table.isTriggeredByInsert: "t.ctid is null"
            case .update, .delete: "t.ctid is null or \(isDifferent)"
            }
        return Query(
            unsafe: """
                select $2 || ' ' || (c.payload ->> 'key') as key, 'is not as it was' as sentence
                  from \(changes) left join \(left) where \(isOurs) and (\(isWrong)) order by 1 limit 11
                """, parameters)
    }

    /// The rows it is about, as they are named in changes.
    var keys: Query {
        Query(
            unsafe: "select c.payload ->> 'table', c.payload ->> 'key' from usher.change c where \(isOurs)", parameters)
    }
}
