extension App {
    /// The definition and the key column of the users or objects that a change is about; nil if it is about neither.
    package func directory(of subject: Subject) -> (definition: String, key: String)? {
        switch subject {
        case .users: ("users", users.key)
        case .object(let noun): objects.first { $0.noun == noun }.map { (noun, $0.key) }
        case .nothing: nil
        }
    }

    /// The bindings for the users or objects of a change statement.
    package func bindings(for subject: Subject, one: Binding, all: Binding) -> [String: Binding] {
        Dictionary(uniqueKeysWithValues: zip(subject.parameterNames, [one, all]))
    }

    /// A fact about a user or object, and the oid of its type, which determines how usher shows the value.
    package typealias Fact = (name: String, type: UInt32)
}

extension App.Subject {
    /// The parameters for one user or object and for all, which a change's SQL can use.
    var parameterNames: [String] {
        switch self {
        case .users: ["user", "users"]
        case .object: ["key", "keys"]
        case .nothing: []
        }
    }

    /// Findings for statements without a parameter for the users or objects: they would change the rows of all users.
    package func unbound(_ statements: [App.Statement]) -> [Diagnostic] {
        if self == .nothing { return [] }
        return statements.map(\.sql).filter { sql in
            !sql.tokens.isEmpty && !sql.parameters.contains { parameterNames.contains($0.name) }
        }.map { sql in
            Diagnostic(
                "this @do isn't limited to the rows of a user, so it would change every row",
                at: sql.file.place(at: sql.range.lowerBound),
                hint: "add a condition with \(parameterNames.map { ":" + $0 }.joined(separator: " or ")), "
                    + "or write @on nothing if the rows belong to no user")
        }
    }
}

extension App {
    /// Findings for statements of actions and states that aren't limited to their users or objects.
    package var unboundStatements: [Diagnostic] {
        actions.flatMap { $0.subject.unbound($0.statements) } + states.flatMap { $0.subject.unbound($0.statements) }
    }
}

extension App.Place {
    /// True if the place is in one of some fragments, or between the head of their block and the fragments.
    package func isIn(_ fragments: [Fragment], behind head: App.Place? = nil) -> Bool {
        fragments.contains { fragment in
            let start = head?.offset ?? fragment.range.lowerBound
            return fragment.file == file && start...max(start, fragment.range.upperBound) ~= offset
        }
    }
}
