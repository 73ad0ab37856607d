internal import AppFile
internal import Catalog

extension AccountPlan {
    package enum Policy: String, Sendable, CaseIterable { case delete, detach, set, keep }

    package struct Entry: Sendable, Hashable {
        package let table: String
        package let rows: Int
        package let policy: Policy
        /// The path of references from the user's row to the rows of this table, as text.
        package let via: String
        package let shared: Int
        package let isIndexed: Bool
        /// The reason from a line of the app file or from the operator's answer.
        package let why: String?
        /// True if shared rows can be detached.
        package var mayStay = true
    }

    package struct Group: Sendable {
        package enum Kind: String, Sendable, CaseIterable { case owned, shared, detached, changed, kept }

        package let kind: Kind
        package let tables: [(name: String, rows: Int)]
        package let why: String?
        package var rows: Int { tables.reduce(0) { $0 + $1.rows } }
    }

    var deleted: [Entry] {
        closure.order.reversed().flatMap { $0 }.compactMap { table in
            guard let found = closure.found[table] else { return nil }
            // usher deletes rows of a `give` line only if the new user doesn't exist or is deleted, too.
            var line = found.shared > 0 ? model.rules.shared[table] : nil
            if case .give = line?.answer { line = nil }
            return Entry(
                table: model.name(table), rows: found.rows, policy: .delete, via: way(to: table),
                shared: found.shared, isIndexed: found.edges.allSatisfy { model.edges[$0].isIndexed },
                why: line?.why, mayStay: found.edges.allSatisfy { !model.edges[$0].emptied.isEmpty })
        }
    }

    var stayed: [Entry] {
        staying.sorted { $0.key < $1.key }.flatMap { table, rows -> [Entry] in
            let edges = model.edges(from: table).filter { conditions.keys[$0.key] != nil && !$0.isAsked }
            var seen: Set<String> = []
            let ways = edges.map { way(to: $0.parent) + step($0) }.filter { seen.insert($0).inserted }
            return rows.entries.map { policy, rows, why in
                Entry(
                    table: model.name(table), rows: rows, policy: policy, via: ways.joined(separator: "; "), shared: 0,
                    isIndexed: edges.allSatisfy(\.isIndexed), why: why)
            }
        }
    }

    /// The path to the rows of a table: `auth.users → public.profiles.id → public.messages.sender_id`.
    private func way(to table: UInt32) -> String {
        var steps: [String] = []
        var (place, visited) = (table, Set<UInt32>())
        while place != model.root.oid, visited.insert(place).inserted {
            let edges = (closure.found[place]?.edges ?? []).map { model.edges[$0] }
            guard let edge = edges.first(where: { !visited.contains($0.parent) }) else { break }
            steps.append(step(edge))
            place = edge.parent
        }
        return SQLName.path(of: [model.root.schema, model.root.name]) + steps.reversed().joined()
    }

    private func step(_ edge: Edge) -> String {
        edge.columns.isEmpty
            ? " → \(edge.name)"
            : " → \(model.path(edge.child)).\(edge.columns.map { SQLName.path(of: [$0]) }.joined(separator: ","))"
    }

    /// The tables with a `@written` line, and the tables to which the app file adds rows, with the reason for these rows.
    package var written: [(table: String, isRemoved: Bool, why: String?)] {
        let rules = model.rules
        return Set(rules.written.keys).union(rules.added.keys).map { table in
            let why = rules.added[table]
            return (model.name(table), why == nil && rules.written[table]?.answer == .remove, why)
        }.sorted { $0.table < $1.table }
    }
}

extension AccountPlan {
    package var groups: [Group] {
        Group.Kind.allCases.flatMap { kind -> [Group] in
            let counts = entries.map { ($0, $0.rows(of: kind)) }.filter { $0.1 > 0 }
            let hasReasons = [.changed, .kept].contains(kind)
            return Dictionary(grouping: counts) { hasReasons ? $0.0.why : nil }.map { why, counts in
                let tables = Dictionary(counts.map { ($0.0.table, $0.1) }, uniquingKeysWith: +)
                let inOrder = tables.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                return Group(kind: kind, tables: inOrder.map { ($0.key, $0.value) }, why: why)
            }.sorted { ($1.rows, $0.why ?? "") < ($0.rows, $1.why ?? "") }
        }
    }

    /// The numbers of rows by policy and table.
    var rows: [Policy: [String: Int]] {
        Dictionary(grouping: entries, by: \.policy).mapValues { entries in
            Dictionary(entries.map { ($0.table, $0.rows) }, uniquingKeysWith: +)
        }
    }

    package func rows(under policy: Policy) -> [String: Int] { rows[policy] ?? [:] }
}

extension AccountPlan.Entry {
    /// The group of the entry; a deleted entry with shared rows belongs to the group of shared rows.
    package var kind: AccountPlan.Group.Kind {
        switch policy {
        case .delete: shared > 0 ? .shared : .owned
        case .detach: .detached
        case .set: .changed
        case .keep: .kept
        }
    }

    fileprivate func rows(of kind: AccountPlan.Group.Kind) -> Int {
        if policy == .delete { return kind == .owned ? rows - shared : kind == .shared ? shared : 0 }
        return kind == self.kind ? rows : 0
    }
}
