internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension ArchiveWriter {
    private static let rehearsal = Identifier("usher rehearsal")

    /// Refuses an archive that this role could not restore: reads it as it is written, puts everything back in the transaction of
    /// the deletion, and rolls that back.
    ///
    /// The settings of the deletion are reset, since a restoration makes none. What no rollback takes back is not set off unless
    /// it is allowed.
    func requireRestorable(resetting settings: [String], allowsEffects: Bool) throws(Failure) {
        let transaction = transaction
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let (_, sections) = try Archive.read(try ArchiveFile(file), asking: ask)
        if !allowsEffects { try requireInside(sections) }
        do throws(Failure) {
            var restoration = try Restoration(sections, graph: graph, in: transaction, before: before)
            restoration.written = written
            try transaction.mark(Self.rehearsal)
            try restoration.begin(resetting: settings)
            try restoration.putBack()
            try transaction.rollBack(to: Self.rehearsal)
        } catch {
            guard error.refusal is ArchiveRefusal else { throw error }
            throw Failure(ArchiveRefusal.unrestorable(error))
        }
    }

    /// Refuses triggers that reach outside of the transaction.
    private func requireInside(_ sections: [Archive.Section]) throws(Failure) {
        var kinds: [UInt32: Set<Archive.Section.Kind>] = [:]
        for section in sections {
            if let table = graph.tables.values.first(where: { $0.sql == section.table }) {
                kinds[table.oid, default: []].insert(section.kind)
            }
        }
        let answer = try transaction.ask([TriggerEffect.query(of: kinds.keys.sorted())])[0]
        let triggers = try decoding { () throws(DecodingFailure) in try TriggerEffect.all(answer) }
        let outside = triggers.filter { trigger in
            let kinds = kinds[graph.whole(trigger.table)] ?? []
            let (inserts, updates) = (kinds.contains(.deleted), kinds.contains(.changed))
            let fires =
                inserts && trigger.firesOnInsert || updates && trigger.firesOnUpdate
                || kinds.contains(.added) && trigger.firesOnDelete
            return fires && trigger.reachesOutside
        }
        if !outside.isEmpty {
            throw Failure(ArchiveRefusal.outsideEffects(outside.map { NamedTrigger($0, in: graph) }))
        }
    }
}

extension Restoration {
    /// Makes the transaction as one that has just begun: a constraint is checked when it says itself.
    ///
    /// Those of the audit log guard the deletion, and are left alone.
    fileprivate mutating func begin(resetting settings: [String]) throws(Failure) {
        let question: Query = """
            select string_agg(w.name, ', ') as all, string_agg(w.name, ', ') filter (where c.condeferred) as late
              from pg_constraint c
              join pg_namespace n on n.oid = c.connamespace
             cross join lateral (select format('%I.%I', n.nspname, c.conname) as name) w
             where c.condeferrable and n.nspname !~ '^(pg_|usher$)' and has_schema_privilege(n.oid, 'usage')
            """
        let answer = try transaction.ask([question])[0]
        let late: String?
        (constraints, late) = try decoding { () throws(DecodingFailure) in
            (try answer.only().optionalText("all"), try answer.only().optionalText("late"))
        }
        var steps = checking("immediate")
        if let late { steps.append(Query(unsafe: "set constraints \(late) deferred")) }
        steps += settings.map { Query(unsafe: "reset \(SQLName.path(of: SQLName.parts(ofPath: $0) ?? []))") }
        if case .failure(let error) = try attempt(steps) { throw refused(error, []) }
    }
}
