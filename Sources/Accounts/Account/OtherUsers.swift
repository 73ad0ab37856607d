internal import Catalog
internal import PQ

/// How other users are named in columns that nothing declares, to tell whose a row is that only mentions somebody.
struct OtherUsers {
    private let root: AccountRoot
    private let users: Graph.Table
    private let needles: Needles
    private let candidates: [UInt32: [SuspectSearch.Candidate]]

    init?(_ map: AccountMap, needles: Needles, candidates: [SuspectSearch.Candidate]) {
        guard let users = map.graph.tables[map.root.oid] else { return nil }
        (root, self.users, self.needles) = (map.root, users, needles)
        self.candidates = Dictionary(grouping: candidates, by: \.table)
    }

    /// The condition under which a row `t` of a table names a user who stays; nil where nothing could tell.
    func isNamed(in table: UInt32, _ bindings: inout Bindings) -> String? {
        var tests: [String] = []
        for candidate in candidates[table] ?? [] {
            let text = "\(cell(candidate.column))::pg_catalog.text"
            switch candidate.kind {
            case .key: continue
            case .list where isNumber && !candidate.isTelling: continue
            case .list:
                let suspicion = Suspicion(candidate: candidate, needles: needles, name: "")
                if let other = suspicion.namesAnother(than: users, &bindings) { tests.append(other) }
            case .text, .json:
                if let pattern = pattern(candidate) { tests.append(holdsKey(text, pattern, &bindings)) }
                if let users = needles.users { tests.append(holdsAddress(text, of: users, &bindings)) }
            }
        }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }

    /// What the key of a user looks like in a column, its value in parentheses; nil where it looks like anything else.
    private func pattern(_ candidate: SuspectSearch.Candidate) -> String? {
        if root.type == "uuid" { return "([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})" }
        let value = isNumber ? "([0-9]{1,18})" : "([^\"]+)"
        if candidate.kind == .json {
            return "\"[a-z_]*\(needles.word)[a-z_]*\"+ *: *\"*\(value)(?![0-9.])"
        }
        return candidate.isTelling ? "^\(value)$" : nil
    }

    private var isNumber: Bool { ["smallint", "integer", "bigint", "numeric"].contains(root.type) }

    private func holdsKey(_ text: String, _ pattern: String, _ bindings: inout Bindings) -> String {
        let type = isNumber ? "bigint" : root.type
        let equals = isNumber ? "operator(pg_catalog.=)" : root.equals
        let found = "m.parts[1]::\(type)"
        let own = bindings.bind(arrayLiteral(root.values), as: "\(isNumber ? "numeric" : root.type)[]")
        return """
            exists (select from pg_catalog.regexp_matches(\(text), \(bindings.bind(pattern, as: "text")), 'gi') as m (parts) \
            where (\(found) \(equals) any (\(own))) is not true \
            and exists (select from (select \(cell(root.column)) as k0 from \(users.ownRows) t) users \
            where users.k0 \(equals) \(found)))
            """
    }

    private func holdsAddress(_ text: String, of users: String, _ bindings: inout Bindings) -> String {
        let own = bindings.bind(
            arrayLiteral((needles.addresses + needles.furtherAddresses).map { $0.lowercased() }), as: "text[]")
        return """
            exists (select from pg_catalog.regexp_matches(pg_catalog.lower(\(text)), \
            '[[:alnum:]._%+-]+@[[:alnum:].-]*[[:alnum:]]', 'g') as m (parts) \
            where m.parts[1] <> all (\(own)) and m.parts[1] = any (\(users)))
            """
    }
}
