extension App {
    /// The names of the relations that SQL of the app file can use: `users`, the kinds of objects, and the definitions.
    var definedNames: Set<String> { Set(["users"] + objects.map(\.noun) + definitions.map(\.name)) }

    /// The definition with a name; `users` always stands for the `@users` select.
    func definition(named name: String) -> Definition? {
        if name == "users" { return Definition(name: name, columns: [], select: users.select) }
        let object = objects.first { $0.noun == name }
        return object.map { Definition(name: name, columns: [], select: $0.select) }
            ?? definitions.first { $0.name == name }
    }

    /// The selections of the users or of a kind of object.
    package func selections(of subject: Subject) -> [Selection] {
        switch subject {
        case .users: users.selections
        case .object(let noun): objects.first { $0.noun == noun }?.selections ?? []
        case .nothing: []
        }
    }

    /// The definitions that fragments need, each after the definitions that it needs itself.
    func definitions(neededBy fragments: [Fragment], and names: [String] = []) -> [Definition] {
        var ordered: [Definition] = []
        var visited: Set<String> = []
        func add(_ names: [String]) {
            for name in names where !visited.contains(name) {
                guard let definition = definition(named: name) else { continue }
                visited.insert(name)
                add(definition.select.unqualifiedNames)
                ordered.append(definition)
            }
        }
        add(names + fragments.flatMap(\.unqualifiedNames))
        return ordered
    }

    /// The definitions that refer to themselves, directly or through other definitions, in alphabetical order.
    var circularDefinitions: [Definition] {
        definedNames.compactMap { definition(named: $0) }.filter { definition in
            definitions(neededBy: [definition.select]).contains { $0.name == definition.name }
        }.sorted { $0.name < $1.name }
    }

    /// The tables that fragments read, directly or through definitions.
    package func tables(readBy fragments: [Fragment], and names: [String] = []) -> [TableName] {
        let all = fragments + definitions(neededBy: fragments, and: names).map(\.select)
        var seen: Set<TableName> = []
        return all.flatMap(\.relations).compactMap(\.table).filter { seen.insert($0).inserted }
    }

    /// Every parameter that the file declares, with its place.
    package var declarations: [(declaration: ParameterDeclaration, place: Place)] {
        let all =
            constants + decisions.flatMap(\.assumptions) + actions.flatMap(\.parameters.all)
            + lists.flatMap(\.parameters.all) + settings.flatMap(\.columns)
        let columns = optional.compactMap { one in
            one.type.map { ParameterDeclaration(name: one.path.column ?? "", type: $0, place: one.place) }
        }
        return (all + columns).compactMap { declaration in declaration.place.map { (declaration, $0) } }
    }
}
