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
        switch subject {
        case .users: ["user": one, "users": all]
        case .object: ["key": one, "keys": all]
        case .nothing: [:]
        }
    }

    /// A fact about a user or object, and the oid of its type, which determines how usher shows the value.
    package struct Fact: Sendable, Hashable {
        package let name: String
        package let type: UInt32

        /// Creates a fact from a column that Postgres describes.
        package init(name: String, type: UInt32) {
            self.name = name
            self.type = type
        }
    }
}

extension App.Subject {
    /// The names of the parameters that a change's SQL can use for its users or objects.
    var parameterNames: Set<String> {
        switch self {
        case .users: ["user", "users"]
        case .object: ["key", "keys"]
        case .nothing: []
        }
    }

    /// Findings for statements without a parameter for the users or objects: they would change the rows of all users.
    fileprivate func unbound(_ statements: [App.Statement]) -> [Diagnostic] {
        if self == .nothing { return [] }
        return statements.filter { statement in
            !statement.sql.tokens.isEmpty
                && parameterNames.isDisjoint(with: statement.sql.parameters.map(\.name))
        }.map { statement in
            Diagnostic(
                "this @do isn't limited to the rows of a user, so it would change every row", in: statement.sql.file,
                at: statement.sql.range.lowerBound,
                hint: "add a condition with \(parameterNames.sorted().map { ":" + $0 }.joined(separator: " or ")), "
                    + "or write @on nothing if the rows belong to no user")
        }
    }
}

extension App.Action {
    /// Findings for statements that aren't limited to the users or objects of the action.
    package var unbound: [Diagnostic] { subject.unbound(statements) }
}

extension App {
    /// Findings for statements of actions and states that aren't limited to their users or objects.
    package var unboundStatements: [Diagnostic] { actions.flatMap(\.unbound) + states.flatMap(\.unbound) }
}

extension App.State {
    /// Findings for statements that aren't limited to the users of the test state.
    package var unbound: [Diagnostic] { subject.unbound(statements) }
}

extension App.Action {
    /// True if a place of the file is in the block of the action.
    ///
    /// Conditions that the action uses by name can be in another block.
    package func includes(_ place: App.Place) -> Bool {
        place.stands(in: statements.map(\.sql), behind: self.place)
            || place.stands(in: (refusals + warnings).map(\.condition))
    }
}

extension App.State {
    /// True if a place of the file is in a statement of the test state.
    package func includes(_ place: App.Place) -> Bool { place.stands(in: statements.map(\.sql)) }
}

extension App.Settings {
    /// True if a place of the file is in the settings block.
    package func includes(_ place: App.Place) -> Bool {
        place == self.place || place.stands(in: impacts.map(\.condition))
    }
}

extension App.Place {
    /// True if the place is between the head of a block and the end of its last statement.
    fileprivate func stands(in statements: [Fragment], behind head: App.Place) -> Bool {
        let end = statements.map(\.range.upperBound).max() ?? head.offset
        return file == head.file && head.offset <= offset && offset <= end
    }

    fileprivate func stands(in fragments: [Fragment]) -> Bool {
        fragments.contains { $0.file == file && $0.range.lowerBound...$0.range.upperBound ~= offset }
    }
}
