package import AppFile
package import Asking
internal import PQ

extension Inquiry {
    /// The parameters of a change or a list, with the parsed values.
    package func parameters(
        _ declared: [ParameterDeclaration], values: [String: String]
    ) throws(Failure) -> [String: Binding] {
        var bindings: [String: Binding] = [:]
        for var declaration in declared {
            if let subject = declaration.names { declaration = declaration.keyed(by: try keyType(of: subject)) }
            bindings[declaration.name] = Binding(
                values[declaration.name] ?? declaration.defaultValue, type: declaration.boundType,
                isSecret: declaration.isSecret)
        }
        return bindings
    }

    /// The typed values, parsed by Postgres as their declared types, with the keys of named users and objects.
    ///
    /// Refuses values that don't fit their type; for an enum, lists the allowed ones.
    package func typed(
        _ values: [String: String], as declared: [ParameterDeclaration]
    ) throws(Failure) -> [String: String] {
        let given = declared.filter { values[$0.name] != nil && !$0.isSecret && $0.names == nil }
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
        var settled = try settled(values, types: types)
        for declaration in declared {
            guard let subject = declaration.names, let text = values[declaration.name] else { continue }
            settled[declaration.name] = try key(of: subject, named: text)
        }
        return settled
    }

    /// The key of the one user or object that a text names.
    private func key(of subject: App.Subject, named text: String) throws(Failure) -> String {
        switch subject {
        case .users: return try user(named: text).key
        case .object(let noun):
            let object = try kind(noun)
            try requireWhole([object.select])
            return try self.object(object, named: text, isLast: false).shown(object.key)?.text ?? text
        case .nothing: return text
        }
    }

    /// The values of an enum type; empty for any other type.
    private func labels(ofType type: String) throws(Failure) -> [String] {
        let query = ComposedQuery(
            engine: """
                select e.enumlabel::text from pg_enum e where e.enumtypid = to_regtype($1) order by e.enumsortorder
                """, values: [type])
        guard case .success(let rows) = try read([query], isLast: false)[0].result else { return [] }
        return try decoding(try rows.texts())
    }

    /// The Postgres type of the keys of a kind of subject.
    package func keyType(of subject: App.Subject) throws(Failure) -> String {
        guard let query = app.keyType(of: subject, bindings: bindings) else { return "text" }
        switch try read([query], isLast: false)[0].reading {
        case .success(let rows): return rows.first?.values.first?.text ?? "text"
        case .failure(let unreadable): throw unreadable.failure
        }
    }
}
