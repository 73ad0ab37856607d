internal import AppFile
internal import Catalog
internal import PQ

/// References between columns no value of which can ever be the same.
extension AppCheck {
    /// A deletion compares values of two types as texts: keys stand in texts on purpose, but no date is a number.
    mutating func checkReferences() throws(PQError) {
        let references = app.account?.references ?? []
        let compared = references.compactMap { line in line.comparison.map { (line, $0) } }
        let described = try transaction.describe(compared.flatMap { [$0.1.both, $0.1.from, $0.1.to] })
        var doubtful: [(line: App.Account.Reference, from: UInt32, to: UInt32)] = []
        for (index, (line, _)) in compared.enumerated() {
            guard case .failure(let error) = described[3 * index],
                [SQLState.undefinedFunction, .ambiguousFunction].contains(error.state),
                case .success(let from) = described[3 * index + 1], case .success(let to) = described[3 * index + 2],
                let from = from.columns.first?.type, let to = to.columns.first?.type
            else { continue }
            doubtful.append((line, from.rawValue, to.rawValue))
        }
        if doubtful.isEmpty { return }
        let types = Array(Set(doubtful.flatMap { [$0.from, $0.to] }))
        let rows = try transaction.read(Query(file: "catalog/type_kinds.sql", [arrayLiteral(types.map(String.init))]))
        do throws(DecodingFailure) {
            var kinds: [UInt32: (name: String, kind: String)] = [:]
            for row in rows.rows {
                kinds[try row.identifier("oid")] = (try row.text("name"), try row.text("kind"))
            }
            for (line, from, to) in doubtful {
                guard let from = kinds[from], let to = kinds[to] else { continue }
                judge(line, from, to)
            }
        } catch {
            throw .decoding(error)
        }
    }

    private mutating func judge(
        _ line: App.Account.Reference, _ from: (name: String, kind: String), _ to: (name: String, kind: String)
    ) {
        let kinds: Set<String> = [from.kind, to.kind]
        if kinds == ["text", "key"] { return }
        // With a condition beside it, somebody knows which of the texts are numbers.
        let isMixed = kinds == ["text", "number"]
        if isMixed, line.condition != nil { return }
        findings.append(
            Diagnostic(
                "@reference \(line.from) -> \(line.to): \(from.name) does not compare with \(to.name)",
                in: line.place.file, at: line.place.offset,
                hint: isMixed
                    ? "say which text a number is, with an expression in brackets: \(line.from) -> "
                        + "\(Self.inBrackets(line.to, kind: to.kind))" : nil,
                severity: .error))
    }

    /// A column as an expression over its table, a number as a text.
    private static func inBrackets(_ path: String, kind: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return path }
        let cast = kind == "number" ? "::text" : ""
        return "\(path[..<dot]) (\(path[path.index(after: dot)...])\(cast))"
    }
}
