internal import AppFile
internal import Catalog
internal import Inquiries
internal import PQ

extension FoundAccount {
    /// The plan, in the order in which the rows were found.
    func plan(environment: String, facts: Row? = nil, buildsIndexes: Bool = false) -> AccountPlan {
        let entries = deleted + staying + needed + kept
        return AccountPlan(
            root: "\(map.root.table).\(map.root.column)",
            rootPath: SQLName.path(of: [map.root.schema, map.root.name, map.root.column]), users: map.root.values,
            facts: facts,
            person: facts.map { Person($0, map.lexicon) } ?? search.identity.person,
            addresses: search.identity.addresses,
            environment: environment, isRootGone: closure.isRootGone, entries: entries,
            held: held, unsearched: search.unsearched, files: files,
            warnings: warnings(buildsIndexes: buildsIndexes),
            obstacles: obstacles, written: written, outsideEffects: outsideEffects, effectsOfArchive: effectsOfArchive,
            collateralAnswer: closure.answer, fingerprint: fingerprint(entries))
    }

    private var deleted: [AccountPlan.Entry] {
        closure.deletionOrder.reversed().flatMap { $0 }.compactMap { table in
            guard let found = closure.found[table] else { return nil }
            let links = found.byLink.filter { $0.value > 0 }.keys.sorted().map { map.links[$0] }
            return AccountPlan.Entry(
                table: map.name(table), rows: found.rows, policy: .delete, via: way(to: table),
                collateral: found.collateral,
                isIndexed: links.allSatisfy { $0.reference?.isIndexed ?? true },
                why: found.collateral > 0 ? map.lines.shared[table].map { .declared($0.why) } : nil, seen: found.seen,
                mayStay: !links.contains(where: takesRow))
        }
    }

    private var staying: [AccountPlan.Entry] {
        let tables = Dictionary(grouping: closure.staying.keys.sorted(), by: { map.links[$0].child })
        return tables.sorted { $0.key < $1.key }.flatMap { table, ids -> [AccountPlan.Entry] in
            let links = ids.map { map.links[$0] }
            func entry(_ policy: AccountPlan.Policy, _ links: [AccountLink], rows: Int, why: AccountPlan.Reason?)
                -> AccountPlan.Entry
            {
                // An address is looked up as it is written and in small letters, which is one way.
                var seen: Set<String> = []
                let ways = links.map { way(to: $0.parent) + step($0) }.filter { seen.insert($0).inserted }
                return AccountPlan.Entry(
                    table: map.name(table), rows: rows, policy: policy, via: ways.joined(separator: "; "),
                    collateral: 0,
                    isIndexed: links.allSatisfy { $0.reference?.isIndexed ?? true }, why: why)
            }
            let found = closure.stayingRows[table] ?? .init()
            if map.hasPolicy(table), let words = map.anonymised[table]?.first?.why ?? map.kept[table] {
                let why = AccountPlan.Reason.declared(words)
                let holding = links.filter { closure.isStraight($0) || $0.isOwning }
                let losing = links.filter { !closure.isStraight($0) && !closure.lost(by: $0).isEmpty }
                return [
                    entry(map.anonymised[table] == nil ? .keep : .anonymise, holding, rows: found.held, why: why),
                    entry(.detach, losing, rows: found.losing, why: nil),
                    entry(.keep, links, rows: found.rows - found.held - found.losing, why: why),
                ].filter { $0.rows > 0 }
            }
            let kept = zip(map.lines.partly[table] ?? [], found.kept).filter { $1 > 0 }.map { line, rows in
                entry(line.isOverwritten ? .anonymise : .keep, links, rows: rows, why: .declared(line.why))
            }
            let rest = found.rows - found.kept.reduce(0, +)
            if rest == 0 { return kept }
            // By whatever word a row stays, it loses what it refers to; what only speaks of the person may keep the words.
            let left = links.filter { closure.isLeft($0) }
            let losing = links.filter { !closure.isLeft($0) }
            let isRewritten = losing.allSatisfy { $0.reading.map(map.lines.rewrites) ?? false }
            let lost = left.isEmpty ? rest : min(rest, losing.reduce(0) { $0 + (closure.staying[$1.id] ?? 0) })
            return kept
                + [
                    entry(isRewritten ? .anonymise : .detach, losing, rows: lost, why: nil),
                    entry(.keep, left, rows: rest - lost, why: nil),
                ].filter { $0.rows > 0 }
        }
    }

    /// What would go with what refers to it, and stays for others.
    private var needed: [AccountPlan.Entry] {
        closure.needed.sorted { $0.key < $1.key }.map { table, needed in
            let ways = (map.linksByChild[table] ?? []).map { map.links[$0] }.filter { $0.reading?.half != nil }
            return AccountPlan.Entry(
                table: map.name(table), rows: needed.rows, policy: .keep,
                via: ways.map { way(to: $0.parent) + step($0) }.joined(separator: "; "), collateral: 0, isIndexed: true,
                why: .needed(by: needed.by.map(map.name).sorted()))
        }
    }

    /// What stays because a line of the app file says so, or whoever deletes.
    private var kept: [AccountPlan.Entry] {
        func reason(_ held: HeldColumn, of columns: [String] = []) -> AccountPlan.Reason {
            Reading.Key(held.path, map.graph).flatMap { map.lines.reason($0, of: columns) }
                ?? .onRequest(columns: columns)
        }
        let tables = Dictionary(grouping: held.kept, by: \.table).sorted { $0.key < $1.key }
        let beside = hanging.map { link, rows in
            AccountPlan.Entry(
                table: map.name(link.child), rows: rows, policy: .keep, via: way(to: link.parent) + step(link),
                collateral: 0, isIndexed: true, why: map.kept[link.child].map { .declared($0) })
        }
        return beside
            + tables.flatMap { table, all in
                Dictionary(grouping: all) { reason($0) }.values.map { all in
                    AccountPlan.Entry(
                        table: table, rows: all.map(\.rows).max() ?? 0, policy: .keep,
                        via: all.map { "\(map.root.table) → \($0.name)" }.joined(separator: "; "), collateral: 0,
                        isIndexed: true, why: reason(all[0], of: all.map(\.column)))
                }.sorted { ($0.why?.given ?? "") < ($1.why?.given ?? "") }
            }
    }

    /// How the rows of a table are reached, `auth.users → public.profiles.id → public.messages.sender_id`.
    private func way(to table: UInt32) -> String {
        var steps: [String] = []
        var (place, visited) = (table, Set<UInt32>())
        while place != map.root.oid, visited.insert(place).inserted {
            let links = closure.found[place]?.byLink.filter { $0.value > 0 }.keys.sorted() ?? []
            // The shortest way is found first where tables are found level by level; a circle leads nowhere.
            guard let link = links.map({ map.links[$0] }).first(where: { !visited.contains($0.parent) }) else { break }
            steps.append(step(link))
            place = link.parent
        }
        return SQLName.path(of: [map.root.schema, map.root.name]) + steps.reversed().joined()
    }

    private func step(_ link: AccountLink) -> String {
        switch link.source {
        case .key(let reference), .inherited(let reference):
            " → \(map.path(link.child)).\(reference.columns.map { SQLName.path(of: [$0.name]) }.joined(separator: ","))"
        case .declared(let from), .suspected(let from): " → \(from)"
        }
    }

    // MARK: The fingerprint

    private func fingerprint(_ entries: [AccountPlan.Entry]) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func take(_ text: String) {
            for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        }
        for user in map.root.values.sorted() { take(user + "\n") }
        for entry in entries { take("\(entry.table) \(entry.policy.rawValue) \(entry.rows) \(entry.via)\n") }
        for reference in map.graph.references { take("\(reference.oid) \(reference.action.rawValue)") }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
