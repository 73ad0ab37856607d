internal import Catalog
internal import PQ

/// Which row versions a pass over the statements of a change wrote, as far as the statements said.
struct RowVersions {
    /// By table: the places of the versions.
    private(set) var places: [String: [String]] = [:]

    /// Takes down what a statement returned.
    mutating func add(_ rows: Rows) {
        for row in rows.rows where row.values.count >= 2 {
            if let table = row.values[0].text, let place = row.values[1].text {
                places[table, default: []].append(place)
            }
        }
    }

    /// Whether the statements told all of what the server counted.
    func areAll(of count: ChangeCounters.Count, in table: String) -> Bool {
        places[table]?.count == count.total
    }
}

extension TableShape {
    /// The keys of rows at some places, as text, one column a key column.
    func keys(at places: [String]) -> Query {
        "select \(unsafe: keyList("t")) from \(unsafe: sql) t where t.ctid = any(\(arrayLiteral(places))::tid[])"
    }

    /// The keys of rows whose visible version this transaction wrote.
    ///
    /// A version that is visible although its writer is still in progress can only be our own.
    var keysWritten: Query {
        """
        select \(unsafe: keyList("t"))
          from \(unsafe: sql) t, (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
         where age(t.xmin) <= age(own.x)
           and pg_xact_status((own.n + age(own.x) - age(t.xmin))::text::xid8) = 'in progress'
        """
    }

    /// The keys of rows that were written over, deleted or locked by what this transaction has rolled back since.
    var keysRolledBack: Query {
        """
        select \(unsafe: keyList("t"))
          from \(unsafe: sql) t, (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
         where t.xmax <> '0'::xid
           and age(t.xmax) <= age(own.x)
           and pg_xact_status((own.n + age(own.x) - age(t.xmax))::text::xid8) = 'aborted'
        """
    }

    /// The rows with some keys as they are now, locked where the role may: the key's columns, then the image.
    func images(of keys: [[String]], hiding secrets: Set<String>, salt: String) -> Query {
        let lock = isLockable ? "for no key update of t" : ""
        let (list, join) = keyJoin(firstParameter: 1)
        return Query(
            unsafe: """
                select \(keyList("t")), (\(image(hiding: secrets, salt: salt)))::text as image
                  from \(sql) t join unnest(\(list)) as k (\(keyNames)) on \(join)
                 order by \(key.map { "t.\($0.sql)" }.joined(separator: ", ")) \(lock)
                """, columnwise(keys))
    }

    /// How rows with some keys differ from their images, one row a change.
    ///
    /// Values are compared as they are written, since 1.10 equals 1.1 and is not the same. Of secrets only the names
    /// come back. A row that was replaced by another one with the same key is one that went and one that came.
    func differences(
        from images: [(key: [String], image: String)], keys: [[String]], assigned: Set<String>?, areReplaced: Bool,
        hiding secrets: Set<String>, salt: String
    ) -> Query {
        let width = key.count
        let (list, join) = keyJoin(firstParameter: width + 2)
        let texts = (1...width).map { "$\($0)::text[]" }.joined(separator: ", ")
        let names = (1...width).map { "k\($0)" }.joined(separator: ", ")
        let own = key.enumerated().map { "t.\($1.sql)::text as k\($0 + 1)" }.joined(separator: ", ")
        let object = key.map { "\(Self.literal($0.name)), coalesce(a.image, b.image) -> \(Self.literal($0.name))" }
            .joined(separator: ", ")
        let next = 2 * width + 2
        let both = "\(areReplaced) and a.image is not null and b.image is not null"
        let isShown = "e.name <> all ($\(next + 3)::text[])"
        return Query(
            unsafe: """
                with b as (select * from unnest(\(texts), $\(width + 1)::jsonb[]) as b (\(names), image)),
                     a as (select \(own), \(image(hiding: secrets, salt: salt)) as image
                             from \(sql) t join unnest(\(list)) as k (\(keyNames)) on \(join))
                select case when p.b is null then 'insert' when p.a is null then 'delete' else 'update' end as kind,
                       key.object as key, diff.before, diff.after, diff.names, diff.befores, diff.afters, diff.rewritten,
                       diff.secrets,
                       jsonb_build_object('table', $\(next)::text, 'key', key.object, 'before', diff.before,
                                          'after', diff.after, 'rewritten', to_jsonb(diff.rewritten))
                       || case when p.b is not null and diff.secrets <> '{}'
                               then jsonb_build_object('secrets', to_jsonb(diff.secrets)) else '{}' end as payload
                  from b full join a using (\(names))
                 cross join lateral (
                       select b.image, a.image where not (\(both))
                        union all select b.image, null where \(both)
                        union all select null, a.image where \(both)) p (b, a)
                 cross join lateral (select jsonb_build_object(\(object)) as object) key
                 cross join lateral (
                       select case when p.b is not null
                                   then coalesce(jsonb_object_agg(e.name, e.before) filter (where \(isShown)), '{}') end as before,
                              case when p.a is not null
                                   then coalesce(jsonb_object_agg(e.name, e.after) filter (where \(isShown)), '{}') end as after,
                              coalesce(array_agg(e.name order by e.place) filter (where \(isShown)), '{}') as names,
                              coalesce(array_agg(e.before #>> '{}' order by e.place) filter (where \(isShown)), '{}') as befores,
                              coalesce(array_agg(e.after #>> '{}' order by e.place) filter (where \(isShown)), '{}') as afters,
                              coalesce(array_agg(e.name order by e.place) filter (
                                  where p.b is not null and p.a is not null
                                    and e.name <> all ($\(next + 1)::text[])), '{}') as rewritten,
                              coalesce(array_agg(e.name order by e.place) filter (where not \(isShown)), '{}') as secrets
                         from (select coalesce(x.key, y.key) as name, x.value as before, y.value as after,
                                      array_position($\(next + 2)::text[], coalesce(x.key, y.key)) as place
                                 from jsonb_each(p.b) x full join jsonb_each(p.a) y on x.key = y.key) e
                        where p.a is null or p.b is null or e.before::text is distinct from e.after::text) diff
                 where a.image::text is distinct from b.image::text
                 order by \(names), kind
                """,
            columnwise(images.map(\.key)) + [arrayLiteral(images.map(\.image))] + columnwise(keys) + [
                qualifiedName, assigned.map { arrayLiteral(written(among: $0)) }, arrayLiteral(columns.map(\.name)),
                arrayLiteral(hidden(secrets)),
            ])
    }

    /// The columns whose change is the doing of statements that assign some: all but those that Postgres generates, and
    /// where triggers write too, only those that are assigned.
    private func written(among assigned: Set<String>) -> [String] {
        columns.filter { !$0.isGenerated && (!isTriggered || assigned.contains($0.name)) }.map(\.name)
    }

    /// Rows of a table without a key, at some places or by their writer: nothing tells them apart but all they hold.
    func newRows(at places: [String]?, hiding secrets: Set<String>) -> Query {
        let image = image(hiding: secrets)
        let condition =
            places == nil
            ? """
            age(t.xmin) <= age(own.x)
            and pg_xact_status((own.n + age(own.x) - age(t.xmin))::text::xid8) = 'in progress' and $1::tid[] is null
            """ : "t.ctid = any($1::tid[])"
        return Query(
            unsafe: """
                select 'insert' as kind, '{}'::jsonb as key, null::jsonb as before, i.image as after,
                       (select array_agg(e.key) from jsonb_each_text(i.image) e) as names,
                       (select array_agg(null::text) from jsonb_each_text(i.image) e) as befores,
                       (select array_agg(e.value) from jsonb_each_text(i.image) e) as afters, '{}'::text[] as rewritten,
                       '{}'::text[] as secrets,
                       jsonb_build_object('table', $2::text, 'key', '{}'::jsonb, 'before', null, 'after', i.image) as payload
                  from \(sql) t
                 cross join (select pg_current_xact_id()::xid as x, pg_current_xact_id()::text::numeric as n) own
                 cross join lateral (select \(image) as image) i
                 where \(condition)
                """, [places.map { arrayLiteral($0) }, qualifiedName])
    }

    // MARK: Pieces of SQL

    private func keyList(_ alias: String) -> String {
        key.isEmpty ? "1" : key.map { "\(alias).\($0.sql)::text" }.joined(separator: ", ")
    }

    private var keyNames: String { key.indices.map { "k\($0 + 1)" }.joined(separator: ", ") }

    /// Key values as typed arrays, and how they join.
    private func keyJoin(firstParameter: Int) -> (list: String, join: String) {
        let list = key.enumerated().map { "$\(firstParameter + $0)::\($1.type)[]" }.joined(separator: ", ")
        let join = key.enumerated().map { "t.\($1.sql) = k.k\($0 + 1)" }.joined(separator: " and ")
        return (list, join)
    }

    private func columnwise(_ keys: [[String]]) -> [String] {
        key.indices.map { column in arrayLiteral(keys.map { $0[column] }) }
    }
}
