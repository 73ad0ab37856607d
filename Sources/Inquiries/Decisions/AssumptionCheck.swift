package import AppFile
package import Asking
package import PQ

struct AssumptionCheck {
    let assumed: Assumptions
    let app: App

    /// The queries for the fact columns of each decision.
    var questions: [ComposedQuery] { app.decisions.map { app.queries().shape(of: $0) } }

    /// The assumptions for each decision, by the decision's name; throws if a fact is unknown or a value is invalid.
    ///
    /// Postgres parses each value as its declared type, or as the type of the fact that it replaces.
    func relevant(_ shapes: ArraySlice<Answer>, in inquiry: Inquiry) throws(Failure) -> [String: Assumptions] {
        var known: Set<String> = []
        var isWhole = true
        var typed: [(decision: String, name: String, text: TypedText)] = []
        for (decision, shape) in zip(app.decisions, shapes) {
            try requireAssumable(in: decision)
            let columns = try? shape.result.get().columns
            if columns == nil { isWhole = false }
            let facts = Dictionary((columns ?? []).map { ($0.name, $0.type) }) { first, _ in first }
            known.formUnion(decision.assumptions.map(\.name) + facts.keys)
            for (name, value) in assumed.sorted(by: { $0.key < $1.key }) {
                if let declaration = decision.assumptions.first(where: { $0.name == name }) {
                    try declaration.require(value)
                    typed.append((decision.name, name, TypedText(value, declaration.type)))
                } else if let type = facts[name] {
                    typed.append((decision.name, name, TypedText(value, type)))
                }
            }
        }
        // A decision that usher can't read may have any fact, so usher rejects no name. The decision reports its own
        // error.
        if isWhole, let name = assumed.keys.sorted().first(where: { !known.contains($0) }) {
            throw Failure(unknown: "no decision has the fact \(name)", known: known.sorted())
        }
        var relevant: [String: Assumptions] = [:]
        for (typed, reading) in zip(typed, try inquiry.typedTimes.read(typed.map { ($0.name, $0.text) })) {
            if case .failure(let error) = reading, error.isMisfit {
                throw Failure(
                    .usage, "\(typed.name) can't be \(typed.text.text): \(error.message)", state: error.state)
            }
            // The decision reports any other error.
            relevant[typed.decision, default: [:]][typed.name] = (try? reading.get()) ?? typed.text.text
        }
        return relevant
    }

    /// Refuses values for the user's key and the `@per` column, unless the decision declares them with @assume.
    private func requireAssumable(in decision: App.Decision) throws(Failure) {
        let fixed = [app.users.key, decision.per].compactMap { $0 }
        for name in fixed where assumed[name] != nil && !decision.assumptions.contains(where: { $0.name == name }) {
            throw Failure(
                .usage,
                name == app.users.key
                    ? "`--assume` can't change \(name), because it is the key of the user"
                    : "`--assume` can't change \(name), because \(decision.name) has an answer for each \(name)")
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
        let bytes = try readChosenFile(path)
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
