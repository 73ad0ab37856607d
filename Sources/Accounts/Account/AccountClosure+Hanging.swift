internal import Catalog
internal import PQ

/// What other users have below a row.
extension AccountClosure {
    /// The condition under which a row that could go over to somebody is needed by another user, who would lose with it what
    /// hangs on it: a company has its members, whoever owns it.
    ///
    /// Only where a line says whom such rows go over to; elsewhere what others lose is asked about row by row.
    func isNeededByAnother(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        guard map.lines.shared[table]?.reassigned != nil else { return nil }
        var most = Self.mostTables
        return carriesAnother(table, within: Self.longest, [table], &most, &bindings)
    }

    /// What is further below says little about whom a row is needed by.
    private static var longest: Int { 4 }

    /// The condition under which rows of another user hang on a row, over at most so many links by which they would go with it.
    private func carriesAnother(
        _ table: UInt32, within steps: Int, _ path: Set<UInt32>, _ most: inout Int, _ bindings: inout Bindings
    ) -> String? {
        guard steps > 0 else { return nil }
        var conditions: [String] = []
        let links = (map.linksByParent[table] ?? []).map { map.links[$0] }.filter {
            $0.isDeleting && map.chains.binds($0)
        }
        for link in links where !path.contains(link.child) {
            guard most > 0, let child = map.graph.tables[link.child], !child.isEmpty else { continue }
            most -= 1
            var others = isAnothers(link.child, &bindings)
            if let below = carriesAnother(link.child, within: steps - 1, path.union([link.child]), &most, &bindings) {
                others.append(below)
            }
            guard !others.isEmpty else { continue }
            // Those rows are called `t` in their own select, so what they refer with goes out under another name.
            let values = link.columns.enumerated().map { "\($1.expression) as k\($0)" }
            let pairs = link.columns.indices.map { place in
                "\(link.key.expressions[place]) \(link.columns[place].equals) hanging.k\(place)"
            }
            conditions.append(
                """
                exists (select from (select \(values.joined(separator: ", ")) from \(child.ownRows) t \
                where \(others.joined(separator: " or "))\(child.apart)) hanging where \(pairs.joined(separator: " and ")))
                """)
        }
        return conditions.isEmpty ? nil : conditions.joined(separator: " or ")
    }

    /// The conditions under any of which a row is another user's, or is that user.
    private func isAnothers(_ table: UInt32, _ bindings: inout Bindings) -> [String] {
        if map.userTables.contains(table) {
            return ["(\(isOwn(table, &bindings).joined(separator: " or "))) is not true"]
        }
        let links = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter(map.chains.binds)
        return pointsAtAnother(table, among: links, isOwned: true, &bindings)
    }
}
