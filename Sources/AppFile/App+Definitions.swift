extension App {
    /// A select that may be used by name: the users, an object kind, or a definition.
    func definition(_ name: String) -> Definition? {
        if name == "users" { return Definition(name: "users", columns: [], select: users.select) }
        if let object = objects.first(where: { $0.noun == name }) {
            return Definition(name: name, columns: [], select: object.select)
        }
        return definitions.first { $0.name == name }
    }

    /// The selections of the users, or of a kind of object.
    package func selections(of subject: Subject) -> [Selection] {
        switch subject {
        case .users: users.selections
        case .object(let noun): objects.first { $0.noun == noun }?.selections ?? []
        case .nothing: []
        }
    }

    /// The definitions that a fragment needs, each behind those it needs itself.
    func definitions(neededBy fragments: [Fragment], and names: [String] = []) -> [Definition] {
        var ordered: [Definition] = []
        var visited: Set<String> = []
        func visit(_ name: String) {
            guard visited.insert(name).inserted, let definition = definition(name) else { return }
            for mention in definition.select.relations where mention.schema == nil { visit(mention.name) }
            ordered.append(definition)
        }
        for name in names { visit(name) }
        for fragment in fragments {
            for mention in fragment.relations where mention.schema == nil { visit(mention.name) }
        }
        return ordered
    }

    /// The names of all definitions a fragment leads to.
    func dependencies(of fragment: Fragment) -> Set<String> {
        Set(definitions(neededBy: [fragment]).map(\.name))
    }

    /// The tables that fragments read, themselves or through definitions.
    package func tables(readBy fragments: [Fragment], and names: [String] = []) -> [TableName] {
        let all = fragments + definitions(neededBy: fragments, and: names).map(\.select)
        var tables: [TableName] = []
        var seen: Set<TableName> = []
        for mention in all.flatMap(\.relations) {
            guard let schema = mention.schema else { continue }
            let table = TableName(schema: schema, name: mention.name)
            if seen.insert(table).inserted { tables.append(table) }
        }
        return tables
    }
}
