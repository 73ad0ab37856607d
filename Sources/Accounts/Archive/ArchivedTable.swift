internal import Catalog
internal import PQ

/// The SQL to archive and to restore one table: `archived` is a row of the archive, and `t` is a row of the table.
struct ArchivedTable {
    var table: Archive.Table
    /// The index of the table in the archive.
    let number: Int
    /// The table without its child tables, which have their own rows in the archive.
    let relation: Graph.Table

    private var texts: String { "array[\(table.columns.map(asText).joined(separator: ", "))]::pg_catalog.text[]" }

    /// The row `t` as a JSON list of texts.
    var image: String { "pg_catalog.array_to_json(\(texts))" }

    private var places: Range<Int> { table.columns.indices }
    private var source: String { "(select s.* from \(Archive.store) s where s.section = \(number)) archived" }
    private var deleted: String { "\(source) where archived.now is null" }
    private var isSame: String { relation.hasKey(in: "archived.key") }

    private func value(_ place: Int) -> String { "(archived.was #>> '{\(place)}')::\(table.types[place])" }

    /// The condition that the archive contains the value of a column.
    ///
    /// Of a changed row, the archive contains only the changed values.
    private func holds(_ place: Int) -> String { "archived.was #> '{\(place)}' is not null" }

    /// The condition that a value of the row `t` differs from the archived value as text; so 1.10 differs from 1.1.
    private func differs(_ place: Int) -> String {
        "(\(holds(place)) and \(asText(table.columns[place])) is distinct from \(value(place))::pg_catalog.text)"
    }

    /// Inserts the deleted rows whose keys are not in the table.
    ///
    /// If a trigger already inserted a row with the same key, the row stays, and usher corrects its values later.
    var insertion: String {
        let columns = table.columns.map { Identifier($0).quoted }.joined(separator: ", ")
        let absent = table.key.isEmpty ? "" : " and not exists (select from \(relation.ownRows) t where \(isSame))"
        return """
            insert into \(table.sql) (\(columns)) overriding system value \
            select \(places.map(value).joined(separator: ", ")) from \(deleted)\(absent)
            """
    }

    /// The condition that the row `t` is not in the archive.
    var isOther: String? { table.key.isEmpty ? nil : "not exists (select from \(source) where \(isSame))" }

    /// Removes changed rows from the restore if their values were changed again after the deletion.
    var removalOfChangedRows: Query {
        let names = places.map { "'\($0)'" }.joined(separator: ", ")
        return Query(
            unsafe: """
                delete from \(Archive.store) archived using \(relation.ownRows) t cross join lateral (select \
                pg_catalog.jsonb_object(array[\(names)], \(texts)) as current) n \
                where archived.section = \(number) and archived.now is not null and \(isSame) \
                and not archived.now <@ n.current and not archived.was <@ n.current
                """)
    }

    /// Sets the given columns of differing rows to the archived values.
    ///
    /// The statement names only these columns, so the role needs no UPDATE right on other columns.
    func correction(of columns: Set<String>) -> Query? {
        let some = places.filter { columns.contains(table.columns[$0]) && !table.key.contains(table.columns[$0]) }
        if some.isEmpty { return nil }
        let sets = some.map { place in
            let (column, value) = (table.columns[place], value(place))
            return "\(Identifier(column).quoted) = case when \(holds(place)) then \(value) else \(cell(column)) end"
        }
        return Query(
            unsafe: """
                update \(relation.ownRows) t set \(sets.joined(separator: ", ")) from \(source) \
                where \(isSame) and (\(some.map(differs).joined(separator: " or ")))
                """)
    }

    struct Comparison {
        /// The number of deleted rows that the table still lacks.
        let missing: Int
        /// The number of changed rows that the table no longer has.
        let vanished: Int
        /// The number of changed rows that differ from the archive.
        let losing: Int
        /// The number of rows that differ from the archive, and the differing columns.
        let different: (rows: Int, columns: [String])
        /// The number of rows with columns that triggers set to the current time, and these columns.
        let dated: (rows: Int, columns: [String])

        init(_ row: Row) throws(DecodingFailure) {
            missing = try row.integer("missing")
            vanished = try row.integer("vanished")
            losing = try row.integer("losing")
            different = (try row.integer("different"), try row.texts("columns"))
            dated = (try row.integer("dated"), try row.texts("times"))
        }
    }

    /// Compares the rows with the archive; for a table without a key, counts only the missing rows.
    var comparison: Query {
        guard !table.key.isEmpty else {
            return Query(
                unsafe: """
                    select pg_catalog.count(*) as missing, 0 as vanished, 0 as losing, 0 as different, \
                    '{}'::pg_catalog.text[] as columns, 0 as dated, '{}'::pg_catalog.text[] as times \
                    from (select archived.was from \(deleted) except all \
                    select pg_catalog.to_jsonb(\(texts)) from \(relation.ownRows) t where \(ownWrite)) a
                    """)
        }
        func list(_ test: String) -> String {
            let each = places.map {
                "case when pg_catalog.bool_or(\(test)\($0)) then $\($0 + 1)::pg_catalog.text end"
            }
            return "pg_catalog.array_remove(array[\(each.joined(separator: ", "))], null)"
        }
        func any(_ test: String) -> String { places.map { "\(test)\($0)" }.joined(separator: " or ") }
        func count(_ test: String) -> String { "pg_catalog.count(*) filter (where \(test))" }
        let tests = places.map { place in
            let differs = "t.tableoid is not null and \(differs(place))"
            let isNow = isNow(place) ?? "false"
            return ", \(differs) and \(isNow) is not true as d\(place), \(differs) and \(isNow) as w\(place)"
        }
        return Query(
            unsafe: """
                select \(count("absent and deleted")) as missing, \(count("absent and not deleted")) as vanished, \
                \(count("not deleted and (\(any("d")) or \(any("w")))")) as losing, \
                \(count(any("d"))) as different, \(list("d")) as columns, \(count(any("w"))) as dated, \(list("w")) as times \
                from (select t.tableoid is null as absent, archived.now is null as deleted\(tests.joined()) \
                from \(source) left join \(relation.ownRows) t on \(isSame)) c
                """, table.columns)
    }

    /// The condition that a column of the row `t` contains the time of this transaction.
    ///
    /// A trigger may set a column such as `updated_at` to this time. Nil if the column is not a timestamp.
    ///
    /// A time without a zone may be in the zone of the session or in UTC. A column may round times to seconds.
    private func isNow(_ place: Int) -> String? {
        let (type, cell) = (table.types[place], cell(table.columns[place]))
        // An array of timestamps is not a timestamp.
        guard type.hasPrefix("timestamp"), !type.hasSuffix("]") else { return nil }
        let instants =
            type.hasSuffix("without time zone")
            ? ["pg_catalog.current_setting('TimeZone')", "'UTC'"].map { "(\(cell) at time zone \($0))" } : [cell]
        let tests = instants.map { instant in
            """
            \(instant) between pg_catalog.transaction_timestamp() - interval '1 second' \
            and pg_catalog.clock_timestamp() + interval '1 second'
            """
        }
        return "(\(tests.joined(separator: " or ")))"
    }
}
