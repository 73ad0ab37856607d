internal import Catalog
internal import PQ

/// The statements about the rows of one section of an archive; a row is an array `archived.r` of texts, in the order of the types.
struct RestoredRows {
    let section: Archive.Section
    /// The table, whose own rows are meant: those of tables that inherit from it have sections of their own.
    let relation: Graph.Table
    /// The columns that no update may write to, but with their default.
    let unwritable: Set<String>

    var ownRows: String { relation.ownRows }
    var isDistributed: Bool { relation.isDistributed }
    var width: Int { section.kind == .changed ? section.key.count : 0 }
    var rows: String { arrayLiteral(section.rows) }

    /// The columns that can be set, with their places in a row; the key only where the deletion gave rows another one.
    private var settable: [(place: Int, name: String)] {
        section.columns.enumerated().filter { (width > 0 || !section.key.contains($1)) && !unwritable.contains($1) }
            .map { (width + $0, $1) }
    }

    private func value(_ place: Int) -> String { "(archived.r ->> \(place))::\(section.types[place])" }

    /// Whether the row `t` is the one that `archived.r` says, by the key that it had or the one that the deletion gave it.
    var isSame: String {
        guard areMoved else { return hasKey }
        let now = section.key.enumerated().map { index, name in
            let place = section.columns.firstIndex(of: name).map { width + section.columns.count + $0 } ?? index
            return "\(cell(name)) \(equals(name)) (archived.r ->> \(place))::\(section.types[index])"
        }
        return "(\(hasKey) or \(now.joined(separator: " and ")))"
    }

    /// Whether the deletion may have given them another key.
    var areMoved: Bool { width > 0 && section.key.contains(where: section.columns.contains) }

    private func equals(_ name: String) -> String { relation.key.first { $0.name == name }?.equals ?? "=" }

    private var hasKey: String {
        section.key.enumerated().map { index, name in
            let place = section.kind == .changed ? index : section.columns.firstIndex(of: name) ?? 0
            return "\(cell(name)) \(equals(name)) \(value(place))"
        }.joined(separator: " and ")
    }

    /// Whether a column of the row `t` holds something else than the archive; texts, since 1.10 equals 1.1 and is not it.
    func differs(_ place: Int, _ name: String) -> String {
        "\(cell(name))::pg_catalog.text is distinct from \(value(place))::pg_catalog.text"
    }

    /// The table as a statement looks into it: rows on other servers are fetched first, those alone that the archive has.
    func near(_ number: Int = 1) -> String {
        guard isDistributed, let key = section.key.first else { return ownRows }
        let place = section.kind == .changed ? 0 : section.columns.firstIndex(of: key) ?? 0
        return fetched(where: "\(cell(key)) = any (select \(value(place)) from \(source(number)))")
    }

    /// Rows on other servers with whether this transaction wrote them, which nobody can tell elsewhere.
    func fetched(where condition: String) -> String {
        "(select t.*, (\(ownWrite)) as \"usher own\" from \(ownRows) t where \(condition) offset 0)"
    }

    /// Whether a row `t` was written by this transaction.
    var isOwn: String { isDistributed ? "t.\"usher own\"" : ownWrite }

    /// What is of every row `t` that is there.
    var mark: String { isDistributed ? "t.\"usher own\"" : "t.tableoid" }

    func source(_ number: Int) -> String { "pg_catalog.unnest($\(number)::pg_catalog.jsonb[]) as archived (r)" }

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

    /// What identifies a row, for people.
    func key(of row: String) -> Query {
        let pairs = section.key.enumerated().map { number, name in
            let place = section.columns.firstIndex(of: name) ?? 0
            return "$\(number + 2)::pg_catalog.text || ' = ' || ($1::pg_catalog.jsonb ->> \(place))"
        }
        return Query(
            unsafe: "select pg_catalog.concat_ws(', ', \(pairs.joined(separator: ", "))) as key", [row] + section.key)
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

    /// Gives the rows what the archive holds of them, all of it or some columns, where they hold something else; of rows that get
    /// their keys back it says which.
    func correction(of columns: Set<String>? = nil, in graph: Graph) -> Query? {
        let settable = settable.filter { columns?.contains($0.name) ?? true }
        guard !section.key.isEmpty, !settable.isEmpty else { return nil }
        if isDistributed { return correctionElsewhere(of: settable) }
        let sets = settable.map { "\(Identifier($0.name).quoted) = \(value($0.place))" }
        return Query(
            unsafe: """
                update \(ownRows) t set \(sets.joined(separator: ", ")) from \(source(1))
                 where \(isSame) and (\(settable.map { differs($0.place, $0.name) }.joined(separator: " or ")))\(steps(in: graph))
                """, [rows])
    }

    private func steps(in graph: Graph) -> String {
        guard areMoved else { return "" }
        let steps = MovedRows.Step.outputs(of: relation, in: graph) { name in
            let place = section.columns.firstIndex(of: name).map { width + section.columns.count + $0 }
            return place.map { "archived.r ->> \($0)" } ?? asText(name)
        }
        return " returning \(steps)"
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
}
