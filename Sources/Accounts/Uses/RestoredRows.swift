internal import Catalog
internal import PQ

/// The statements about the rows of one section of an archive; a row is an array `archived.r` of texts, in the order of the types.
struct RestoredRows {
    let section: Archive.Section
    /// The table, whose own rows are meant: those of tables that inherit from it have sections of their own.
    let relation: Graph.Table
    /// The columns that no update may write to, but with their default.
    let unwritable: Set<String>

    private var ownRows: String { relation.ownRows }
    private var isDistributed: Bool { relation.isDistributed }
    private var width: Int { section.kind == .changed ? section.key.count : 0 }
    private var rows: String { arrayLiteral(section.rows) }

    /// The columns that can be set, with their places in a row; the key only where the deletion gave rows another one.
    private var settable: [(place: Int, name: String)] {
        section.columns.enumerated().filter { (width > 0 || !section.key.contains($1)) && !unwritable.contains($1) }
            .map { (width + $0, $1) }
    }

    private func value(_ place: Int) -> String { "(archived.r ->> \(place))::\(section.types[place])" }

    /// Whether the row `t` is the one that `archived.r` says, by the key that it had or the one that the deletion gave it.
    private var isSame: String {
        let places = section.key.map { section.columns.firstIndex(of: $0) }
        guard width > 0, places.contains(where: { $0 != nil }) else { return hasKey }
        let now = section.key.enumerated().map { index, name in
            let place = places[index].map { width + section.columns.count + $0 } ?? index
            return "\(cell(name)) \(equals(name)) (archived.r ->> \(place))::\(section.types[index])"
        }
        return "(\(hasKey) or \(now.joined(separator: " and ")))"
    }

    private func equals(_ name: String) -> String { relation.key.first { $0.name == name }?.equals ?? "=" }

    private var hasKey: String {
        section.key.enumerated().map { index, name in
            let place = section.kind == .changed ? index : section.columns.firstIndex(of: name) ?? 0
            return "\(cell(name)) \(equals(name)) \(value(place))"
        }.joined(separator: " and ")
    }

    /// Whether a column of the row `t` holds something else than the archive; texts, since 1.10 equals 1.1 and is not it.
    private func differs(_ place: Int, _ name: String) -> String {
        "\(cell(name))::pg_catalog.text is distinct from \(value(place))::pg_catalog.text"
    }

    /// The table as a statement looks into it: rows on other servers are fetched first, those alone that the archive has.
    private func near(_ number: Int = 1) -> String {
        guard isDistributed, let key = section.key.first else { return ownRows }
        let place = section.kind == .changed ? 0 : section.columns.firstIndex(of: key) ?? 0
        return fetched(where: "\(cell(key)) = any (select \(value(place)) from \(source(number)))")
    }

    /// Rows on other servers with whether this transaction wrote them, which nobody can tell elsewhere.
    private func fetched(where condition: String) -> String {
        "(select t.*, (\(ownWrite)) as \"usher own\" from \(ownRows) t where \(condition) offset 0)"
    }

    /// Whether a row `t` was written by this transaction.
    private var isOwn: String { isDistributed ? "t.\"usher own\"" : ownWrite }

    /// What is of every row `t` that is there.
    private var mark: String { isDistributed ? "t.\"usher own\"" : "t.tableoid" }

    private func source(_ number: Int) -> String { "pg_catalog.unnest($\(number)::pg_catalog.jsonb[]) as archived (r)" }

    // MARK: Putting back

    /// Inserts the rows that are not there, with some columns left empty; for a common table expression.
    ///
    /// A row that a trigger made again a moment ago stays, and is corrected with all others.
    func insertion(parameter: Int, emptying emptied: Set<String> = []) -> String {
        let kept = section.columns.enumerated().filter { !emptied.contains($1) }
        let absent =
            section.key.isEmpty ? "" : " where not exists (select from \(near(parameter)) t where \(isSame))"
        return """
            insert into \(section.table) (\(kept.map { Identifier($1).quoted }.joined(separator: ", "))) \
            overriding system value select \(kept.map { value($0.offset) }.joined(separator: ", ")) \
            from \(source(parameter))\(absent) returning 1
            """
    }

    /// How many of the rows that could not be inserted others have made, and how many this transaction has.
    var presence: Query {
        Query(
            unsafe: """
                select pg_catalog.count(*) filter (where not own) as others, pg_catalog.count(*) filter (where own) as own
                  from (select (\(isOwn)) as own from \(source(1)) join \(near()) t on \(isSame)) t
                """, [rows])
    }

    /// Takes away the rows that only triggers of this transaction made, so that those of the archive find their place.
    var sweep: Query? {
        // What is deleted on other servers is told by its key alone.
        section.key.isEmpty || isDistributed
            ? nil
            : Query(
                unsafe: """
                    delete from \(ownRows) t
                     where \(ownWrite) and not exists (select from \(source(1)) where \(isSame))
                    """, [rows])
    }

    /// Takes rows away that stand still as the archive has them, and says how many.
    var withdrawal: Query? {
        if section.key.isEmpty { return nil }
        let tests = section.columns.enumerated().map {
            "\(cell($1))::pg_catalog.text is not distinct from archived.r ->> \($0)"
        }
        return Query(
            unsafe:
                "delete from \(ownRows) t using \(source(1)) where \(isSame) and \(tests.joined(separator: " and "))",
            [rows])
    }

    /// Gives the rows what the archive holds of them, all of it or some columns, where they hold something else.
    func correction(of columns: Set<String>? = nil) -> Query? {
        let settable = settable.filter { columns?.contains($0.name) ?? true }
        guard !section.key.isEmpty, !settable.isEmpty else { return nil }
        if isDistributed { return correctionElsewhere(of: settable) }
        let sets = settable.map { "\(Identifier($0.name).quoted) = \(value($0.place))" }
        return Query(
            unsafe: """
                update \(ownRows) t set \(sets.joined(separator: ", ")) from \(source(1))
                 where \(isSame) and (\(settable.map { differs($0.place, $0.name) }.joined(separator: " or ")))
                """, [rows])
    }

    /// The same on other servers: a statement that writes there may call next to nothing, so what it writes is made before.
    private func correctionElsewhere(of settable: [(place: Int, name: String)]) -> Query {
        let keys = section.key.map { "\(cell($0)) as \(Identifier("usher \($0)").quoted)" }
        let values = settable.map { "\(value($0.place)) as \(Identifier($0.name).quoted)" }
        let same = section.key.map { "\(cell($0)) = n.\(Identifier("usher \($0)").quoted)" }
        let sets = settable.map { "\(Identifier($0.name).quoted) = n.\(Identifier($0.name).quoted)" }
        return Query(
            unsafe: """
                with n as materialized (
                    select \((keys + values).joined(separator: ", ")) from \(source(1)) join \(near()) t on \(isSame)
                     where \(settable.map { differs($0.place, $0.name) }.joined(separator: " or ")))
                update \(ownRows) t set \(sets.joined(separator: ", ")) from n where \(same.joined(separator: " and "))
                """, [rows])
    }

    // MARK: Looking

    /// The rows in order, and behind those that say something else than the deletion left what they say: somebody has changed
    /// them since.
    var touched: Query {
        let tests = section.columns.enumerated().map { place, name in
            "\(cell(name))::pg_catalog.text is not distinct from archived.r ->> \(width + section.columns.count + place)"
        }
        let now = section.columns.map { "\(cell($0))::pg_catalog.text" }.joined(separator: ", ")
        return Query(
            unsafe: """
                select archived.number::pg_catalog.int4 as number, \
                (archived.r operator(pg_catalog.||) since.now)::pg_catalog.text as since \
                from pg_catalog.unnest($1::pg_catalog.jsonb[]) with ordinality as archived (r, number) \
                left join lateral (select pg_catalog.to_jsonb(array[\(now)]::pg_catalog.text[]) as now from \(near()) t \
                where \(isSame) and (\(tests.joined(separator: " and "))) is not true) since on true order by 1
                """, [rows])
    }

    /// How many of rows that were changed since did not get back what the deletion took: a counter is moved back by as much as it
    /// moved, whatever it stands at.
    var unmoved: Query {
        let count = section.columns.count
        func text(_ place: Int) -> String { "archived.r ->> \(place)" }
        let tests = section.columns.enumerated().map { index, name in
            let (before, after) = (text(width + index), text(width + count + index))
            var same = [
                "\(before) is not distinct from \(after)",
                "\(cell(name))::pg_catalog.text is not distinct from \(before)",
            ]
            if Self.counting.contains(section.types[width + index]) {
                let since = "(\(text(width + 2 * count + index)))::pg_catalog.numeric"
                same.append(
                    "\(cell(name)) - \(since) = (\(before))::pg_catalog.numeric - (\(after))::pg_catalog.numeric")
            }
            if let isNow = isNow(width + index, name) { same.append(isNow) }
            return "(\(same.joined(separator: " or ")))"
        }
        return Query(
            unsafe: """
                select pg_catalog.count(*) from \(source(1)) left join \(near()) t on \(isSame) \
                where (\(tests.joined(separator: " and "))) is not true
                """, [rows])
    }

    private static let counting = ["smallint", "integer", "bigint", "numeric"]

    /// How many rows are not there, how many are not as they were or only in when they were written, and in which columns.
    var comparison: Query {
        guard !section.key.isEmpty else {
            return Query(
                unsafe: """
                    select pg_catalog.count(*)::pg_catalog.int8 as missing, 0 as different, '{}'::pg_catalog.text[] as columns,
                           0 as dated, '{}'::pg_catalog.text[] as times
                      from (select archived.r from \(source(1)) except all select \(image) from \(ownRows) t where \(ownWrite)) a
                    """, [rows])
        }
        let columns = section.columns.enumerated().map { (place: width + $0, name: $1) }
        func names(_ test: String) -> String {
            let each = columns.indices.map {
                "case when pg_catalog.bool_or(\(test)\($0)) then $\($0 + 2)::pg_catalog.text end"
            }
            return "pg_catalog.array_remove(array[\(each.joined(separator: ", "))], null)"
        }
        func any(_ test: String) -> String { columns.indices.map { "\(test)\($0)" }.joined(separator: " or ") }
        let tests = columns.enumerated().map { number, column in
            let differs = "\(mark) is not null and \(differs(column.place, column.name))"
            let isNow = isNow(column.place, column.name) ?? "false"
            return ", \(differs) and \(isNow) is not true as d\(number), \(differs) and \(isNow) as w\(number)"
        }
        return Query(
            unsafe: """
                select pg_catalog.count(*) filter (where absent) as missing,
                       pg_catalog.count(*) filter (where \(any("d"))) as different, \(names("d")) as columns,
                       pg_catalog.count(*) filter (where \(any("w"))) as dated, \(names("w")) as times
                  from (select \(mark) is null as absent\(tests.joined())
                          from \(source(1)) left join \(near()) t on \(isSame)) c
                """, [rows] + columns.map(\.name))
    }

    /// Whether a column of the row `t` holds an instant of this transaction, and so says when the row was written; nil where
    /// it holds no instants.
    ///
    /// One without a zone is in that of the session or in UTC, and a column may round to a second.
    private func isNow(_ place: Int, _ name: String) -> String? {
        let instants: [String]
        switch section.types[place] {
        // Lists of instants are no instants.
        case let type where !type.hasPrefix("timestamp") || type.hasSuffix("]"): return nil
        case let type where !type.hasSuffix("without time zone"): instants = [cell(name)]
        default:
            instants = ["pg_catalog.current_setting('TimeZone')", "'UTC'"].map { "(\(cell(name)) at time zone \($0))" }
        }
        let tests = instants.map { instant in
            """
            \(instant) between pg_catalog.transaction_timestamp() - interval '1 second' \
            and pg_catalog.clock_timestamp() + interval '1 second'
            """
        }
        return "(\(tests.joined(separator: " or ")))"
    }

    private var image: String {
        let texts = section.columns.map { "\(cell($0))::pg_catalog.text" }.joined(separator: ", ")
        return "pg_catalog.array_to_json(array[\(texts)]::pg_catalog.text[])::pg_catalog.jsonb"
    }

    /// The rows that this transaction wrote and that the sections of a table do not hold, as texts with the key in front.
    static func surplus(in table: Graph.Table, beyond sections: [RestoredRows]) -> Query {
        let held = sections.enumerated().filter { !$1.section.key.isEmpty }.map { index, rows in
            " and not exists (select from \(rows.source(index + 1)) where \(rows.isSame))"
        }
        // What lies on other servers is told from the rest here.
        let apart = sections.first { $0.isDistributed }
        let (all, written) = (apart?.fetched(where: ownWrite) ?? table.ownRows, apart == nil ? ownWrite : "true")
        if held.count == sections.count {
            return Query(
                unsafe: "select \(image(of: table, sections)) as image from \(all) t where \(written)\(held.joined())",
                sections.map(\.rows))
        }
        let texts = sections.filter { $0.section.key.isEmpty }
        let archived = texts.indices.map { "select archived.r from \(texts[$0].source($0 + 1))" }.joined(
            separator: " union all ")
        return Query(
            unsafe: """
                select \(image(of: table, sections)) as image from \(table.ownRows) t where \(ownWrite) \
                except all (\(archived))
                """, texts.map(\.rows))
    }

    /// How many of these rows nobody else sees as they are.
    static func news(of images: [String], in table: Graph.Table, beyond sections: [RestoredRows]) -> Query {
        let (image, array) = (image(of: table, sections), arrayLiteral(images))
        if table.key.isEmpty {
            return Query(
                unsafe: """
                    select pg_catalog.count(*) from (select n.row from pg_catalog.unnest($1::pg_catalog.jsonb[]) as n (row) \
                    except all select \(image) from \(table.ownRows) t) a
                    """, [array])
        }
        return Query(
            unsafe: """
                select pg_catalog.count(*) from pg_catalog.unnest($1::pg_catalog.jsonb[]) as n (row) \
                where not exists (select from \(table.ownRows) t where \(table.hasKey(in: "n.row")) and \(image) = n.row)
                """, [array])
    }

    /// What the row `t` says, with the key in front; one without a key as its sections have it.
    private static func image(of table: Graph.Table, _ sections: [RestoredRows]) -> String {
        if let rows = sections.first(where: { $0.section.key.isEmpty }) { return rows.image }
        let key = table.key.map { "\(cell($0.name))::pg_catalog.text" } + ["(t.*)::pg_catalog.text"]
        return "pg_catalog.to_jsonb(array[\(key.joined(separator: ", "))]::pg_catalog.text[])"
    }
}
