internal import AppFile
internal import Catalog
internal import Inquiries
internal import PQ

extension AccountSurvey {
    /// The plan, in the order in which the rows were found.
    ///
    /// With `archives` whoever deletes has to be able to restore, too.
    func plan(
        environment: String, facts: Row? = nil, buildsIndexes: Bool = false, archives: Bool = false
    ) -> AccountPlan {
        let entries = deleted + staying + kept
        return AccountPlan(
            root: "\(map.root.table).\(map.root.column)",
            rootPath: SQLName.path(of: [map.root.schema, map.root.name, map.root.column]), users: map.root.values,
            facts: facts,
            person: facts.map { Person($0, map.lexicon) } ?? search.identity.person,
            addresses: search.identity.addresses,
            environment: environment, isRootGone: closure.isRootGone, entries: entries,
            held: held, unsearched: search.unsearched, files: files,
            warnings: warnings(buildsIndexes: buildsIndexes),
            obstacles: obstacles + (archives ? unrestorable : []), unrestorable: unrestorable, written: written,
            outsideEffects: outsideEffects,
            collateralAnswer: closure.answer, fingerprint: fingerprint(entries))
    }

    private var deleted: [AccountPlan.Entry] {
        closure.deletionOrder.reversed().flatMap { $0 }.compactMap { table in
            guard let found = closure.found[table] else { return nil }
            let links = found.byLink.filter { $0.value > 0 }.keys.sorted().map { map.links[$0] }
            return AccountPlan.Entry(
                table: map.name(table), rows: found.rows, policy: .delete, via: way(to: table),
                collateral: map.lines.shared[table] == nil ? found.collateral : 0,
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
            let isKept =
                closure.answer(of: table) == .keep && links.contains { $0.isDeleting }
                || links.allSatisfy { closure.isLeft($0) }
            let isRewritten = links.allSatisfy { $0.reading.map(map.lines.rewrites) ?? false }
            return kept + [
                entry(isKept ? .keep : isRewritten ? .anonymise : .detach, links, rows: rest, why: nil)
            ]
        }
    }

    /// What stays because a line of the app file says so, or whoever deletes.
    private var kept: [AccountPlan.Entry] {
        struct Kept: Hashable {
            let table: String
            let words: String?
        }
        let groups = Dictionary(grouping: held.kept) { suspect in
            let line = Reading.Key(suspect.path, map.graph).flatMap { map.lines.kept[$0] }
            return Kept(table: suspect.table, words: line)
        }
        return groups.sorted { ($0.key.table, $0.key.words ?? "") < ($1.key.table, $1.key.words ?? "") }.map {
            AccountPlan.Entry(
                table: $0.table, rows: $1.map(\.rows).max() ?? 0, policy: .keep,
                via: $1.map { "\(map.root.table) → \($0.name)" }.joined(separator: "; "), collateral: 0,
                isIndexed: true, why: $0.words.map { .declared($0) } ?? .onRequest(columns: $1.map(\.column)))
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

    // MARK: What to know

    /// Whether a row cannot stay without what it refers to.
    private func takesRow(_ link: AccountLink) -> Bool {
        link.isDeleting && map.sharedEffect(link) == nil && !closure.isLeft(link)
    }

    /// What makes the deletion impossible as things stand.
    private var obstacles: [AccountPlan.Obstacle] {
        var obstacles: [AccountPlan.Obstacle] = []
        // Several ways may lead to the same one.
        func add(_ obstacle: AccountPlan.Obstacle) {
            if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
        }
        for refusal in remarks.refusals { add(.refused(refusal)) }
        for foreign in foreignObstacles { add(foreign) }
        for (table, toNobody) in reassigned { add(.reassigned(table: map.path(table), toNobody: toNobody)) }
        for (id, _) in closure.staying.sorted(by: { $0.key < $1.key }) {
            let link = map.links[id]
            if case .block(let required) = link.effect { add(.required(required)) }
            guard takesRow(link) else { continue }
            let isByLine = closure.stayingRows[link.child].map { $0.kept.contains { $0 > 0 } } ?? false
            // What a line refers with may stand in rows that a line keeps.
            if link.isDeclared, isByLine { continue }
            add(.required(isByLine ? .partlyKept(map.name(link)) : .shared(map.name(link))))
        }
        for (table, found) in closure.found.sorted(by: { $0.key < $1.key }) where found.rows > found.cascaded {
            guard let relation = map.graph.tables[table], !relation.isDeletable else { continue }
            add(.mayNot(MissingRight(.delete, on: relation.path)))
        }
        for (missing, trigger) in forbidden { add(.mayNot(missing, by: trigger.map { NamedTrigger($0, in: map) })) }
        // What triggers add and a line takes away, whoever deletes takes away.
        for write in writes.all where write.right == .insert && map.lines.written[write.table.oid]?.answer == .remove {
            if !write.table.isDeletable { add(.mayNot(MissingRight(.delete, on: write.table.path))) }
        }
        for (table, why) in map.lines.added.sorted(by: { $0.key < $1.key }) {
            guard let relation = map.graph.tables[table], !relation.isInsertable else { continue }
            add(.mayNotInsert(table: relation.qualifiedName, why: why))
        }
        return obstacles
    }

    /// What keeps rows from coming back: that nothing identifies those that change, or that this role may not do what a
    /// restoration does: it inserts what goes and what triggers delete, gives back what is emptied, and takes out of the
    /// app's own queue what is added.
    private var unrestorable: [AccountPlan.Obstacle] {
        let gone = closure.found.filter { $0.value.rows > 0 }.keys.map { ($0, Graph.Table.Right.insert) }
        let emptied = closure.staying.keys.map { map.links[$0] }.filter {
            $0.reference?.action == .setNull || $0.reference?.action == .setDefault
        }.map { ($0.child, Graph.Table.Right.update) }
        let added = map.lines.added.keys.map { ($0, Graph.Table.Right.delete) }
        let taken = writes.all.filter { $0.right == .delete }.map { ($0.table.oid, Graph.Table.Right.insert) }
        let missing = (gone + emptied + added + taken).compactMap { oid, right -> MissingRight? in
            guard let table = map.graph.tables[oid], !table.grants(right) else { return nil }
            return Need.Privilege(rawValue: right.rawValue).map { MissingRight($0, on: table.path) }
        }
        return closure.unkeyed.map { .unkeyed(table: map.path($0.oid)) }
            + Set(missing).sorted { ($0.path, $0.right.rawValue) < ($1.path, $1.right.rawValue) }
            .map { .mayNotRestore($0) }
    }

    /// The tables that triggers which fire write to, as far as their sources name them.
    private var written: [AccountPlan.Written] {
        let found = Set(writes.all.filter { $0.right != .delete }.map(\.table.oid))
        let byTriggers = found.sorted().map { table in
            // Among rows that are changed nobody can tell those that came where nothing identifies one.
            let isUntold =
                map.graph.tables[table]?.key.isEmpty == true
                && writes.all.contains { $0.table.oid == table && $0.right == .update }
                && writes.all.contains { $0.table.oid == table && $0.right == .insert }
            return AccountPlan.Written(
                table: map.name(table), fate: !map.removesWritten(table) ? .stay : isUntold ? .untold : .go, why: nil)
        }
        return byTriggers
            + map.lines.added.sorted { $0.key < $1.key }.map { table, why in
                AccountPlan.Written(table: map.name(table), fate: .stay, why: why)
            }
    }

    private var outsideEffects: [NamedTrigger] {
        writes.known.filter { $0.reachesOutside && writes.fires($0) }.map { NamedTrigger($0, in: map) }
    }

    private func warnings(buildsIndexes: Bool) -> [AccountPlan.Remark] {
        var warnings = remarks.warnings.map { AccountPlan.Remark.told($0) }
        if closure.isRootGone { warnings.insert(.rootGone(map.root.table), at: 0) }
        for link in map.links {
            guard let reference = link.reference, (closure.found[link.child]?.byLink[link.id] ?? 0) > 0 else {
                continue
            }
            if [.setNull, .setDefault].contains(reference.action), link.isDeleting {
                warnings.append(.cannotBeEmptied(map.name(link), toDefault: reference.action == .setDefault))
            }
        }
        warnings += slowSearches.map { search in
            .unindexed(
                map.name(search.link), parents: search.parents, rows: search.rows, seconds: search.seconds,
                isBuilt: buildsIndexes)
        }
        warnings += outsideEffects.map { .reachesOutside($0) }
        if !search.hidden.isEmpty { warnings.append(.hidden(search.hidden)) }
        if !held.untouched.isEmpty { warnings.append(.untouched(held.untouched.map(\.path))) }
        let costly = search.costly.filter { reading in
            (map.linksByChild[reading.table] ?? []).allSatisfy { !map.links[$0].isPerson }
        }
        if !costly.isEmpty { warnings.append(.searchedLate(Set(costly.map { map.name($0.table) }).sorted())) }
        if !search.slow.isEmpty {
            warnings.append(.searchedSlowly(Set(search.slow.map { map.path($0.table, $0.name) }).sorted()))
        }
        let firing = writes.known.filter(writes.fires)
        warnings += firing.filter { $0.isBefore && $0.mayRefuse }.map { .mayRefuse(NamedTrigger($0, in: map)) }
        warnings += firing.filter(\.asksWhoActs).map { .asksWhoActs(NamedTrigger($0, in: map)) }
        let unkeyed = Set(writes.all.filter { $0.right == .update && $0.table.key.isEmpty }.map(\.table.path))
        if !unkeyed.isEmpty { warnings.append(.unarchived(unkeyed.sorted())) }
        let obstructed = Set(forbidden.map(\.missing))
        for trigger in firing {
            let missing = missingRights(of: trigger).filter { !obstructed.contains($0) }
            warnings += missing.map { .triggerMayNot($0, NamedTrigger(trigger, in: map)) }
        }
        warnings += map.missing.map { .missing($0) }
        if map.root.table == Platform.users { warnings.append(.tokensLive) }
        return warnings
    }

    /// The foreign keys whose searches take longer than a second, by what the planner believes.
    var slowSearches: [(link: AccountLink, parents: Int, rows: Int, seconds: Int)] {
        map.links.compactMap { link in
            guard let reference = link.reference, !reference.isIndexed, let table = map.graph.tables[link.child],
                let parents = closure.found[link.parent]?.rows, parents > 0
            else { return nil }
            // A sequential scan reads some thirty million rows a second, and a page in two microseconds.
            let seconds = Double(parents) * (Double(table.rows) * 33e-9 + Double(table.pages) * 2e-6)
            return seconds < 1 ? nil : (link, parents, table.rows, Int(seconds.rounded(.up)))
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
