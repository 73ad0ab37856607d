internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension ArchiveWriter {
    /// Refuses an archive that this role could not restore: reads it as it is written, puts everything back in the transaction of
    /// the deletion, and rolls that back.
    ///
    /// The settings of the deletion are reset, since a restoration makes none.
    func requireRestorable(resetting settings: [String]) throws(Failure) {
        let (_, sections) = try Archive.read(try ArchiveFile(file), asking: ask)
        var restoration = try Restoration(sections, graph: map.graph, in: transaction, before: taken.before)
        restoration.written = written
        do throws(Failure) { try restoration.rehearse(resetting: settings) } catch {
            guard error.refusal is ArchiveRefusal else { throw error }
            throw Failure(ArchiveRefusal.unrestorable(error))
        }
    }
}

extension Restoration {
    private static let rehearsal = Identifier("usher rehearsal")

    fileprivate mutating func rehearse(resetting settings: [String]) throws(Failure) {
        try transaction.mark(Self.rehearsal)
        try begin(resetting: settings)
        try requireAbsent()
        try putBack()
        try transaction.rollBack(to: Self.rehearsal)
    }

    /// Makes the transaction as one that has just begun: a constraint is checked when it says itself.
    ///
    /// Those of the audit log guard the deletion, and are left alone.
    private mutating func begin(resetting settings: [String]) throws(Failure) {
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

    /// Refuses rows in whose place triggers have put others with the same keys.
    private func requireAbsent() throws(Failure) {
        let known = deleted.values.filter { !$0.section.key.isEmpty }
        for (rows, answer) in zip(known, try transaction.ask(known.map(\.presence))) {
            let row = try decoding(try answer.only())
            let there = try decoding(try row.integer("others") + row.integer("own"))
            guard there == 0 else {
                throw Failure(ArchiveRefusal.misplaced(TableRows(rows.section.name, there)))
            }
        }
    }
}
