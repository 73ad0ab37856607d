internal import Catalog
internal import PQ

/// What a person is called in other people's columns: the values of the root, and addresses.
struct Needles {
    let root: AccountRoot
    let addresses: [String]

    private static let numbers = ["smallint", "integer", "bigint", "numeric"]
    /// Numbers of so many digits name one thing in the world, and texts of so many letters stand in no others by chance.
    private static let (fewestDigits, fewestLetters) = (7, 6)

    /// Whether a value of the type names one thing in the world, so that finding it anywhere means something.
    static func isTelling(_ type: String) -> Bool { ["uuid", "text", "character varying"].contains(type) }

    /// Whether a number is so long that it is nothing else wherever it stands.
    static func isLong(_ number: String) -> Bool { number.utf8.count >= fewestDigits }

    private var isNumber: Bool { Self.numbers.contains(root.type) }
    /// The operator that compares a key column with a value of the root; numbers of all widths compare.
    var equals: String { isNumber ? "operator(pg_catalog.=)" : root.equals }
    private var isText: Bool { Self.isTelling(root.type) && root.type != "uuid" }

    /// Keys that are looked for inside of texts as they are written; shorter ones stand in others by chance.
    private var inside: [String] { isText ? root.values.filter { $0.utf8.count >= Self.fewestLetters } : [] }
    /// What counts where it is the whole of a text.
    private func whole(_ isTelling: Bool) -> [String] {
        if isText { return root.values }
        return root.type == "uuid" ? [] : root.values.filter { isTelling || Self.isLong($0) }
    }

    /// The condition under which a column of a row `t` holds the person; nil where nothing could tell.
    func test(_ candidate: SuspectSearch.Candidate, _ bindings: inout Bindings) -> String? {
        let column = cell(candidate.column)
        switch candidate.kind {
        case .key, .list:
            let values =
                isNumber && !candidate.isTelling ? root.values.filter(Self.isLong) : root.values
            guard !values.isEmpty else { return nil }
            if candidate.kind == .key {
                let type = isNumber && root.type != "numeric" ? "bigint" : root.type
                return "\(column) \(equals) any (\(bindings.bind(arrayLiteral(values), as: type + "[]")))"
            }
            let type = isNumber ? "numeric" : root.type
            return
                "(\(column)::\(type)[] operator(pg_catalog.&&) \(bindings.bind(arrayLiteral(values), as: type + "[]")))"
        case .text, .json:
            return mentions(
                "\(column)::pg_catalog.text", isJSON: candidate.kind == .json, isTelling: candidate.isTelling,
                &bindings)
        }
    }

    /// The condition under which a text column is the person as a whole; nil where that says nothing.
    func isWhole(_ candidate: SuspectSearch.Candidate, _ bindings: inout Bindings) -> String? {
        guard candidate.kind == .text else { return nil }
        let texts = bindings.bind(arrayLiteral((root.values + addresses).map { $0.lowercased() }), as: "text[]")
        return "pg_catalog.lower(\(cell(candidate.column))::pg_catalog.text) = any (\(texts))"
    }

    /// The condition under which a row `t`, or JSON in it, speaks of the person; nil where nothing could tell.
    func isSpokenOf(in candidates: [SuspectSearch.Candidate], _ bindings: inout Bindings) -> String? {
        // A number means the user only in a column, or behind a name in JSON, that says so.
        var tests = candidates.filter { $0.kind == .key || $0.kind == .list }.compactMap { test($0, &bindings) }
        if let mentions = mentions("(t.*)::pg_catalog.text", isJSON: true, isTelling: false, &bindings) {
            tests.append(mentions)
        }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }

    /// The condition under which a text holds one of the names, as a word of its own.
    private func mentions(
        _ text: String, isJSON: Bool, isTelling: Bool, _ bindings: inout Bindings
    ) -> String? {
        func bind(_ texts: [String]) -> String { bindings.bind(arrayLiteral(texts), as: "text[]") }
        func words(_ needles: [String], in text: String, _ word: (String) -> String) -> String {
            "\(text) like any (\(bind(needles.map(Self.pattern)))) and \(text) ~ any (\(bind(needles.map(word))))"
        }
        var tests: [String] = []
        let folded = "pg_catalog.lower(\(text))"
        if root.type == "uuid" {
            // Nothing else in the world is called so, whatever stands around it.
            tests.append("\(folded) like any (\(bind(root.values.map { Self.pattern($0.lowercased()) })))")
        }
        if !addresses.isEmpty {
            tests.append(words(addresses.map { $0.lowercased() }, in: folded, Self.address))
        }
        if !inside.isEmpty { tests.append(words(inside, in: text, Self.key)) }
        let whole = whole(isTelling)
        if isJSON {
            let long = isNumber ? whole.filter(Self.isLong) : []
            if !long.isEmpty {
                let numbers = long.map { "(?<![0-9.])\(Self.escaped($0))(?![0-9.])" }
                tests.append("\(text) like any (\(bind(long.map(Self.pattern)))) and \(text) ~ any (\(bind(numbers)))")
            }
            let members = root.type == "uuid" ? [] : root.values.filter { !Self.isLong($0) && !inside.contains($0) }
            if !members.isEmpty {
                let members = members.map { "\"[a-z_]*(\(names))[a-z_]*\"+ *: *\"*\(Self.escaped($0))[\",} ]" }
                tests.append("\(text) ~* any (\(bind(members)))")
            }
        } else if !whole.isEmpty {
            tests.append("\(text) = any (\(bind(whole)))")
        }
        return tests.isEmpty ? nil : "(\(tests.map { "(\($0))" }.joined(separator: " or ")))"
    }

    /// What a member of JSON that holds a user is called, the table of users included: `person` where they are people.
    var names: String {
        "user|owner|author|creat|member|sender|recipient|receiver|actor|assign|person|profile|customer|account|uid|_by"
            + Self.word(of: root)
    }

    /// What one row of the root's table is called, as a further branch of a pattern; empty where it is no plain word.
    static func word(of root: AccountRoot) -> String {
        let table = root.table.split(separator: ".").last.map { $0.lowercased() } ?? ""
        let own = table.hasSuffix("s") ? String(table.dropLast()) : table
        return own.utf8.count > 2 && own.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }
            ? "|\(own)" : ""
    }

    private static func pattern(_ text: String) -> String {
        "%" + text.unicodeScalars.map { "%_\\".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined() + "%"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { ".*+?()[]{}|^$\\-".unicodeScalars.contains($0) ? "\\\($0)" : String($0) }.joined()
    }

    /// Ann is not in Joann, nor in Ann of another domain; a line break in JSON is no letter.
    private static func address(_ text: String) -> String {
        "(?:(?<![[:alnum:]._%+-])|(?<=\\\\[nrtbf]))\(escaped(text))(?![[:alnum:]_]|[.-][[:alnum:]])"
    }

    /// A key between letters or digits is part of another; a file or a path may well be called by one.
    private static func key(_ text: String) -> String {
        "(?:(?<![[:alnum:]])|(?<=\\\\[nrtbf]))\(escaped(text))(?![[:alnum:]])"
    }

    /// Asks for the addresses in the rows of users that go: columns that are named so and hold an @.
    static func queries(
        _ closure: AccountClosure, _ columns: TableColumns, besides secrets: Set<String>
    ) -> [Query] {
        closure.map.userTables.sorted().flatMap { table -> [Query] in
            guard let relation = closure.map.graph.tables[table], (closure.found[table]?.rows ?? 0) > 0 else {
                return []
            }
            let named = (columns.names[table] ?? []).filter { name in
                columns.isAddress(table, name) && !secrets.contains("\(relation.qualifiedName).\(name)")
            }
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
