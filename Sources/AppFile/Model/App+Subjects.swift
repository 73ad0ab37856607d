extension App.Subject {
    /// The names of the parameters that bind the subjects of a change.
    var parameterNames: Set<String> {
        switch self {
        case .users: ["user", "users"]
        case .object: ["key", "keys"]
        case .nothing: []
        }
    }

    /// A finding for each statement without a parameter for the subjects, which would change rows of all users.
    fileprivate func unbound(_ statements: [App.Statement]) -> [Diagnostic] {
        if self == .nothing { return [] }
        return statements.filter { statement in
            !statement.sql.tokens.isEmpty
                && parameterNames.isDisjoint(with: statement.sql.parameters.map(\.name))
        }.map { statement in
            Diagnostic(
                "this @do doesn't say whose rows it changes, so it would change every row", in: statement.sql.file,
                at: statement.sql.range.lowerBound,
                hint: "add a condition with \(parameterNames.sorted().map { ":" + $0 }.joined(separator: " or ")), "
                    + "or write @on nothing if the rows belong to no user")
        }
    }
}

extension App.Action {
    /// A finding for each statement that isn't limited to the subjects.
    package var unbound: [Diagnostic] { subject.unbound(statements) }
}

extension App {
    /// Findings for statements that aren't limited to their subjects.
    package var unboundStatements: [Diagnostic] { actions.flatMap(\.unbound) + states.flatMap(\.unbound) }
}

extension App.State {
    /// A finding for each statement that isn't limited to the subjects.
    package var unbound: [Diagnostic] { subject.unbound(statements) }
}

extension App.Action {
    /// True if the action contains a place of the file; a condition can be elsewhere.
    package func includes(_ place: App.Place) -> Bool {
        place.stands(in: statements.map(\.sql), behind: self.place)
            || place.stands(in: (refusals + warnings).map(\.condition))
    }
}

extension App.State {
    /// True if the block contains a place of the file.
    package func includes(_ place: App.Place) -> Bool { place.stands(in: statements.map(\.sql)) }
}

extension App.Settings {
    /// True if the block contains a place of the file.
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
