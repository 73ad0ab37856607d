internal import Asking
internal import Catalog
internal import PQ

extension Candidates {
    /// Values of columns, spread over all that there are: what the planner remembers, else what stands in some blocks.
    struct Samples {
        /// By table and column.
        private(set) var values: [Reading.Key: [String]] = [:]
        /// The share of rows that have none.
        private(set) var empty: [Reading.Key: Double] = [:]

        /// How many rows tables have that the planner knows nothing of.
        private(set) var rows: [UInt32: Double] = [:]

        /// Texts that may name somebody, of columns of which most say something else.
        private var named: [Reading.Key: [String]] = [:]

        /// How many values of a column are looked up.
        static let most = 30
        private static let pages = 30
        /// To look through half a megabyte for texts that name somebody takes some milliseconds.
        private static let namingPages = 64

        /// None, of nothing.
        init() {}

        init(of columns: [OpenColumn], in graph: Graph, asking ask: Ask) throws(Failure) {
            let seen = columns.filter { column in
                column.isReadable && graph.tables[column.table].map { !$0.isEmpty && !$0.isForeign } ?? false
            }
            let remembered = Query(
                file: "catalog/samples.sql",
                [arrayLiteral(seen.map { String($0.table) }), arrayLiteral(seen.map(\.name))])
            let answer = try ask([remembered])[0]
            try decoding { () throws(DecodingFailure) in
                for row in answer.rows {
                    let key = Reading.Key(table: try row.identifier("table"), column: try row.text("column"))
                    values[key] = try row.texts("values")
                    empty[key] = Double(try row.text("empty"))
                }
            }
            // What is written out at length is remembered by nobody.
            let unknown = seen.filter { column in
                let key = column.key
                return values[key].map { $0.isEmpty && empty[key] != 1 } ?? true
            }
            let tables = Dictionary(grouping: unknown, by: \.table).sorted { $0.key < $1.key }.filter { table, _ in
                graph.tables[table]?.asksElsewhere == false
            }
            let answers = try ask(
                tables.compactMap { table, columns in graph.tables[table].map { Self.blocks(columns, $0) } })
            for ((table, columns), answer) in zip(tables, answers) {
                try decoding { () throws(DecodingFailure) in
                    let row = try answer.only()
                    rows[table] =
                        Double(try row.integer("n")) * 100 / (graph.tables[table].map { Self.share(of: $0) } ?? 100)
                    for (place, column) in columns.enumerated() { values[column.key] = try row.texts("v\(place)") }
                }
            }
        }

        subscript(key: Reading.Key) -> [String] { values[key] ?? [] }

        /// Those texts of a column that may name somebody, though few do.
        func naming(_ key: Reading.Key) -> [String] { named[key] ?? [] }

        /// Looks through some blocks of each table for texts that hold addresses, or uuids where those are keys: of what is seldom a
        /// sample of all values shows nothing.
        mutating func lookForNames(
            in columns: [OpenColumn], asUUIDs: Bool, of graph: Graph, asking ask: Ask
        ) throws(Failure) {
            let texts = columns.filter { $0.kind == .text && !$0.isList && !$0.isOwnKey && $0.isReadable }
            let tables = Dictionary(grouping: texts, by: \.table).sorted { $0.key < $1.key }.compactMap {
                oid, columns in
                graph.tables[oid].flatMap { $0.isEmpty || $0.isForeign || $0.asksElsewhere ? nil : ($0, columns) }
            }
            for ((_, columns), answer) in zip(tables, try ask(tables.map { Self.naming($1, $0, asUUIDs: asUUIDs) })) {
                try decoding { () throws(DecodingFailure) in
                    let row = try answer.only()
                    for (place, column) in columns.enumerated() { named[column.key] = try row.texts("v\(place)") }
                }
            }
        }

        private static func naming(_ columns: [OpenColumn], _ table: Graph.Table, asUUIDs: Bool) -> Query {
            let cells = columns.enumerated().map { "\(cell($1.name))::pg_catalog.text as c\($0)" }
            let patterns = ["%_@_%"] + (asUUIDs ? ["%________-____-____-____-____________%"] : [])
            let lists = columns.indices.map { place in
                let tests = patterns.map { "c\(place) operator(pg_catalog.~~) '\($0)'" }.joined(separator: " or ")
                let texts = "select distinct pg_catalog.left(c\(place), 4000) as v from s where \(tests)"
                return "array(select d.v from (\(texts)) d order by pg_catalog.md5(d.v) limit \(most)) as v\(place)"
            }
            let rows =
                "select \(cells.joined(separator: ", ")) from \(table.ownRows) t\(sample(of: table, pages: namingPages)) limit 20000"
            return Query(unsafe: "with s as materialized (\(rows)) select \(lists.joined(separator: ", "))")
        }

        /// The share of a table that is read, in hundredths.
        private static func share(of table: Graph.Table, pages: Int = pages) -> Double {
            table.isPartitioned ? 100 : min(100, 100 * Double(pages) / Double(max(1, table.pages)))
        }

        private static func sample(of table: Graph.Table, pages: Int = pages) -> String {
            let share = share(of: table, pages: pages)
            return share < 100 ? " tablesample system (\(share)) repeatable (1)" : ""
        }

        /// Asks some blocks of a table, never its first ones alone.
        private static func blocks(_ columns: [OpenColumn], _ table: Graph.Table) -> Query {
            let sample = sample(of: table)
            let cells = columns.enumerated().map { place, column in
                let value = cell(column.name)
                return (column.isList ? value : "pg_catalog.left(\(value)::pg_catalog.text, 4000)") + " as c\(place)"
            }
            let lists = columns.enumerated().map { place, column in
                let from = column.isList ? "s, pg_catalog.unnest(c\(place)) as l (k)" : "s"
                let value = column.isList ? "k::pg_catalog.text" : "c\(place)"
                let all = "select distinct \(value) as v from \(from) where \(value) is not null"
                return "array(select d.v from (\(all)) d order by pg_catalog.md5(d.v) limit \(most)) as v\(place)"
            }
            let rows = "select \(cells.joined(separator: ", ")) from \(table.ownRows) t\(sample) limit 20000"
            return Query(
                unsafe:
                    "with s as materialized (\(rows)) select \(lists.joined(separator: ", ")), (select pg_catalog.count(*) from s) as n"
            )
        }
    }
}

extension Candidates {
    /// Keys that columns may refer to, and how much it says that a value stands among them.
    struct Parents {
        struct Parent {
            let key: Reading.Key
            let kind: OpenColumn.Kind
            /// Whether it is the primary key, or another of the users: what else is unique may well be a reference itself.
            let isKey: Bool
            /// How likely a value of the column would stand there by chance.
            let density: Double
            /// The numbers, or the lengths of the texts, between which the keys lie.
            let range: ClosedRange<Double>
            /// How numbers lie there, as a sample shows them, since they may lie in heaps.
            ///
            /// With it how many there are, and the number from which on they may stand; nil for other keys.
            var spread: (sample: [Double], rows: Double, start: Double)?

            /// How likely some values would stand there by chance: where numbers up to the highest of them are denser than all, so
            /// likely as among those.
            func density(among values: [String]) -> Double {
                guard let spread, let most = values.compactMap(Double.init).max(), most < range.upperBound else {
                    return density
                }
                let share = Double(spread.sample.count { $0 <= most }) / Double(max(1, spread.sample.count))
                return max(density, min(0.999, share * spread.rows / max(1, most - spread.start + 1)))
            }

            /// Whether its keys are texts so long that no other word is one of them.
            var isLong: Bool { kind == .text && range.lowerBound >= 10 }
            /// Whether foreign keys refer to it, of a table of users: so may other columns, however short its keys are.
            let isReferred: Bool
        }

        private var parents: [Reading.Key: Parent] = [:]
        private let graph: Graph

        /// The keys of all tables that hold something, whose samples are known.
        ///
        /// What the database counts has gaps where rows went, and to stand in none says nothing. Numbers of users lie anywhere up to the
        /// highest: that others lie as far from the beginning says something; those of other tables say so only among themselves.
        init(_ columns: [OpenColumn], _ samples: Samples, in graph: Graph, users: UInt32) {
            self.graph = graph
            for column in columns where column.isUnique && !column.isList {
                guard let table = graph.tables[column.table], !table.isEmpty, column.isReadable else { continue }
                let values = samples[column.key].filter { Self.says($0, column.kind) }
                guard !values.isEmpty else { continue }
                let (density, range): (Double, ClosedRange<Double>)
                var spread: (sample: [Double], rows: Double, start: Double)?
                switch column.kind {
                case .number:
                    let numbers = values.compactMap(Double.init)
                    guard let low = numbers.min(), let high = numbers.max() else { continue }
                    let span = max(1, high - low + 1)
                    let rows = max(Double(table.rows), samples.rows[table.oid] ?? 0, Double(values.count))
                    let possible = column.table == users ? max(span, high) : span
                    (density, range) = (min(0.999, (column.isMadeUp ? span : rows) / possible), low...high)
                    spread = (numbers, rows, column.table == users ? min(1, low) : low)
                case .uuid, .bytes: (density, range) = (1e-18, 0...0)
                case .text:
                    let lengths = values.map { Double($0.utf8.count) }
                    guard let low = lengths.min(), let high = lengths.max() else { continue }
                    // Two letters of a short word say a bit or two each; a word of many letters is one thing in the world.
                    let mean = lengths.reduce(0, +) / Double(lengths.count)
                    (density, range) = (max(1e-18, 1 / (1 + mean * mean * mean)), low...high)
                case .document, .same, .word: continue
                }
                let isReferred = column.table == users && graph.isReferred(column.key)
                parents[column.key] = Parent(
                    key: column.key, kind: column.kind,
                    isKey: (column.isOwnKey || column.kind == .uuid || column.isOther(keyOf: users) || isReferred)
                        && column.spoken.isEmpty, density: density, range: range,
                    spread: spread, isReferred: isReferred)
            }
        }

        /// Where values are as likely to stand by chance, that they do says nothing.
        static let most = 0.5

        subscript(key: Reading.Key) -> Parent? { parents[key] }

        /// The keys that some values may be found among by chance alone so rarely that it says something if they are.
        func telling(_ values: [String], besides own: Reading.Key) -> [Parent] {
            parents.values.filter { parent in
                guard parent.density < Self.most, parent.isKey, parent.key != own else { return false }
                // A key of another kind that these can be written as: a uuid in a text.
                let fitting = values.filter { Self.says($0, parent.kind) }
                guard 2 * fitting.count > values.count else { return false }
                switch parent.kind {
                case .uuid, .bytes, .document, .same, .word: return true
                case .number:
                    return 2 * fitting.filter { Double($0).map(parent.range.contains) ?? false }.count > values.count
                case .text:
                    return (parent.isLong || parent.isReferred)
                        && fitting.contains { parent.range.contains(Double($0.utf8.count)) }
                }
            }.sorted { ($0.key.table, $0.key.column) < ($1.key.table, $1.key.column) }
        }

        /// Asks which of the values of some columns stand among the keys; the columns are told by their places.
        func question(_ key: Reading.Key, _ kind: OpenColumn.Kind, _ values: [(place: Int, value: String)]) -> Query? {
            guard let table = graph.tables[key.table] else { return nil }
            let type =
                switch kind {
                case .number: "int8"
                case .uuid: "uuid"
                case .bytes: "bytea"
                case .text, .document, .same, .word: "text"
                }
            // Rows on other servers are fetched first, and no more of them than can be meant.
            let meant = "where \(cell(key.column)) = any ($2::pg_catalog.text[]::pg_catalog.\(type)[])\(table.apart)"
            let those =
                table.isDistributed ? "(select \(cell(key.column)) from \(table.ownRows) t \(meant))" : table.ownRows
            let rows = "select from \(those) t where \(cell(key.column)) = s.value::pg_catalog.\(type)"
            return Query(
                unsafe: """
                    select s.place, pg_catalog.count(*) from rows from (\
                    pg_catalog.unnest($1::pg_catalog.int4[]), pg_catalog.unnest($2::pg_catalog.text[])) as s (place, value) where exists (\(rows)) group by 1
                    """, [arrayLiteral(values.map { String($0.place) }), arrayLiteral(values.map(\.value))])
        }

        /// Whether a text can be a key of a kind: 0, -1 and the nil uuid are none.
        static func says(_ value: String, _ kind: OpenColumn.Kind) -> Bool {
            switch kind {
            case .number:
                let digits = value.hasPrefix("-") ? value.dropFirst() : value[...]
                return !digits.isEmpty && digits.utf8.count <= 18 && !["0", "-1"].contains(value)
                    && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            case .uuid:
                let letters = value.utf8.filter { $0 != UInt8(ascii: "-") }
                return letters.count == 32 && [32, 36].contains(value.utf8.count)
                    && letters.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
                    && letters.contains { $0 != UInt8(ascii: "0") }
            case .bytes: return value.hasPrefix("\\x") && value.utf8.count > 2
            case .text: return !value.isEmpty
            case .document, .same, .word: return false
            }
        }
    }
}

extension OpenColumn {
    /// Whether others may refer by it to rows of the users' table, and not by its primary key; addresses are looked for apart.
    func isOther(keyOf users: UInt32) -> Bool {
        table == users && isUnique && !isOwnKey && !isFillable && !isList && !isAddress
    }
}
