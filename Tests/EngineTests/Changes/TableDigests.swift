import PQ
import Support
import Testing

/// A digest of each column of every table of an app.
///
/// Only tables with new row versions are read again.
final class TableDigests {
    private struct Table {
        /// The number of rows, and the sum of their transaction ids.
        let versions: String
        let query: String
        var lastVersions: String?
        var digests: [String: String] = [:]
    }

    private let connection: Connection
    private var tables: [Table]

    init(_ database: TestDatabase) throws {
        connection = try database.connect()
        tables = try connection.execute(
            """
            select format('(select count(*) || '' '' || coalesce(sum(xmin::text::bigint), 0) from only %I.%I)',
                          n.nspname, c.relname) as versions,
                   format('select array[%L, count(*)::text', n.nspname || '.' || c.relname)
                   || string_agg(format(', %L, sum(hashtextextended(k.key || coalesce(t.%I::text, ''NULL''), 0))::text',
                                        n.nspname || '.' || c.relname || '.' || a.attname, a.attname), '' order by a.attnum)
                   || format('] from only %I.%I t cross join lateral (select %s as key offset 0) k',
                             n.nspname, c.relname, k.key) as query
              from pg_class c
              join pg_namespace n on n.oid = c.relnamespace
              join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
             cross join lateral (
                   select coalesce((select format('row(%s)::text', string_agg(format('t.%I', b.attname), ', ' order by b.attnum))
                                      from pg_index i join pg_attribute b on b.attrelid = i.indrelid and b.attnum = any (i.indkey::int2[])
                                     where i.indrelid = c.oid and i.indisprimary), 't::text')) as k (key)
             where c.relkind = 'r' and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'usher')
             group by c.oid, n.nspname, c.relname, k.key
            """
        ).rows.map { row in
            Table(versions: try row.text("versions"), query: try row.text("query"))
        }
    }

    /// The digests by the path of the column, and the number of rows by the name of the table.
    func current() throws -> [String: String] {
        let versions = try arrays("select array[\(tables.map(\.versions).joined(separator: ", "))]")[0]
        let changed = tables.indices.filter { tables[$0].lastVersions != versions[$0] }
        guard !changed.isEmpty else { return all }
        for (index, list) in zip(changed, try changed.flatMap { try arrays(tables[$0].query) }) {
            tables[index].lastVersions = versions[index]
            tables[index].digests = Dictionary(
                uniqueKeysWithValues: stride(from: 0, to: list.count - 1, by: 2).map { (list[$0], list[$0 + 1]) })
        }
        return all
    }

    private var all: [String: String] { tables.reduce(into: [:]) { $0.merge($1.digests) { $1 } } }

    private func arrays(_ sql: String) throws -> [[String]] {
        try connection.execute(Query(unsafe: sql)).rows.compactMap { $0.values[0].text }
            .map { arrayElements($0).map { $0 ?? "" } }
    }
}
