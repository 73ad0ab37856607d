internal import Catalog
internal import EmbeddedSQL
internal import PQ

/// Columns that hold the person although nothing declares it: reported, and acted on only when somebody says how.
package struct Suspect: Sendable, Hashable {
    package enum Kind: String, Sendable { case key, text, address, word, list, json }

    package let table: String
    package let column: String
    package let kind: Kind
    /// Rows that hold the id or an address, besides those that the deletion takes anyway.
    package let rows: Int
    /// Whether it is the person beyond doubt; a bare number may count something else.
    package let isCertain: Bool
    /// Whether it is a materialized view, which nothing but a refresh changes.
    package let isCopy: Bool

    package var why: String {
        if isCopy { return "a materialized view: refresh it" }
        return switch kind {
        case .key where !isCertain: "holds the same number, without a foreign key"
        case .key: "holds the id, without a foreign key"
        case .text: "holds the id as text"
        case .address: "holds an address of the person"
        case .word, .list: "holds the id or an address as a text"
        case .json: "mentions the id or an address"
        }
    }

    static func inOrder(_ suspects: [Suspect]) -> [Suspect] {
        suspects.sorted { ($0.table, $0.column) < ($1.table, $1.column) }
    }
}

/// Looks for suspects.
struct SuspectSearch {
    /// A column that may hold a person.
    struct Candidate {
        let table: UInt32
        let column: String
        let type: String
        let kind: Suspect.Kind
    }

    let closure: AccountClosure
    let candidates: [Candidate]
    let needles: Needles
    /// Columns of that kind that this role may not see whole, in tables that hold something.
    let hidden: [String]

    /// Asks which columns may hold a value of the root; those of empty tables only when they may fill meanwhile.
    static func query(_ root: AccountRoot, _ graph: Graph, withEmptyTables: Bool) -> Query {
        let tables = graph.tables.values.filter { $0.partitionOf == nil && (withEmptyTables || !$0.isEmpty) }
        let all = Set(tables.flatMap { [$0.oid] + $0.inherits }).sorted()
        return Query(
            EmbeddedSQL.text(of: "catalog/suspects.sql"),
            [
                root.type, Needles.isTelling(root.type) ? "t" : "f", arrayLiteral(all.map(String.init)),
                arrayLiteral(graph.tables.values.filter(\.isSecured).map { String($0.oid) }),
            ])
    }

    init(_ closure: AccountClosure, needles: Needles, _ answer: Rows) throws(DecodingFailure) {
        self.closure = closure
        self.needles = needles
        let map = closure.map
        var candidates: [Candidate] = []
        var hidden: [String] = []
        for row in answer.rows {
            guard let kind = Suspect.Kind(rawValue: try row.text("kind")) else { continue }
            let candidate = Candidate(
                table: try row.identifier("table"), column: try row.text("column"), type: try row.text("type"),
                kind: kind)
            let isOverwritten = map.anonymised[candidate.table]?.contains { $0.column == candidate.column } ?? false
            let isDeclared = (map.linksByChild[candidate.table] ?? []).contains { id in
                map.links[id].reference == nil
                    && map.links[id].columns.contains { $0.expression.hasPrefix(cell(candidate.column)) }
            }
            if isOverwritten || isDeclared || map.kept[candidate.table] != nil { continue }
            if map.name(candidate.table) == AccountMap.fileTable { continue }
            if map.isSpared(candidate.table, candidate.column, kind) { continue }
            if try row.boolean("readable") {
                candidates.append(candidate)
            } else if map.graph.tables[candidate.table]?.isEmpty != true {
                hidden.append("\(map.name(candidate.table)).\(candidate.column)")
            }
        }
        self.candidates = candidates
        self.hidden = hidden
    }

    /// The suspects that hold something; a second look leaves no table out, since empty ones fill.
    func run(asking ask: Ask, again: Bool = false) throws(Failure) -> [Suspect] {
        let tables = Dictionary(grouping: candidates.indices, by: { candidates[$0].table }).sorted { $0.key < $1.key }
        var questions: [(columns: [Int], query: Query)] = []
        for (table, columns) in tables {
            guard let relation = closure.map.graph.tables[table], again || !isEmpty(relation) else { continue }
            var bindings = Bindings()
            let tests = columns.map { test(candidates[$0], &bindings) }
            var condition = "(\(tests.joined(separator: " or ")))"
            if let deleted = closure.condition(of: table, &bindings) { condition += " and (\(deleted)) is not true" }
            let counts = tests.map { "pg_catalog.count(*) filter (where \($0))" }
            let sql = "select \(counts.joined(separator: ", ")) from \(relation.sql) t where \(condition)"
            questions.append((columns, Query(sql, bindings.values)))
        }
        var found: [Suspect] = []
        for ((columns, _), answer) in zip(questions, try ask(questions.map(\.query))) {
            for (place, index) in columns.enumerated() {
                guard let rows = answer.first?.values[place].text.flatMap({ Int($0) }), rows > 0 else { continue }
                found.append(suspect(candidates[index], rows: rows))
            }
        }
        return Suspect.inOrder(found)
    }

    func suspect(_ candidate: Candidate, rows: Int) -> Suspect {
        Suspect(
            table: closure.map.name(candidate.table), column: candidate.column, kind: candidate.kind, rows: rows,
            isCertain: candidate.kind != .key || Needles.isTelling(needles.root.type),
            isCopy: closure.map.graph.tables[candidate.table]?.isCopy ?? false)
    }

    /// Whether neither the table nor what inherits from it has a row.
    private func isEmpty(_ table: Graph.Table) -> Bool {
        table.isEmpty && closure.map.graph.heirs[table.oid] == nil
    }

    /// The statement that deletes or empties what a suspect holds.
    func statement(_ suspect: Suspect, _ answer: SuspectAnswer) -> Query? {
        // A refresh is its owner's, and only makes sense behind the deletion.
        if suspect.isCopy { return nil }
        guard
            let candidate = candidates.first(where: { candidate in
                closure.map.name(candidate.table) == suspect.table && candidate.column == suspect.column
            }), let relation = closure.map.graph.tables[candidate.table]
        else { return nil }
        var bindings = Bindings()
        let condition = test(candidate, &bindings)
        switch answer {
        case .delete: return Query("delete from \(relation.sql) t where \(condition)", bindings.values)
        case .detach:
            let column = Identifier(candidate.column).quoted
            return Query("update \(relation.sql) t set \(column) = null where \(condition)", bindings.values)
        case .keep: return nil
        }
    }

    /// The condition under which a column holds the person.
    private func test(_ candidate: Candidate, _ bindings: inout Bindings) -> String {
        needles.test(candidate.column, candidate.kind, type: candidate.type, &bindings)
    }
}

/// What a person is called in other people's columns: the values of the root, and addresses.
struct Needles {
    let root: AccountRoot
    let addresses: [String]

    /// Whether a value of the type names one thing in the world, so that finding it anywhere means something.
    static func isTelling(_ type: String) -> Bool { ["uuid", "text", "character varying"].contains(type) }

    /// All texts to look for inside of others.
    var texts: [String] { (Self.isTelling(root.type) ? root.values : []) + addresses }

    /// The texts that mean the person wherever they stand by themselves, in small letters: a short name may mean anything.
    var words: [String] {
        texts.filter { $0.contains("@") || root.type == "uuid" || $0.utf8.count >= 12 }.map { $0.lowercased() }
    }

    /// The texts as patterns for LIKE.
    var patterns: [String] {
        texts.map { text in
            "%" + text.unicodeScalars.map { "%_\\".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined() + "%"
        }
    }

    /// The condition under which a column of a row `t` holds one of them.
    func test(_ column: String, _ kind: Suspect.Kind, type: String, _ bindings: inout Bindings) -> String {
        let column = cell(column)
        switch kind {
        case .key:
            return "\(column) \(root.equals) any (\(bindings.bind(arrayLiteral(root.values), as: root.type + "[]")))"
        case .text:
            // Ids are written in either case; other texts mean what they say.
            let isFolded = root.type == "uuid"
            let text = isFolded ? "pg_catalog.lower(\(column)::pg_catalog.text)" : "\(column)::pg_catalog.text"
            return "\(text) = any (\(bindings.bind(arrayLiteral(root.values), as: "text[]")))"
        case .address:
            let folded = arrayLiteral(addresses.map { $0.lowercased() })
            return "pg_catalog.lower(\(column)::pg_catalog.text) = any (\(bindings.bind(folded, as: "text[]")))"
        case .word:
            return
                "pg_catalog.lower(\(column)::pg_catalog.text) = any (\(bindings.bind(arrayLiteral(words), as: "text[]")))"
        case .list:
            let words = bindings.bind(arrayLiteral(words), as: "text[]")
            return
                "exists (select from pg_catalog.unnest(\(column)::pg_catalog.text[]) w where pg_catalog.lower(w) = any (\(words)))"
        case .json:
            let folded = arrayLiteral(patterns.map { $0.lowercased() })
            return "pg_catalog.lower(\(column)::pg_catalog.text) like any (\(bindings.bind(folded, as: "text[]")))"
        }
    }

    /// Asks for the addresses in the rows of users that go: columns that are named so and hold an @.
    static func queries(_ closure: AccountClosure, _ columns: TableColumns) -> [Query] {
        closure.map.userTables.sorted().flatMap { table -> [Query] in
            guard let relation = closure.map.graph.tables[table], (closure.found[table]?.rows ?? 0) > 0 else {
                return []
            }
            let named = (columns.names[table] ?? []).filter { columns.isAddress(table, $0) }
            return named.compactMap { name in
                var bindings = Bindings()
                guard var condition = closure.condition(of: table, &bindings) else { return nil }
                // Another's row that goes along says nothing about this person.
                if let shared = closure.isShared(table, &bindings) {
                    condition = "(\(condition)) and (\(shared)) is not true"
                }
                return Query(
                    "select distinct \(cell(name))::pg_catalog.text as address from \(relation.ownRows) t "
                        + "where (\(condition)) and \(cell(name))::pg_catalog.text like '%_@_%' limit 1000",
                    bindings.values)
            }
        }
    }
}
