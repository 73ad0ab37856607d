package import AppFile
package import Asking
package import PQ

struct AssumptionCheck {
    let assumed: Assumptions
    let app: App

    /// The queries for the fact columns of each decision.
    var questions: [ComposedQuery] { app.decisions.map { $0.shape(for: app, bindings: [:]) } }

    /// The assumptions for each decision, by the decision's name; throws if a fact is unknown or a value is invalid.
    func relevant(_ shapes: ArraySlice<Answer>, in inquiry: Inquiry) throws(Failure) -> [String: Assumptions] {
        var relevant: [String: Assumptions] = [:]
        var known: Set<String> = []
        var types: [String: [String: TypeID]] = [:]
        var isWhole = true
        for (decision, shape) in zip(app.decisions, shapes) {
            let columns = try? shape.result.get().columns
            let facts = columns?.map(\.name)
            types[decision.name] = Dictionary((columns ?? []).map { ($0.name, $0.type) }) { first, _ in first }
            let names = Set((facts ?? []) + decision.assumptions.map(\.name))
            known.formUnion(names)
            // Only a column that the decision declares with @assume can be the user's key or the `@per` column.
            let fixed = [app.users.key, decision.per].compactMap { $0 }
            if let name = fixed.first(where: { assumed[$0] != nil && !decision.assumptions.map(\.name).contains($0) }) {
                throw Failure(
                    .usage,
                    name == app.users.key
                        ? "`--assume` can't change \(name), because it is the key of the user"
                        : "`--assume` can't change \(name), because \(decision.name) has an answer for each \(name)")
            }
            relevant[decision.name] = assumed.filter { names.contains($0.key) }
            if facts == nil { isWhole = false }
        }
        // A decision that usher can't read may have any fact, so usher rejects no name. The decision reports its own
        // error.
        for name in assumed.keys.sorted() where isWhole && !known.contains(name) {
            throw Failure(unknown: "no decision has the fact \(name)", known: known.sorted())
        }
        for declaration in app.decisions.flatMap(\.assumptions) {
            if let value = assumed[declaration.name] { try declaration.require(value) }
        }
        try read(&relevant, ofTypes: types, in: inquiry)
        return relevant
    }

    /// Lets Postgres parse each value as its declared type, or as the type of the fact that it replaces.
    private func read(
        _ relevant: inout [String: Assumptions], ofTypes facts: [String: [String: TypeID]], in inquiry: Inquiry
    ) throws(Failure) {
        var typed: [(decision: String, name: String, text: TypedText)] = []
        for decision in app.decisions {
            for (name, value) in (relevant[decision.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
                if let declaration = decision.assumptions.first(where: { $0.name == name }) {
                    typed.append((decision.name, name, TypedText(value, declaration.type)))
                } else if let type = facts[decision.name]?[name] {
                    typed.append((decision.name, name, TypedText(value, type)))
                }
            }
        }
        for (typed, reading) in zip(typed, try inquiry.typedTimes.read(typed.map { ($0.name, $0.text) })) {
            switch reading {
            case .success(let text): relevant[typed.decision]?[typed.name] = text
            // The decision reports any other error.
            case .failure(let error) where error.isMisfit:
                throw Failure(
                    .usage, "\(typed.name) can't be \(typed.text.text): \(error.message)", state: error.state)
            case .failure: continue
            }
        }
    }
}

extension ParameterDeclaration {
    /// Throws if a value isn't one of the declared values, or is outside the declared range.
    ///
    /// Postgres checks the type of the value.
    package func require(_ value: String) throws(Failure) {
        if !choices.isEmpty, !choices.contains(value) {
            throw Failure(
                .usage, "\(name) can't be \(value)", hint: "choose one of: \(choices.joined(separator: ", "))")
        }
        guard let range, let number = Double(value) else { return }
        if number < Double(range.lowerBound) || number > Double(range.upperBound) {
            throw Failure(
                .usage, "\(name) can't be \(value)",
                hint: "use a value from \(range.lowerBound) to \(range.upperBound)")
        }
    }
}

package enum AssumedFacts {
    /// Reads assumed facts from a JSON file, or from standard input with `-`; Postgres parses the JSON.
    package static func read(_ path: String, on connection: Connection) throws(Failure) -> Assumptions {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path) } catch { throw error.failure(path) }
        let text = String(decoding: bytes, as: UTF8.self)
        let query: Query = "select f.key, f.value from jsonb_each_text(\(text)::jsonb) f"
        let rows: Rows
        switch try failing(try ReadTransaction(on: connection).read([query], isLast: true))[0] {
        case .success(let members): rows = members
        case .failure(let error) where error.isMisfit:
            throw Failure(
                .usage, "\(path) is not a JSON object: \(error.message)",
                hint: "write an object such as {\"plan\": \"pro\"}", state: error.state)
        case .failure(let error): throw Failure(error)
        }
        var facts: Assumptions = [:]
        for row in rows.rows {
            guard let name = row.values[0].text else { continue }
            guard let value = row.values[1].text else {
                throw Failure(
                    .usage, "\(path): \(name) is null", hint: "remove \(name) from the file, or give it a value")
            }
            facts[name] = value
        }
        return facts
    }
}
