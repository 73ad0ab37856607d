internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Columns that triggers fill from the row they fire for, as their functions say, be there such a row yet or not.
///
/// What they write as rows go is asked about by table, and is not among these.
struct FilledColumns {
    /// By column, the functions that fill it by the columns from which they do.
    private var sources: [Reading.Key: [Reading.Key: Set<String>]] = [:]
    private let map: AccountMap
    private let columns: [Reading.Key: OpenColumn]

    init(of map: AccountMap, asking ask: Ask) throws(Failure) {
        self.map = map
        columns = Dictionary(map.openColumns.map { ($0.key, $0) }) { first, _ in first }
        let tables = map.graph.tables.values.filter { $0.partitionOf == nil }.map(\.oid).sorted()
        let answer = try ask([TriggerEffect.query(of: tables)])[0]
        let triggers = try decoding { () throws(DecodingFailure) in try TriggerEffect.all(answer) }
        // Many triggers have one function.
        var bodies: [String: FunctionBody] = [:]
        for trigger in triggers where trigger.firesOnInsert || trigger.firesOnUpdate {
            let events = Set((trigger.firesOnInsert ? ["insert"] : []) + (trigger.firesOnUpdate ? ["update"] : []))
            for source in trigger.sources {
                let body = bodies[source.text] ?? FunctionBody(source.text)
                bodies[source.text] = body
                if trigger.isBefore { note(body.ownFills, in: trigger.table, by: trigger) }
                for writing in body.writings where !writing.events.isDisjoint(with: events) {
                    guard let table = map.graph.table(writing.table, beside: trigger.table) else { continue }
                    note(writing.fills, in: table.oid, by: trigger)
                }
            }
        }
    }

    private mutating func note(_ fills: [String: Set<String>], in table: UInt32, by trigger: TriggerEffect) {
        for (column, names) in fills {
            for name in names {
                let from = Reading.Key(table: trigger.table, column: name)
                sources[Reading.Key(table: table, column: column), default: [:]][from, default: []].insert(
                    trigger.function)
            }
        }
    }

    /// What speaks for a column, by the keys that stand where it is filled from.
    func evidence(for column: OpenColumn) -> [Reading.Key: Evidence] {
        guard [.number, .uuid, .text, .bytes, .same].contains(column.kind), let sources = sources[column.key] else {
            return [:]
        }
        let all = sources.compactMap { source in parent(of: source.key).map { (parent: $0, source: source) } }
        // Where it says of several things which one, nobody knows it of a row.
        let isOfOne = Set(all.map(\.parent)).count == 1
        return Dictionary(grouping: all, by: \.parent).filter { $0.key != column.key }.mapValues { found in
            evidence(isOfOne ? found.map(\.source) : all.map(\.source), isOfOne: isOfOne)
        }
    }

    /// What speaks for addresses of users in a column.
    func addresses(in column: OpenColumn) -> Evidence? {
        let found = (sources[column.key] ?? [:]).filter { from, _ in
            map.userTables.contains(from.table) && columns[from]?.isAddress == true
        }
        return column.kind == .text && !found.isEmpty ? evidence(Array(found), isOfOne: true) : nil
    }

    private func evidence(_ sources: [(key: Reading.Key, value: Set<String>)], isOfOne: Bool) -> Evidence {
        let from = Set(sources.map { map.path($0.key.table, $0.key.column) }).sorted()
        return Evidence(
            .filled(by: Set(sources.flatMap(\.value)).sorted(), from: from, isOfOne: isOfOne), points: Evidence.asking)
    }

    /// The key that stands in a column: its own, or the one that a foreign key of it refers to.
    private func parent(of column: Reading.Key) -> Reading.Key? {
        if columns[column]?.isOwnKey == true { return column }
        let reference = map.graph.references.first {
            $0.table == column.table && $0.columns.map(\.name) == [column.column]
        }
        return reference.map { Reading.Key(table: $0.referenced, column: $0.columns[0].referenced) }
    }
}
