internal import AppFile
internal import Catalog
internal import PQ

/// Functions that what is shown may not call: those that change something, as far as the catalog tells.
extension AppCheck {
    /// Of a function of Postgres' own it tells by its marks, of one of the database's by its source, and by what that calls.
    mutating func checkFunctions() throws(PQError) {
        let calls = app.shownFragments.flatMap { fragment in fragment.calls.map { ($0, fragment.file) } }
        if calls.isEmpty { return }
        let known = try CalledFunctions(Set(calls.map { CalledFunctions.Name($0.0, or: "pg_catalog") }), transaction)
        for (call, file) in calls {
            let path = SQLName.path(of: [call.schema, call.name].compactMap { $0 })
            let place = App.Place(file: file, offset: call.offset)
            switch known.effect(of: CalledFunctions.Name(call, or: "pg_catalog")) {
            case .reads: continue
            case .unknown: report(.opaque(function: path), at: place)
            case .writes: report(.writing(function: path), at: place)
            }
        }
    }
}

/// What functions do, and those that they call themselves.
private struct CalledFunctions {
    struct Name: Hashable, Comparable {
        let schema: String
        let name: String

        init(schema: String, name: String) { (self.schema, self.name) = (schema, name) }

        /// A call, of a function in a schema of this name where it does not say so.
        init(_ call: FunctionCall, or schema: String) { self.init(schema: call.schema ?? schema, name: call.name) }

        static func < (a: Name, b: Name) -> Bool { (a.schema, a.name) < (b.schema, b.name) }
    }

    enum Effect: Comparable { case reads, unknown, writes }

    private struct Function {
        let effect: Effect
        let calls: Set<Name>
    }

    /// Of several functions of a name one may be meant that only reads.
    private var functions: [Name: [Function]] = [:]

    init(_ names: Set<Name>, _ transaction: ReadTransaction) throws(PQError) {
        var (open, seen) = (names, names)
        while !open.isEmpty {
            let rows = try transaction.read(
                Query(
                    file: "catalog/called_functions.sql",
                    [arrayLiteral(open.sorted().map(\.schema)), arrayLiteral(open.sorted().map(\.name))]))
            var found: Set<Name> = []
            do throws(DecodingFailure) {
                for row in rows.rows {
                    let name = Name(schema: try row.text("schema"), name: try row.text("name"))
                    let function = Self.function(
                        writes: try row.optionalBoolean("writes"), source: try row.optionalText("source"))
                    for name in [name, Name(schema: "", name: name.name)] where seen.contains(name) {
                        functions[name, default: []].append(function)
                    }
                    found.formUnion(function.calls)
                }
            } catch {
                throw .decoding(error)
            }
            open = found.subtracting(seen)
            seen.formUnion(open)
        }
    }

    private static func function(writes: Bool?, source: String?) -> Function {
        if let writes { return Function(effect: writes ? .writes : .reads, calls: []) }
        guard let source else { return Function(effect: .unknown, calls: []) }
        let body = FunctionBody(source)
        // Which schema a bare name is looked up in is settled when it runs.
        return Function(
            effect: body.writes ? .writes : body.runsText ? .unknown : .reads,
            calls: Set(body.calls.map { Name($0, or: "") }))
    }

    func effect(of name: Name) -> Effect { effect(of: name, within: []) }

    private func effect(of name: Name, within names: Set<Name>) -> Effect {
        if names.contains(name) { return .reads }
        let effects = (functions[name] ?? []).map { function in
            max(function.effect, function.calls.map { effect(of: $0, within: names.union([name])) }.max() ?? .reads)
        }
        return effects.min() ?? .reads
    }
}
