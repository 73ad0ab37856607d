internal import Catalog

/// Columns beside which others may say, whatever those are called, which table is meant: most of their words name one.
///
/// A word names a table by chance, and a small number stands in any; so the words have to tell the values apart. What rows with one
/// word hold stands where that word says, and is not all found where another one says, or stands nowhere by chance.
struct SupposedTypes {
    /// The columns that say so, by the places of those that may be keys.
    private(set) var columns: [Int: String] = [:]
    private var values: [Int: [Reading.Key: [String]]] = [:]

    init(_ all: [OpenColumn], _ samples: Samples, _ named: SpokenTables) {
        let byTable = Dictionary(grouping: all.indices, by: { all[$0].table })
        for places in byTable.values {
            let saying = places.first { place in
                let column = all[place]
                guard column.kind == .text, !column.isList, !column.isUnique, column.isReadable else { return false }
                let words = Set(samples[column.key])
                let known = words.filter { !named.called($0).isEmpty }
                return !known.isEmpty && 2 * known.count >= words.count
            }
            guard let saying else { continue }
            for place in places where place != saying {
                let column = all[place]
                guard [.number, .uuid, .text].contains(column.kind), !column.isOwnKey, !column.isList,
                    column.typeColumn == nil, all[saying].typeColumn != column.name
                else { continue }
                columns[place] = all[saying].name
            }
        }
    }

    /// Notes what rows hold that say a table by their word.
    mutating func note(_ some: [String], at place: Int, meaning key: Reading.Key) {
        if columns[place] != nil { values[place, default: [:]][key] = some }
    }

    /// Whether the words tell the values of a column apart.
    func holds(at place: Int, _ standing: [Reading.Key: Standing], _ parents: Parents) -> Bool {
        let said = (values[place] ?? [:]).filter { !$0.value.isEmpty }
        guard !said.isEmpty,
            said.keys.allSatisfy({ key in standing[key].map { 5 * $0.hits >= 4 * $0.values } ?? false })
        else { return false }
        if said.keys.contains(where: { (standing[$0]?.bits ?? 0) >= Standing.speaking }) { return true }
        return said.contains { key, some in
            said.keys.contains { other in
                guard other != key, let range = parents[other]?.range else { return false }
                return some.contains { value in Double(value).map { !range.contains($0) } ?? true }
            }
        }
    }
}
