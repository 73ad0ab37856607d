internal import AppFile
internal import Catalog
internal import PQ

/// References between columns no value of which can ever be the same.
extension AppCheck {
    /// A deletion compares values of two types as texts: keys stand in texts on purpose, but no date is a number.
    mutating func checkReferences() throws(PQError) {
        let compared = (app.account?.refers ?? []).compactMap { line in line.sides.map { (line, $0) } }
        let described = try descriptions.of(compared.flatMap { [$0.1.from, $0.1.to] })
        var read: [(line: App.Account.Refers, from: TypeID, to: TypeID)] = []
        for (index, (line, _)) in compared.enumerated() {
            guard case .success(let from) = described[2 * index], case .success(let to) = described[2 * index + 1],
                let from = from.columns.first?.type, let to = to.columns.first?.type, from != to
            else { continue }
            read.append((line, from, to))
        }
        if read.isEmpty { return }
        let types = try ComparedTypes(read.flatMap { [$0.from, $0.to] }, transaction)
        for (line, from, to) in read {
            guard let from = types[from], let to = types[to], !from.each.compares(with: to) else { continue }
            judge(line, from, to)
        }
    }

    private mutating func judge(
        _ line: App.Account.Refers, _ from: ComparedTypes.Kind, _ to: ComparedTypes.Kind
    ) {
        let kinds: Set<String> = [from.kind, to.kind]
        guard let target = line.to, kinds != ["text", "key"] || to.isList else { return }
        // With a condition beside it, somebody knows which of the texts are numbers.
        let isMixed = kinds == ["text", "number"]
        if isMixed, line.condition != nil { return }
        let spelled = isMixed ? "\(line.from) -> \(Self.inBrackets(target, kind: to.kind))" : nil
        report(
            .incomparable(
                from: line.from, to: target, fromType: from.name, toType: to.name, spelled: spelled),
            at: line.place)
    }

    /// A column as an expression over its table, a number as a text.
    private static func inBrackets(_ path: String, kind: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return path }
        let cast = kind == "number" ? "::text" : ""
        return "\(path[..<dot]) (\(path[path.index(after: dot)...])\(cast))"
    }
}
