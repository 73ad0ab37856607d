internal import AppFile
internal import Catalog
internal import PQ

/// What an operator wants changed, as it was typed.
package struct ChangeRequest: Sendable {
    package enum What: Sendable {
        case action(noun: String, verb: String)
        case state(String)
        case setting(table: String?, key: String, column: String, value: String)
        case undo(operation: String)
    }

    package var what: What
    /// Users by id or address, or objects by key.
    package var subjects: [String] = []
    /// Selections that stand in for naming them.
    package var selections: [String] = []
    /// Arguments and options by name.
    package var values: [String: String] = [:]
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    /// The interrupted bulk change that is to be continued.
    package var resumes: String?

    /// A request with everything that was said about it.
    package init(_ what: What) { self.what = what }
}

extension Inquiry {
    /// The parameters of a change or a list, by the values that were read.
    func parameters(_ declared: [ParameterDeclaration], values: [String: String]) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for declaration in declared {
            bindings[declaration.name] = Binding(
                values[declaration.name] ?? declaration.defaultValue, type: declaration.boundType,
                isSecret: declaration.isSecret)
        }
        return bindings
    }

    /// The values that somebody typed, each read by Postgres as the type it is declared with, and times settled.
    ///
    /// Refuses values that are none of their type; for an enum, with the ones that are.
    func typed(
        _ values: [String: String], as declared: [ParameterDeclaration]
    ) throws(Failure) -> [String: String] {
        let given = declared.filter { values[$0.name] != nil && !$0.isSecret }
        let readings = try transaction.readings(of: given.map { TypedText(values[$0.name] ?? "", $0.boundType) })
        var types: [String: TypeID] = [:]
        for (declaration, reading) in zip(given, readings) {
            switch reading {
            case .success(let type): types[declaration.name] = type
            case .failure(let error):
                let labels = try labels(ofType: declaration.type)
                throw Failure(
                    .usage, "\(declaration.name): \(error.message)",
                    hint: labels.isEmpty ? nil : "one of \(labels.joined(separator: ", "))", state: error.state)
            }
        }
        return try settled(values, types: types)
    }

    /// The values of an enum type, empty for any other.
    private func labels(ofType type: String) throws(Failure) -> [String] {
        let query = ComposedQuery(
            engine: """
                select e.enumlabel::text from pg_enum e where e.enumtypid = to_regtype($1) order by e.enumsortorder
                """, values: [type])
        guard case .success(let rows) = try read([query], isLast: false)[0].result else { return [] }
        return try decoding(try rows.texts())
    }
}
