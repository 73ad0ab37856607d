/// A select, and the conditions in which a name without a table is a column of this select.
package struct ConditionScope: Sendable {
    package let select: String
    package let conditions: [Fragment]
    /// The assumptions of the decision, or the parameters of the action, that the conditions can use.
    package var declarations: [ParameterDeclaration] = []
}

extension App {
    /// The conditions on users, on objects, and on the facts of decisions, with their selects.
    package var conditionScopes: [ConditionScope] {
        let directory = directoryProbes.map(\.query.sql)
        func select(_ subject: Subject) -> String? {
            switch subject {
            case .users: directory[0]
            case .object(let noun): objects.firstIndex { $0.noun == noun }.map { directory[$0 + 1] }
            case .nothing: nil
            }
        }
        var scopes = [ConditionScope(select: directory[0], conditions: users.selections.map(\.condition))]
        for (object, select) in zip(objects, directory.dropFirst()) {
            scopes.append(ConditionScope(select: select, conditions: object.selections.map(\.condition)))
        }
        for decision in decisions {
            scopes.append(
                ConditionScope(
                    select: decision.shape(for: self, bindings: [:]).sql,
                    conditions: decision.rules.flatMap(\.conditions), declarations: decision.assumptions))
        }
        let asked =
            actions.map { ($0.subject, $0.refusals + $0.warnings, $0.parameters.all) }
            + (account.map { [(.users, $0.refusals + $0.warnings, [])] } ?? [])
        return scopes
            + asked.compactMap { subject, remarks, declarations in
                select(subject).map {
                    ConditionScope(select: $0, conditions: remarks.map(\.condition), declarations: declarations)
                }
            }
    }
}

extension Fragment {
    /// The tables that the fragment mentions together with their schema.
    package var tables: [TableName] {
        relations.compactMap { mention in mention.schema.map { TableName(schema: $0, name: mention.name) } }
    }
}
