internal import Catalog
internal import Inquiries

/// What this role may not do of what a deletion does.
extension AccountSurvey {
    /// A right that it lacks, and what of a trigger's work needs it; nil for the deletion's own.
    struct Lacking {
        let need: Need
        let use: TriggerWrites.Use?
    }

    /// What keeps the deletion from being done: the rights that this role lacks for its own statements, and for the work of
    /// triggers that certainly run with its own.
    var forbidden: [(missing: MissingRight, trigger: TriggerEffect?)] {
        let running = writes.runningAsDeleter
        let certain = lacking.filter { lacking in
            lacking.use.map { !$0.isDeclared && running.contains($0.trigger) } ?? true
        }
        return certain.told
    }

    /// What of the work of a trigger this role may not do, of what is done with its rights.
    func missingRights(of trigger: TriggerEffect) -> [MissingRight] {
        lacking.filter { $0.use?.trigger == trigger }.map(\.need).missing
    }
}

extension [AccountSurvey.Lacking] {
    /// The same, each right once, with what needs it first, and the columns of one table together.
    var told: [(missing: MissingRight, trigger: TriggerEffect?)] {
        var (triggers, told): ([TriggerEffect?], Set<Need>) = ([], [])
        for trigger in map(\.use?.trigger) where !triggers.contains(trigger) { triggers.append(trigger) }
        return triggers.flatMap { trigger in
            let needs = filter { $0.use?.trigger == trigger }.map(\.need).filter { told.insert($0).inserted }
            return needs.missing.map { ($0, trigger) }
        }
    }
}

extension AccountClosure {
    /// What its own statements need, besides the sight of what they look at.
    var rights: [NeededRight] {
        var updated: [UInt32: Set<String>] = [:]
        for link in staying.keys.map({ map.links[$0] }) {
            // What the database empties by itself it empties with its own rights.
            let isOwn = link.reference?.action == .setNull || link.reference?.action == .setDefault
            let overwritten = (map.anonymised[link.child] ?? []).map(\.column)
            let columns = isOwn ? overwritten : lost(by: link) + overwritten
            if !columns.isEmpty { updated[link.child, default: []].formUnion(columns) }
        }
        return updated.sorted { $0.key < $1.key }.map { .on(.update, $0, columns: $1) }
    }
}
