internal import Asking
internal import Catalog
internal import PQ

/// References that lead outward, from rows of users to rows that nobody else has: what is known of somebody may stand there.
///
/// A survey and a deletion ask by the same test, so that what one of them calls settled the other does not ask about.
struct Outward {
    /// Columns of which no two users hold the same value, though nothing enforces it.
    private(set) var unshared: Set<Reading.Key> = []

    /// Fewer values are different by chance.
    private static let fewest = 20

    /// Without a look at values.
    init() {}

    /// Looks which columns of tables of users hold no value twice.
    init(of map: AccountMap, asking ask: Ask) throws(Failure) {
        var questions: [(key: Reading.Key, query: Query)] = []
        for reference in map.graph.references where !reference.isSingle && map.userTables.contains(reference.table) {
            guard reference.columns.count == 1, let table = map.graph.tables[reference.table],
                !map.userTables.contains(reference.referenced), table.isReadable, !table.isSecured, !table.isEmpty,
                !table.asksElsewhere
            else { continue }
            let name = reference.columns[0].name
            if map.settles(.init(table: table.oid, column: name))
                || map.declares(.init(table: reference.referenced, column: reference.columns[0].referenced))
            {
                continue
            }
            let some = "select \(cell(name)) as v from \(table.ownRows) t where \(cell(name)) is not null limit 20000"
            let counts = "pg_catalog.count(*), pg_catalog.count(distinct s.v::pg_catalog.text)"
            questions.append(
                (Reading.Key(table: table.oid, column: name), Query(unsafe: "select \(counts) from (\(some)) s")))
        }
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let counts = try decoding(try answer.only().integers())
            if counts[0] >= Self.fewest, counts[0] == counts[1] { unshared.insert(question.key) }
        }
    }

    /// Whether what a row of a user refers to may be that user's alone.
    func isHalf(_ reference: Graph.Reference, in map: AccountMap) -> Bool {
        guard reference.columns.count == 1, map.userTables.contains(reference.table),
            !map.userTables.contains(reference.referenced), map.kept[reference.referenced] == nil,
            let other = map.graph.tables[reference.referenced]
        else { return false }
        let column = Reading.Key(table: reference.table, column: reference.columns[0].name)
        let key = Reading.Key(table: reference.referenced, column: reference.columns[0].referenced)
        if map.settles(column) || map.declares(key) { return false }
        return reference.isSingle || map.lexicon.arePeople(other.name) || unshared.contains(column)
    }
}
