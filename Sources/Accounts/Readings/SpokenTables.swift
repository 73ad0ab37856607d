internal import Catalog
internal import PQ

extension Readings {
    /// The tables that words in rows name: `Post`, `Blog::Post`, or a row of a list of tables with its texts.
    struct SpokenTables {
        private let byForm: [String: Set<UInt32>]
        /// How many words the longest of those has: what is longer, as a sentence is, names a table with its last words alone.
        private let mostWords: Int
        private let users: Set<UInt32>
        private let graph: Graph
        private let lexicon: Lexicon

        init(_ graph: Graph, users: Set<UInt32>, _ lexicon: Lexicon) {
            var byForm: [String: Set<UInt32>] = [:]
            for table in graph.tables.values where table.partitionOf == nil && !table.isElsewhere {
                for form in lexicon.forms(of: table.name) { byForm[form, default: []].insert(table.oid) }
            }
            mostWords = byForm.keys.map { $0.split(separator: "_").count }.max() ?? 0
            (self.byForm, self.users, self.graph, self.lexicon) = (byForm, users, graph, lexicon)
        }

        /// Those that a word names, with what stands before it or without: where there is a table of `blog_posts`,
        /// `Blog::Post` is of those.
        func called(_ text: String) -> Set<UInt32> {
            // With its schema it is that one and no other.
            if let table = graph.table(text), table.partitionOf == nil, !table.isElsewhere { return [table.oid] }
            let words = Lexicon.words(of: text)
            for start in words.indices.suffix(mostWords) {
                let found = tables(words[start...].joined(separator: "_"))
                if !found.isEmpty { return found }
            }
            return []
        }

        /// Those that texts name together, though a title may come first.
        private func called(_ texts: [String]) -> Set<UInt32> {
            let words = texts.map { Lexicon.words(of: $0).joined(separator: "_") }
            for start in words.indices.dropLast() {
                let found = tables(words[start...].joined(separator: "_"))
                if !found.isEmpty { return found }
            }
            // The table of users may be called otherwise than the others of its kind.
            return tables(words.last ?? "").intersection(users)
        }

        private func tables(_ name: String) -> Set<UInt32> {
            lexicon.forms(of: name).reduce(into: Set<UInt32>()) { $0.formUnion(byForm[$1] ?? []) }
        }

        /// How a row of a table is spoken of where nothing says so yet.
        func words(for table: UInt32) -> [String] {
            lexicon.forms(of: graph.tables[table]?.name ?? "").flatMap { form in
                let camel = form.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
                return [form, camel]
            }.sorted()
        }

        /// Asks what stands beside a column for tables: words, or rows of a list of tables with their texts.
        func question(about column: OpenColumn) -> Query? {
            guard let type = column.typeColumn, let child = graph.tables[column.table], !child.isEmpty,
                column.isReadable,
                !child.asksElsewhere
            else { return nil }
            let rows = values(of: cell(type), in: child, isIndexed: !column.isTypeSupposed)
            guard let list = column.typeList else {
                return Query(unsafe: "select w.type, array[w.type] as texts from (\(rows)) w where w.type is not null")
            }
            guard let table = graph.tables[list.table], table.isReadable, !table.isSecured, !list.texts.isEmpty else {
                return nil
            }
            let texts = list.texts.map { "t.\(Identifier($0).quoted)::pg_catalog.text" }.joined(separator: ", ")
            let key = "\(cell(list.key))::pg_catalog.text"
            return Query(
                unsafe: """
                    select \(key) as type, array[\(texts)]::pg_catalog.text[] as texts from \(table.ownRows) t \
                    where \(key) in (\(rows))
                    """)
        }

        /// More texts than these in one column name no tables.
        private static let mostTexts = 1000

        /// What stands in a column; in a big table one value after the other, as an index serves it.
        private func values(of column: String, in table: Graph.Table, isIndexed: Bool) -> String {
            let (rows, most) = ("from \(table.ownRows) t where", Self.mostTexts + 1)
            guard isIndexed, table.pages > Reading.manyPages else {
                return "select distinct \(column)::pg_catalog.text as type \(rows) \(column) is not null limit \(most)"
            }
            return """
                with recursive types (type) as ((select \(column) \(rows) \(column) is not null order by 1 limit 1) union all \
                select (select \(column) \(rows) \(column) > types.type order by 1 limit 1) from types where types.type is not null) \
                select type::pg_catalog.text as type from types where type is not null limit \(most)
                """
        }

        /// The words in the answer, by the tables that they name, and those that name none: all of too many.
        func read(
            _ answer: Rows, beside column: OpenColumn
        ) throws(DecodingFailure) -> (meant: [UInt32: [String]], unknown: [String]) {
            var (meant, unknown): ([UInt32: [String]], [String]) = ([:], [])
            for row in answer.rows {
                let word = try row.text("type")
                let tables = try column.typeList == nil ? called(word) : called(row.texts("texts"))
                if tables.isEmpty { unknown.append(word) }
                for table in tables { meant[table, default: []].append(word) }
            }
            if answer.rows.count > Self.mostTexts { return ([:], unknown + meant.values.joined()) }
            // What stands beside a key may be called like it and be its title.
            if column.isTypeSupposed, unknown.count * 2 > answer.rows.count { return ([:], unknown.sorted()) }
            return (meant.mapValues { $0.sorted() }, unknown.sorted())
        }
    }
}

extension Candidates {
    /// Columns beside which others may say, whatever those are called, which table is meant: most of their words name one.
    ///
    /// A word names a table by chance, and a small number stands in any; so the words have to tell the values apart. What rows with one
    /// word hold stands where that word says, and is not all found where another one says, or stands nowhere by chance.
    struct SupposedTypes {
        /// The columns that say so, by the places of those that may be keys.
        private(set) var columns: [Int: String] = [:]
        private var values: [Int: [Reading.Key: [String]]] = [:]

        init(_ all: [OpenColumn], _ samples: Samples, _ named: Readings.SpokenTables) {
            let byTable = Dictionary(grouping: all.indices, by: { all[$0].table })
            for places in byTable.values {
                let saying = places.first { place in
                    let column = all[place]
                    guard [.text, .word].contains(column.kind), !column.isList, !column.isUnique, column.isReadable
                    else {
                        return false
                    }
                    let words = Set(samples[column.key])
                    var unknown = 0
                    for word in words where named.called(word).isEmpty {
                        unknown += 1
                        // Of most columns a few words show that they name no tables.
                        if 2 * unknown > words.count { return false }
                    }
                    return unknown < words.count
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
        func holds(at place: Int, _ standing: [Reading.Key: Evidence.Standing], _ parents: Parents) -> Bool {
            let said = (values[place] ?? [:]).filter { !$0.value.isEmpty }
            guard !said.isEmpty,
                said.keys.allSatisfy({ key in standing[key].map { 5 * $0.hits >= 4 * $0.values } ?? false })
            else { return false }
            if said.keys.contains(where: { (standing[$0]?.bits ?? 0) >= Evidence.Standing.speaking }) { return true }
            return said.contains { key, some in
                said.keys.contains { other in
                    guard other != key, let range = parents[other]?.range else { return false }
                    return some.contains { value in Double(value).map { !range.contains($0) } ?? true }
                }
            }
        }
    }
}
