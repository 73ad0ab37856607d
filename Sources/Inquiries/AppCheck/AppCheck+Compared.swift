internal import AppFile
internal import PQ

/// Columns that are compared with keys of something else: a wrong join, another column than was meant.
extension AppCheck {
    /// A column that a parameter is compared with, and what the parameter is a key of.
    private typealias Subject = (column: DescribedColumn, place: App.Place, owner: String, key: DescribedColumn)

    mutating func checkCompared(_ directories: [Result<Description, ServerError>]) throws(PQError) {
        let pairs = (app.fragments + app.changingFragments).flatMap { fragment in
            fragment.pairs.map { (pair: $0, place: App.Place(file: fragment.file, offset: $0.offset)) }
        }
        let named = app.subjects.flatMap { subject in
            subject.fragment.keyComparisons(subject.parameters).map { (subject, $0.table, $0.comparison) }
        }
        let tables = Array(Set(pairs.flatMap { [$0.pair.left.table, $0.pair.right.table] } + named.map(\.1)))
        let described = try descriptions.of(tables.map { "select * from \($0.quoted)" })
        let columns = Dictionary(uniqueKeysWithValues: zip(tables, described.map { (try? $0.get())?.columns ?? [] }))
        func column(_ table: TableName, _ name: String) -> DescribedColumn? {
            columns[table]?.first { $0.name == name }
        }
        let keyed = named.compactMap { subject, table, comparison -> Subject? in
            guard let place = app.relationPlace(of: subject.owner), directories.indices.contains(place),
                let key = (try? directories[place].get())?.columns.first(where: { $0.name == subject.key }),
                let column = column(table, comparison.name)
            else { return nil }
            let start = App.Place(file: subject.fragment.file, offset: comparison.start)
            return (column, start, subject.owner, key)
        }
        let joined = pairs.compactMap { pair, place -> (App.Place, DescribedColumn, DescribedColumn)? in
            guard let left = column(pair.left.table, pair.left.name),
                let right = column(pair.right.table, pair.right.name)
            else { return nil }
            return (place, left, right)
        }
        let keys = try KnownKeys(
            of: Set(
                (keyed.flatMap { [$0.column, $0.key] } + joined.flatMap { [$0.1, $0.2] }).compactMap(\.origin)),
            in: app, transaction)
        for (column, place, owner, key) in keyed {
            guard let (own, wanted) = keys.strangers(column.origin, key.origin) else { continue }
            report(.strange(to: owner, column: own, wanted: wanted), at: place)
        }
        for (place, left, right) in joined {
            guard let (one, other) = keys.strangers(left.origin, right.origin) else { continue }
            report(.apart(one, other), at: place)
        }
    }
}

extension App {
    /// A fragment with the parameters in it that are keys, and of what.
    fileprivate struct KeyParameters {
        let fragment: Fragment
        let owner: String
        let key: String
        let parameters: Set<String>
    }

    /// All that is about one user, or is done to users or objects.
    fileprivate var subjects: [KeyParameters] {
        let shown =
            panels.map(\.select) + timelines.map(\.select) + quotas.compactMap(\.history?.select)
            + lists.filter { list in !list.parameters.all.contains { $0.name == "user" } }.map(\.select)
        let ofUsers =
            shown + states.flatMap(\.statements).map(\.sql) + (account?.statements.map(\.sql) ?? [])
            + actions.filter { $0.subject == .users }.flatMap { $0.statements.map(\.sql) }
        let users = ofUsers.map {
            KeyParameters(fragment: $0, owner: "user", key: self.users.key, parameters: ["user", "users"])
        }
        return users
            + actions.flatMap { action -> [KeyParameters] in
                guard case .object(let noun) = action.subject, let object = objects.first(where: { $0.noun == noun })
                else { return [] }
                return action.statements.map {
                    KeyParameters(fragment: $0.sql, owner: noun, key: object.key, parameters: ["key", "keys"])
                }
            }
    }

    /// The place of a directory among all of them.
    fileprivate func relationPlace(of owner: String) -> Int? {
        owner == "user" ? 0 : objects.firstIndex { $0.noun == owner }.map { $0 + 1 }
    }
}

extension Fragment {
    /// The columns of tables that some parameters are compared with.
    fileprivate func keyComparisons(_ names: Set<String>) -> [(table: TableName, comparison: Comparison)] {
        let changed = relations.count == 1 ? target?.table : nil
        return comparisons.compactMap { comparison in
            guard case .parameter(let name) = comparison.operand, names.contains(name),
                let table = comparison.table ?? (comparison.definition == nil ? changed : nil)
            else { return nil }
            return (table, comparison)
        }
    }
}
