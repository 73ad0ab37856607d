extension App {
    /// The relations that SQL of the app file can use by name: `users`, the kinds of objects, and the definitions.
    var named: [Definition] {
        [Definition(name: "users", columns: [], select: users.select)]
            + objects.map { Definition(name: $0.noun, columns: [], select: $0.select) } + definitions
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
        let named = named
        var ordered: [Definition] = []
        var visited: Set<String> = []
        func add(_ names: [String]) {
            for name in names where !visited.contains(name) {
                guard let definition = named.first(where: { $0.name == name }) else { continue }
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
        named.filter { definition in
            definitions(neededBy: [definition.select]).contains { $0.name == definition.name }
        }.sorted { $0.name < $1.name }
    }

    /// The tables that fragments read, directly or through definitions.
    package func tables(readBy fragments: [Fragment]) -> [TableName] {
        let all = fragments + definitions(neededBy: fragments).map(\.select)
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
