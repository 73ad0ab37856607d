internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// What is in the way of a deletion, and what to know before it.
extension FoundAccount {
    /// Whether a row cannot stay without what it refers to.
    func takesRow(_ link: AccountLink) -> Bool {
        link.isDeleting && map.sharedEffect(link) == nil && !closure.isLeft(link)
    }

    /// What makes the deletion impossible as things stand.
    var obstacles: [AccountPlan.Obstacle] {
        var obstacles: [AccountPlan.Obstacle] = []
        // Several ways may lead to the same one.
        func add(_ obstacle: AccountPlan.Obstacle) {
            if !obstacles.contains(obstacle) { obstacles.append(obstacle) }
        }
        for refusal in remarks.refusals { add(.refused(refusal)) }
        for foreign in foreignObstacles { add(foreign) }
        for (table, other, toNobody) in reassigned {
            add(.reassigned(table: map.path(table), to: other, toNobody: toNobody))
        }
        for (id, _) in closure.staying.sorted(by: { $0.key < $1.key }) {
            let link = map.links[id]
            if case .block(let required) = link.effect { add(.required(required)) }
            guard takesRow(link) else { continue }
            let isByLine = closure.stayingRows[link.child].map { $0.kept.contains { $0 > 0 } } ?? false
            // What a line refers with may stand in rows that a line keeps.
            if link.isDeclared, isByLine { continue }
            let isSettled = map.lines.shared[link.child] != nil
            add(.required(isByLine ? .partlyKept(map.name(link)) : .shared(map.name(link), isByLine: isSettled)))
        }
        for (table, found) in closure.found.sorted(by: { $0.key < $1.key }) where found.rows > found.cascaded {
            guard let relation = map.graph.tables[table], !relation.isDeletable else { continue }
            add(.mayNot(MissingRight(.delete, on: relation.path)))
        }
        for (missing, trigger) in forbidden {
            add(.mayNot(missing, by: trigger.map { NamedTrigger($0, in: map.graph) }))
        }
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

    /// The tables that triggers which fire write to, as far as their sources name them.
    var written: [AccountPlan.Written] {
        let found = Set(writes.all.filter { $0.right != .delete }.map(\.table.oid))
        let byTriggers = found.sorted().map { table in
            let rights = Set(writes.all.filter { $0.table.oid == table }.map(\.right))
            let isUntold =
                map.graph.tables[table]?.mixes(
                    inserted: rights.contains(.insert), updated: rights.contains(.update)) ?? false
            return AccountPlan.Written(
                table: map.name(table), fate: !map.removesWritten(table) ? .stay : isUntold ? .untold : .go, why: nil)
        }
        return byTriggers
            + map.lines.added.sorted { $0.key < $1.key }.map { table, why in
                AccountPlan.Written(table: map.name(table), fate: .stay, why: why)
            }
    }

    var outsideEffects: [NamedTrigger] { writes.outsideEffects(in: map.graph) }

    func warnings(buildsIndexes: Bool) -> [AccountPlan.Remark] {
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
        if !search.standing.isEmpty { warnings.append(.standing(search.standing)) }
        if !held.untouched.isEmpty { warnings.append(.untouched(held.untouched.map(\.path))) }
        let costly = search.costly.filter { reading in
            (map.linksByChild[reading.table] ?? []).allSatisfy { !map.links[$0].isPerson }
        }
        if !costly.isEmpty { warnings.append(.searchedLate(Set(costly.map { map.name($0.table) }).sorted())) }
        if !search.slow.isEmpty {
            warnings.append(.searchedSlowly(Set(search.slow.map { map.path($0.table, $0.name) }).sorted()))
        }
        let firing = writes.known.filter(writes.fires)
        warnings += firing.filter { $0.isBefore && $0.mayRefuse }.map { .mayRefuse(NamedTrigger($0, in: map.graph)) }
        warnings += firing.filter(\.asksWhoActs).map { .asksWhoActs(NamedTrigger($0, in: map.graph)) }
        let unkeyed = Set(writes.all.filter { $0.right == .update && $0.table.key.isEmpty }.map(\.table.path))
        if !unkeyed.isEmpty { warnings.append(.unarchived(unkeyed.sorted())) }
        let obstructed = Set(forbidden.map(\.missing))
        for trigger in firing {
            let missing = missingRights(of: trigger).filter { !obstructed.contains($0) }
            warnings += missing.map { .triggerMayNot($0, NamedTrigger(trigger, in: map.graph)) }
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
}

/// What this role may not do of what a deletion does.
extension FoundAccount {
    /// What keeps the deletion from being done: the rights that this role lacks for its own statements, and for the work of
    /// triggers that certainly run with its own.
    var forbidden: [(missing: MissingRight, trigger: TriggerEffect?)] {
        let running = writes.runningAsDeleter
        let certain = lacking.filter { lacking in
            lacking.use.map { !$0.isDeclared && running.contains($0.trigger) } ?? true
        }
        return NeededRight.told(certain)
    }

    /// What of the work of a trigger this role may not do, of what is done with its rights.
    func missingRights(of trigger: TriggerEffect) -> [MissingRight] {
        lacking.filter { $0.use?.trigger == trigger }.map(\.need).missing
    }
}

extension AccountClosure {
    /// What its own statements need, besides the sight of what they look at.
    var rights: [NeededRight] {
        var updated: [UInt32: Set<String>] = [:]
        for link in staying.keys.map({ map.links[$0] }) {
            // What the database empties by itself it empties with its own rights.
            let isOwn = link.reference?.action == .setNull || link.reference?.action == .setDefault
            let overwritten = (map.anonymised[link.child] ?? []).map(\.name)
            let columns = isOwn ? overwritten : lost(by: link) + overwritten
            if !columns.isEmpty { updated[link.child, default: []].formUnion(columns) }
        }
        return updated.sorted { $0.key < $1.key }.map { .on(.update, $0, columns: $1) }
    }
}

/// What a deletion would write on other servers: here nobody counts those rows, or knows what they were.
extension AccountClosure {
    /// Asks, of tables with partitions of other servers, for those that hold rows which are meant.
    var questionsAboutForeignParts: [Query] {
        writtenTables.sorted().compactMap { oid in
            var bindings = Bindings()
            guard let table = map.graph.tables[oid], table.hasForeignParts, let condition = writing(oid, &bindings)
            else { return nil }
            let parts = map.graph.tables.values.filter { $0.partitionOf == oid && $0.isForeign }.map(\.oid).sorted()
            let places = bindings.bind(parts.map(String.init), of: "oid")
            let sql = """
                select distinct t.tableoid as part from \(table.ownRows) t \
                where t.tableoid = any (\(places)) and (\(condition))
                """
            return Query(unsafe: sql, values: bindings.values)
        }
    }

    /// Those tables and parts, by the answers.
    func foreignTables(_ answers: [Rows]) throws(DecodingFailure) -> [Graph.Table] {
        var tables = writtenTables.sorted().compactMap { map.graph.tables[$0] }.filter(\.isForeign)
        for row in answers.flatMap(\.rows) {
            if let table = map.graph.tables[try row.identifier("part")] { tables.append(table) }
        }
        return tables
    }

    /// The tables in which rows are deleted, emptied or overwritten.
    private var writtenTables: Set<UInt32> {
        let deleted = found.filter { $0.value.rows > 0 }.keys
        let emptied = staying.keys.map { map.links[$0] }.filter { !lost(by: $0).isEmpty }.map(\.child)
        let overwritten = map.anonymised.keys.filter { (stayingRows[$0]?.held ?? 0) > 0 }
        return Set(deleted).union(emptied).union(overwritten)
    }

    /// The condition under which a row of a table is deleted, emptied or overwritten.
    private func writing(_ table: UInt32, _ bindings: inout Bindings) -> String? {
        let emptying = staying.keys.sorted().map { map.links[$0] }.filter { $0.child == table && !lost(by: $0).isEmpty }
        let conditions = [
            condition(of: table, &bindings), staying(by: emptying, &bindings),
            map.anonymised[table] == nil ? nil : holding(table, &bindings),
        ].compactMap { $0 }
        return conditions.isEmpty ? nil : conditions.map { "(\($0))" }.joined(separator: " or ")
    }
}

extension FoundAccount {
    /// Why what lies on other servers is in the way.
    var foreignObstacles: [AccountPlan.Obstacle] {
        let known = Set(held.unanswered + held.untouched)
        return held.open.filter { $0.isForeign && !known.contains($0) }.map { .foreignSuspect($0) }
            + foreignTables.map { table in
                // A row belongs to the whole, so that only the whole can stay.
                let whole = table.partitionOf.flatMap { map.graph.tables[$0]?.path }
                return .foreignTable(path: table.path, partOf: whole)
            }
            + foreignWrites
    }

    /// What triggers do on other servers: what they add may stay uncounted where somebody says so, and of what they change
    /// nobody here could tell what it was.
    private var foreignWrites: [AccountPlan.Obstacle] {
        var obstacles: [AccountPlan.Obstacle] = []
        let away = writes.all.filter(\.table.asksElsewhere)
        for (place, write) in away.enumerated() {
            func isSame(_ other: TriggerWrites.Write) -> Bool {
                (other.trigger, other.table.oid) == (write.trigger, write.table.oid)
            }
            if away[..<place].contains(where: isSame) { continue }
            let adds = away.filter(isSame).allSatisfy { $0.right == .insert }
            if adds, map.lines.keepsWritten(write.table.oid) { continue }
            obstacles.append(
                .foreignWrite(
                    path: write.table.path, by: NamedTrigger(write.trigger, in: map.graph), adds: adds,
                    isPart: !write.table.isForeign))
        }
        return obstacles
    }
}
