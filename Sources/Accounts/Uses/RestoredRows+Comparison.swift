internal import Catalog
internal import PQ

/// Whether rows stand as an archive has them.
extension RestoredRows {
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
