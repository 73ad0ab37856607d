internal import AppFile
internal import PQ

/// Whether what an operator supposes makes sense: known names, values of the right type.
struct AssumptionCheck {
    let assumed: Assumptions
    let app: App

    /// The columns of each decision's facts, asked only when something is supposed.
    static func questions(for assumed: Assumptions, of app: App) -> [ComposedQuery] {
        assumed.isEmpty ? [] : app.decisions.map { $0.shape(for: app, bindings: [:]) }
    }

    /// What each decision is to suppose, by its name; a name or value that fits nowhere is a usage error.
    func relevant(_ shapes: ArraySlice<Answer>, in inquiry: Inquiry) throws(Failure) -> [String: Assumptions] {
        guard !assumed.isEmpty else { return [:] }
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
            // Who the user is, and which answer this is, cannot be supposed.
            let fixed = [app.users.key, decision.per].compactMap { $0 }
            if let name = fixed.first(where: { assumed[$0] != nil && !decision.assumptions.map(\.name).contains($0) }) {
                throw Failure(.usage, "\(name) says whom a decision is about and cannot be supposed")
            }
            relevant[decision.name] = assumed.filter { names.contains($0.key) }
            if facts == nil { isWhole = false }
        }
        // A decision that cannot be read may know any name, and says itself why it cannot.
        for name in assumed.keys.sorted() where isWhole && !known.contains(name) {
            throw Failure(
                .usage, "no decision knows \(name)",
                hint: "there is \(known.sorted().joined(separator: ", "))")
        }
        try checkChoices()
        try checkTypes(relevant, in: inquiry)
        try checkRanges()
        for decision in app.decisions {
            guard let assumed = relevant[decision.name], !assumed.isEmpty else { continue }
            let declared = try self.types(ofAssumptionsOf: decision, in: inquiry)
            relevant[decision.name] = try inquiry.settled(
                assumed, types: (types[decision.name] ?? [:]).merging(declared) { _, declared in declared })
        }
        return relevant
    }

    /// The types that a decision declares for what is supposed here.
    private func types(
        ofAssumptionsOf decision: App.Decision, in inquiry: Inquiry
    ) throws(Failure) -> [String: TypeID] {
        let declared = decision.assumptions.filter { assumed[$0.name] != nil && $0.choices.isEmpty }
        if declared.isEmpty { return [:] }
        let answers = try inquiry.read(declared.map { .constant(nil, type: $0.type) }, isLast: false)
        var types: [String: TypeID] = [:]
        for (declaration, answer) in zip(declared, answers) {
            types[declaration.name] = try? answer.result.get().columns.first?.type
        }
        return types
    }

    private func checkChoices() throws(Failure) {
        for declaration in app.decisions.flatMap(\.assumptions) {
            guard let value = assumed[declaration.name], !declaration.choices.isEmpty else { continue }
            if !declaration.choices.contains(value) {
                throw Failure(
                    .usage, "\(declaration.name) cannot be \(value)",
                    hint: "it is one of \(declaration.choices.joined(separator: ", "))")
            }
        }
    }

    /// Whether numbers lie in the range they are declared with, once Postgres has read them as numbers.
    private func checkRanges() throws(Failure) {
        for declaration in app.decisions.flatMap(\.assumptions) {
            guard let range = declaration.range, let value = assumed[declaration.name], let number = Double(value)
            else { continue }
            if number < Double(range.lowerBound) || number > Double(range.upperBound) {
                throw Failure(
                    .usage, "\(declaration.name) cannot be \(value)",
                    hint: "it is from \(range.lowerBound) to \(range.upperBound)")
            }
        }
    }

    /// Lets Postgres read each value as the type it will have.
    private func checkTypes(_ relevant: [String: Assumptions], in inquiry: Inquiry) throws(Failure) {
        var checks: [(name: String, query: ComposedQuery)] = []
        for decision in app.decisions {
            for (name, value) in (relevant[decision.name] ?? [:]).sorted(by: { $0.key < $1.key }) {
                let query = decision.evaluation(
                    of: .none, for: .all, assuming: [name: value], in: app, bindings: inquiry.bindings)
                checks.append((name, query.withoutRows))
            }
        }
        for (check, answer) in zip(checks, try inquiry.read(checks.map(\.query), isLast: false)) {
            guard case .failure(let error) = answer.result, error.state.category == "22" else { continue }
            throw Failure(
                .usage, "\(check.name) cannot be \(assumed[check.name] ?? ""): \(error.message)", state: error.state)
        }
    }
}
