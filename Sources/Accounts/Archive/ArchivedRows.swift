internal import Catalog
internal import PQ

/// The statements about the rows of one section of an archive; one row is `archived.r`.
struct ArchivedRows {
    let section: Archive.Section
    let number: Int
    /// The table without its child tables, which have sections of their own.
    let relation: Graph.Table
    var ownRows: String { relation.ownRows }
    private var isChanged: Bool { section.kind == .changed }
    static let store = "pg_temp.\"usher archive\""
    private var source: String { "(select s.r from \(Self.store) s where s.section = \(number)) archived" }
    private var names: [String] { section.columns }

    private func text(_ place: Int) -> String {
        isChanged ? "(archived.r -> 1 ->> '\(place)')" : "(archived.r ->> \(place))"
    }

    private func value(_ place: Int) -> String { "\(text(place))::\(section.types[place])" }

    /// The condition that the archive contains the column; of a changed row it contains only changed columns.
    private func holds(_ place: Int) -> String { "pg_catalog.jsonb_exists(archived.r -> 1, '\(place)')" }

    /// The condition that the row `t` has the key of `archived.r`.
    private var isSame: String {
        section.key.enumerated().map { index, name in
            let place = names.firstIndex(of: name) ?? 0
            let text = isChanged ? "(archived.r -> 0 ->> \(index))" : text(place)
            let equals = relation.key.first { $0.name == name }?.equals ?? "="
            return "\(cell(name)) \(equals) \(text)::\(section.types[place])"
        }.joined(separator: " and ")
    }

    /// The condition that a column of the row `t` differs from the archive as text; so 1.10 differs from 1.1.
    private func differs(_ place: Int) -> String {
        let differs = "\(asText(names[place])) is distinct from \(value(place))::pg_catalog.text"
        return isChanged ? "(\(holds(place)) and \(differs))" : differs
    }

    // MARK: Restoring

    /// Inserts the rows that do not exist; a row that a trigger inserted stays, and is corrected later.
    var insertion: String {
        let columns = names.map { Identifier($0).quoted }.joined(separator: ", ")
        let absent = section.key.isEmpty ? "" : " where not exists (select from \(ownRows) t where \(isSame))"
        return """
            insert into \(section.table) (\(columns)) overriding system value \
            select \(names.indices.map { value($0) }.joined(separator: ", ")) from \(source)\(absent)
            """
    }

    var presence: Query? {
        section.key.isEmpty
            ? nil : Query(unsafe: "select pg_catalog.count(*) from \(source) join \(ownRows) t on \(isSame)")
    }

    /// The condition that the row `t` is not in the archive.
    var isOther: String { "not exists (select from \(source) where \(isSame))" }

    /// Writes the archived values of some columns where they differ.
    func correction(of columns: Set<String>) -> Query? {
        let places = names.indices.filter {
            columns.contains(names[$0]) && !section.key.contains(names[$0])
        }
        guard !section.key.isEmpty, !places.isEmpty else { return nil }
        let sets = places.map { place in
            let own = isChanged ? "case when \(holds(place)) then \(value(place)) else \(cell(names[place])) end" : nil
            return "\(Identifier(names[place]).quoted) = \(own ?? value(place))"
        }
        let differs = places.map { self.differs($0) }.joined(separator: " or ")
        return Query(
            unsafe: """
                update \(ownRows) t set \(sets.joined(separator: ", ")) from \(source) where \(isSame) and (\(differs))
                """)
    }

    // MARK: Comparing

    /// Drops changed rows whose current values are neither those before nor those after the deletion.
    var settingAside: Query {
        let image = names.indices.map { asText(names[$0]) }.joined(separator: ", ")
        let places = names.indices.map { "'\($0)'" }.joined(separator: ", ")
        return Query(
            unsafe: """
                with aside as materialized (
                    select archived.r from \(source) join \(ownRows) t on \(isSame)
                     cross join lateral (select pg_catalog.jsonb_object(
                            array[\(places)], array[\(image)]::pg_catalog.text[]) as now) n
                     where not archived.r -> 2 <@ n.now and not archived.r -> 1 <@ n.now)
                delete from \(Self.store) s using aside where s.section = \(number) and s.r = aside.r
                """)
    }

    /// Counts missing rows, different rows, and rows that differ only in the time of writing, with the columns.
    var comparison: Query {
        guard !section.key.isEmpty else {
            let texts = names.map { asText($0) }.joined(separator: ", ")
            return Query(
                unsafe: """
                    select pg_catalog.count(*)::pg_catalog.int8 as missing, 0 as different, '{}'::pg_catalog.text[] as columns,
                           0 as dated, '{}'::pg_catalog.text[] as times
                      from (select archived.r from \(source) except all
                            select pg_catalog.to_jsonb(array[\(texts)]::pg_catalog.text[]) from \(ownRows) t where \(ownWrite)) a
                    """)
        }
        func list(_ test: String) -> String {
            let each = names.indices.map {
                "case when pg_catalog.bool_or(\(test)\($0)) then $\($0 + 1)::pg_catalog.text end"
            }
            return "pg_catalog.array_remove(array[\(each.joined(separator: ", "))], null)"
        }
        func any(_ test: String) -> String { names.indices.map { "\(test)\($0)" }.joined(separator: " or ") }
        let tests = names.indices.map { place in
            let differs = "t.tableoid is not null and \(differs(place))"
            let isNow = isNow(place) ?? "false"
            return ", \(differs) and \(isNow) is not true as d\(place), \(differs) and \(isNow) as w\(place)"
        }
        return Query(
            unsafe: """
                select pg_catalog.count(*) filter (where absent) as missing,
                       pg_catalog.count(*) filter (where \(any("d"))) as different, \(list("d")) as columns,
                       pg_catalog.count(*) filter (where \(any("w"))) as dated, \(list("w")) as times
                  from (select t.tableoid is null as absent\(tests.joined())
                          from \(source) left join \(ownRows) t on \(isSame)) c
                """, names)
    }

    /// The condition that a column of the row `t` contains the time of this transaction.
    ///
    /// Such a column only shows when the row was written. Nil if the column contains no times.
    ///
    /// A time without a zone is in the zone of the session or in UTC. A column may round to a second.
    private func isNow(_ place: Int) -> String? {
        let (type, cell) = (section.types[place], cell(names[place]))
        // A list of timestamps is not a timestamp.
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
