extension App.Subject {
    /// The parameters that stand for the subjects of a change.
    var parameterNames: Set<String> {
        switch self {
        case .users: ["user", "users"]
        case .object: ["key", "keys"]
        case .nothing: []
        }
    }

    /// The statements that name none of the subjects, so that nothing keeps them to those: they would change the rows of
    /// everybody.
    fileprivate func unbound(_ statements: [App.Statement]) -> [Diagnostic] {
        if self == .nothing { return [] }
        return statements.filter { statement in
            !statement.sql.tokens.isEmpty
                && !statement.sql.parameters.contains { parameterNames.contains($0.name) }
        }.map { statement in
            Diagnostic(
                "this @do names none of its subjects, so it is done to all", in: statement.sql.file,
                at: statement.sql.range.lowerBound,
                hint: "name them with \(parameterNames.sorted().map { ":" + $0 }.joined(separator: " or ")), "
                    + "or say @on nothing where it is nobody's own")
        }
    }
}

extension App.Action {
    /// Where its statements do not keep to their subjects.
    package var unbound: [Diagnostic] { subject.unbound(statements) }
}

extension App.State {
    /// Where its statements do not keep to their subjects.
    package var unbound: [Diagnostic] { subject.unbound(statements) }
}
