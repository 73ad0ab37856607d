internal import AppFile
internal import Catalog
internal import PQ

/// References between columns no value of which can ever be the same.
extension AppCheck {
    /// A deletion compares values of two types as texts: keys stand in texts on purpose, but no date is a number.
    ///
    /// The catalog tells, since a comparison that fails would be an error in the server's log.
    mutating func checkReferences() throws(PQError) {
        let compared = (app.account?.references ?? []).compactMap { line in line.sides.map { (line, $0) } }
        let described = try transaction.describePermitted(compared.flatMap { [$0.1.from, $0.1.to] })
        var read: [(line: App.Account.Reference, from: UInt32, to: UInt32)] = []
        for (index, (line, _)) in compared.enumerated() {
            guard case .success(let from) = described[2 * index], case .success(let to) = described[2 * index + 1],
                let from = from.columns.first?.type, let to = to.columns.first?.type, from != to
            else { continue }
            read.append((line, from.rawValue, to.rawValue))
        }
        if read.isEmpty { return }
        let types = Array(Set(read.flatMap { [$0.from, $0.to] }))
        let rows = try transaction.read(Query(file: "catalog/type_kinds.sql", [arrayLiteral(types.map(String.init))]))
        do throws(DecodingFailure) {
            var kinds: [UInt32: ReadType] = [:]
            for row in rows.rows {
                kinds[try row.identifier("oid")] = ReadType(
                    base: try row.identifier("base"), name: try row.text("name"), kind: try row.text("kind"))
            }
            for (line, from, to) in read {
                guard let from = kinds[from], let to = kinds[to], !from.compares(with: to) else { continue }
                judge(line, from, to)
            }
        } catch {
            throw .decoding(error)
        }
    }

    /// A type as values of it are compared.
    private struct ReadType {
        let base: UInt32
        let name: String
        let kind: String

        /// Whether there is a comparison for both; keys are written one way each.
        func compares(with other: ReadType) -> Bool { base == other.base || kind == other.kind && kind != "key" }
    }

    private mutating func judge(
        _ line: App.Account.Reference, _ from: ReadType, _ to: ReadType
    ) {
        let kinds: Set<String> = [from.kind, to.kind]
        if kinds == ["text", "key"] { return }
        // With a condition beside it, somebody knows which of the texts are numbers.
        let isMixed = kinds == ["text", "number"]
        if isMixed, line.condition != nil { return }
        let spelled = isMixed ? "\(line.from) -> \(Self.inBrackets(line.to, kind: to.kind))" : nil
        report(
            .incomparable(
                from: line.from, to: line.to, fromType: from.name, toType: to.name, spelled: spelled),
            at: line.place)
    }

    /// A column as an expression over its table, a number as a text.
    private static func inBrackets(_ path: String, kind: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return path }
        let cast = kind == "number" ? "::text" : ""
        return "\(path[..<dot]) (\(path[path.index(after: dot)...])\(cast))"
    }
}
