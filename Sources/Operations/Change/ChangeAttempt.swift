internal import AppFile
internal import Catalog
internal import EmbeddedSQL
internal import PQ

/// One run of a change in one transaction: locks, judges, runs, compares, records, and commits only for an entry.
struct ChangeAttempt {
    let setting: ChangeSetting
    /// What to record; without it everything is taken back.
    let record: ChangeRecord?
    /// What was shown before; the run has to be the same.
    let plan: ChangeReport?
    /// Subjects that are known to be impossible, with the reason.
    var excluded: [String: SubjectRemark] = [:]

    private var work: ChangeWork { setting.work }
    private var app: App { setting.app }
    private static let unit = Identifier("unit")

    /// What became of it.
    enum Outcome {
        case report(ChangeReport)
        /// Some subjects turned out to be impossible; the others can be done without them.
        case without([String: SubjectRemark])
        /// The connection died while the server was committing.
        case unknown(ChangeReport)
    }

    func run() throws(Failure) -> Outcome {
        let candidates = setting.subjects.filter { excluded[$0.key] == nil }
        let transaction = try begin(alone: candidates)
        defer { transaction.end() }
        let (environment, now) = try circumstances(in: transaction)
        try requirePermission(in: environment)
        let judgement = try judge(candidates, now: now, in: transaction)
        try requireOpen(in: transaction)
        let byKey = Dictionary(candidates.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let subjects = candidates.filter { judgement.refused[$0.key] == nil }
        var refused = remarks(judgement, candidates)
        if subjects.isEmpty, work.subject != .nothing || !judgement.refused.isEmpty {
            guard setting.toleratesRefusal || setting.subjects.isEmpty && judgement.refused.isEmpty else {
                throw refusal(refused)
            }
            return .report(
                ChangeReport(
                    operation: nil, command: work.command, isDryRun: record == nil, environment: environment,
                    grade: work.grade, isFinal: work.isFinal, subjects: [], changes: [], tables: [], decisions: [],
                    warnings: [], refused: refused, impacts: [], now: now))
        }

        let users = try users(of: subjects, now: now, in: transaction)
        let before = try stand(users, now: now, in: transaction)
        try requireNone(of: work.obstacles, in: transaction, "what it changed has changed since")
        let touched = TouchedRows(transaction: transaction, secrets: setting.secrets)
        var objections: [String: SubjectRemark] = [:]
        let changes: [RowChange]
        let tables: [TableShape]
        do throws(Failure) {
            (changes, tables) = try touched.changes { () throws(Failure) in
                let (pass, remarks) = try pass(subjects, now: now, in: transaction)
                objections = remarks
                // What was taken back of those is counted still: without them, all there is can be accounted for.
                if let first = subjects.lazy.compactMap({ remarks[$0.key] }).first(where: \.isFailure) {
                    throw Failure(.failed, first.sentence.plain)
                }
                return pass
            }
        } catch {
            let failed = objections.filter { $0.value.isFailure }
            if !failed.isEmpty { return .without(failed) }
            // What undoes is done for all at once, whoever they are.
            guard work.each == nil, work.undoes == nil, subjects.count > 1, error.kind == .failed else { throw error }
            try transaction.rollBack(to: TouchedRows.start)
            let impossible = try objectors(subjects, now: now, in: transaction)
            if impossible.isEmpty || impossible.count == subjects.count { throw error }
            return .without(impossible)
        }
        refused = inOrder(refused + objections.values)
        let done = subjects.filter { objections[$0.key] == nil }
        if done.isEmpty, work.subject != .nothing { throw refusal(refused) }

        try requireNone(of: work.verifications, in: transaction, "it cannot be restored")
        try requireConfined(changes, in: transaction)
        let after = try stand(users, now: now, in: transaction)
        let kept = objections.isEmpty ? users : try self.users(of: done, now: now, in: transaction)
        let unkept = unkept(after.standing, kept)
        if !unkept.isEmpty {
            if work.subject == .users, unkept.count < done.count { return .without(unkept) }
            throw refusal(kept.compactMap { unkept[$0.key] })
        }
        var report = ChangeReport(
            operation: nil, command: work.command, isDryRun: record == nil, environment: environment, grade: work.grade,
            isFinal: work.isFinal, subjects: done, changes: changes, tables: tables,
            decisions: after.standing.changes(since: before.standing, of: app, users: users),
            warnings: work.remarks.map { SubjectRemark(subject: nil, sentence: FilledSentence(text: $0)) }
                + judgement.warnings.map { warning in
                    SubjectRemark(subject: warning.key.flatMap { byKey[$0] }, sentence: warning.sentence)
                }, refused: refused, impacts: Array(zip(before.impacts, after.impacts)), now: now)
        guard let record else { return .report(report) }
        if let plan { try report.requireSame(as: plan) }
        if changes.isEmpty { return .report(report) }
        if changes.count > work.ceiling, !setting.isConfirmed {
            throw Failure(
                .refused,
                "this changes \(changes.count) rows, more than \(work.ceiling); it has to be confirmed as severe",
                hint: "add --confirm \(subjects.count == 1 ? subjects[0].label : String(subjects.count))")
        }
        let entry = record.entry(done)
        try transaction.record(entry)
        try transaction.run(Ledger.recordChanges(of: entry.id, from: 0, payloads: changes.map(\.payload)))
        report.operation = entry.id
        do throws(PQError) {
            try transaction.commit()
        } catch {
            guard error.leavesCommitUnknown else { throw Failure(error) }
            return .unknown(report)
        }
        return .report(report)
    }
}

// MARK: Before

extension ChangeAttempt {
    private func circumstances(in transaction: ChangeTransaction) throws(Failure) -> (Environment, String) {
        let instant: Query =
            "select coalesce(\(setting.now ?? plan?.now)::timestamptz, transaction_timestamp())::text as now"
        let answers = try transaction.look([Environment.query, instant])
        guard case .success(let rows) = answers[1], let now = rows.first?["now"]?.text else {
            throw Failure(.failed, "the server does not say what time it is")
        }
        return (Environment(answers[0]), now)
    }

    private func requirePermission(in environment: Environment) throws(Failure) {
        // The mark may have changed while somebody was asked.
        if record != nil { try environment.requireReason(setting.hasReason) }
        guard work.isForced, environment.name == "production" else { return }
        throw Failure(
            .refused,
            environment.doubt.map { "test states are for test databases, and here \($0)" }
                ?? "test states are impossible in production")
    }

    /// Begins with a lock on each subject, so that two operators who change the same user do it one after the other.
    private func begin(alone subjects: [ChangeSubject]) throws(Failure) -> ChangeTransaction {
        // The server's lock table is small; what many users are changed by, their rows keep apart.
        guard subjects.count <= 100, !subjects.isEmpty else { return try ChangeTransaction(setting) }
        let keys = arrayLiteral(subjects.map { "usher \(app.name) \(work.subject) \($0.key)" }.sorted())
        let transaction = try ChangeTransaction(
            setting,
            first: """
                select pg_catalog.bool_and(pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(k, 0))) as locked
                  from pg_catalog.unnest(\(keys)::pg_catalog.text[]) k
                """)
        if transaction.firstAnswer?.first?["locked"]?.boolean == true { return transaction }
        transaction.end()
        // What the other one did must be seen: wait outside, then begin anew.
        let waiting = try ChangeTransaction(setting)
        defer { waiting.end() }
        do throws(Failure) {
            try waiting.run("select pg_advisory_xact_lock(hashtextextended(k, 0)) from unnest(\(keys)::text[]) k")
        } catch {
            guard error.state == .lockNotAvailable else { throw error }
            throw Failure(
                .conflict,
                "somebody else is changing \(subjects.count == 1 ? subjects[0].label : "one of these users")",
                hint: "try again in a moment", state: error.state)
        }
        throw Failure(.conflict, "somebody else was changing it", state: .serializationFailure)
    }

    private func judge(
        _ subjects: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> Judgement {
        // One by one, what an earlier one does decides about a later one.
        guard work.each == nil, !(work.refusals + work.warnings).isEmpty else { return Judgement() }
        let query = Judgement.query(
            work, of: app, keys: subjects.map(\.key), type: setting.keyType, bindings: setting.bindings(now: now))
        return try Judgement(try setting.look([query], in: transaction)[0], for: work)
    }

    /// Refuses when the engine's own questions find anything.
    private func requireNone(
        of questions: [Query], in transaction: ChangeTransaction, _ complaint: String
    ) throws(Failure) {
        var found: [String] = []
        for question in questions {
            for row in try transaction.run(question).rows {
                found.append(row.values.compactMap(\.text).joined(separator: " "))
            }
        }
        if !found.isEmpty { throw Failure(.refused, "\(complaint); nothing was changed", details: found) }
    }

    /// Refuses to change rows that nobody spoke of.
    private func requireConfined(_ changes: [RowChange], in transaction: ChangeTransaction) throws(Failure) {
        if work.confines.isEmpty { return }
        var known: Set<String> = []
        for question in work.confines {
            let rows = try transaction.run(question).rows
            known.formUnion(rows.map { $0.values.compactMap(\.text).joined(separator: " ") })
        }
        let others = changes.filter { $0.kind != .insert && !known.contains("\($0.table) \($0.key.text ?? "")") }
        guard !others.isEmpty else { return }
        throw Failure(
            .refused, "others refer to what it would remove; nothing was changed",
            details: others.prefix(10).map { "\($0.table) \($0.key.text ?? "") would be \($0.kind.rawValue)d" })
    }

    /// Refuses where row security would quietly keep rows from the statements.
    private func requireOpen(in transaction: ChangeTransaction) throws(Failure) {
        let targets = work.steps(setting.bindings(now: "2000-01-01", keys: [])).flatMap(\.targets)
        if targets.isEmpty { return }
        let question = Query(
            EmbeddedSQL.text(of: "catalog/closed_tables.sql"),
            [arrayLiteral(targets.map(\.table.schema)), arrayLiteral(targets.map(\.table.name))])
        guard case .success(let rows) = try transaction.look([question])[0], let row = rows.first else { return }
        let tables = rows.rows.compactMap { $0["table"]?.text }.joined(separator: ", ")
        throw Failure(
            .forbidden,
            "hidden by row security: \(row["role"]?.text ?? "this role") may not change every row of \(tables)",
            hint: "connect as a role with BYPASSRLS, or create the policies that `usher roles sql` prints")
    }

    private func remarks(_ judgement: Judgement, _ subjects: [ChangeSubject]) -> [SubjectRemark] {
        let general = judgement.refused[""].map { [SubjectRemark(subject: nil, sentence: $0)] } ?? []
        return general
            + setting.subjects.compactMap { subject in
                excluded[subject.key]
                    ?? judgement.refused[subject.key].map { SubjectRemark(subject: subject, sentence: $0) }
            }
    }

    /// Remarks in the order in which their subjects were named.
    private func inOrder(_ remarks: [SubjectRemark]) -> [SubjectRemark] {
        let places = Dictionary(
            setting.subjects.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        func place(_ remark: SubjectRemark) -> Int { remark.subject.flatMap { places[$0.key] } ?? -1 }
        return remarks.sorted { place($0) < place($1) }
    }

    private func refusal(_ remarks: [SubjectRemark]) -> Failure {
        let first = remarks.first
        let message = first?.sentence.plain ?? "nothing is left to do"
        let kind: Failure.Kind = remarks.contains { $0.isFailure } ? .failed : .refused
        if remarks.count <= 1 { return Failure(kind, message) }
        return Failure(
            kind, "all \(remarks.count) were refused",
            details: remarks.map { ($0.subject.map { "\($0.label): " } ?? "") + $0.sentence.plain })
    }

    private func users(
        of subjects: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> [ChangeSubject] {
        switch work.subject {
        case .users: return subjects
        case .nothing: return []
        case .object(let noun):
            guard let object = app.objects.first(where: { $0.noun == noun }),
                let query = app.owners(
                    of: object, keys: subjects.map(\.key), type: setting.keyType, bindings: setting.bindings(now: now))
            else { return [] }
            let answer = try setting.look([query], in: transaction)[0]
            let rows = try failing { () throws(PQError) in
                switch answer.result {
                case .success(let rows): rows
                case .failure(let error): throw .server(error)
                }
            }
            return rows.rows.compactMap { $0.values.first?.text }.map { ChangeSubject(key: $0, label: $0) }
        }
    }

    private func stand(
        _ users: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> (standing: Standing, impacts: [FilledSentence]) {
        let bindings = ["now": Binding(now, type: "timestamptz")]
        let decisions = Standing.queries(app, users: users.map(\.key), type: setting.userType, bindings: bindings)
        let impacts = work.impacts.map { app.impact($0, bindings: bindings) }
        let answers = try setting.look(decisions + impacts, in: transaction)
        let filled = zip(work.impacts, answers.dropFirst(decisions.count)).map { impact, answer in
            let row = try? answer.result.get().first
            return FilledSentence(impact.sentence) { row?[$0] }
        }
        return (Standing(Array(answers.prefix(decisions.count)), of: app), filled)
    }
}

// MARK: Running

extension ChangeAttempt {
    /// Runs the statements: for all subjects at once, or one by one.
    private func pass(
        _ subjects: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> (ChangePass, [String: SubjectRemark]) {
        var pass = ChangePass()
        guard let column = work.each else {
            try runSteps(subjects.map(\.key), now: now, in: transaction, &pass)
            return (pass, [:])
        }
        var objections: [String: SubjectRemark] = [:]
        let deferred = try transaction.run(Self.deferredConstraints).first?["names"]?.text
        for subject in try ordered(subjects, by: column, now: now, in: transaction) {
            try transaction.mark(Self.unit)
            do throws(Failure) {
                let query = Judgement.query(
                    work, of: app, keys: [subject.key], type: setting.keyType, bindings: setting.bindings(now: now))
                let judgement = try Judgement(try setting.look([query], in: transaction)[0], for: work)
                if let sentence = judgement.refused[subject.key] {
                    objections[subject.key] = SubjectRemark(subject: subject, sentence: sentence)
                } else {
                    var own = pass
                    try runSteps([subject.key], now: now, in: transaction, &own)
                    if let deferred {
                        // What is deferred has its say about each, and is deferred again for the next.
                        try transaction.run("set constraints all immediate")
                        try transaction.run("set constraints \(sql: deferred) deferred")
                    }
                    pass = own
                }
                try transaction.release(Self.unit)
            } catch {
                guard error.isObjection else { throw error }
                try transaction.rollBack(to: Self.unit)
                objections[subject.key] = SubjectRemark(
                    subject: subject, sentence: FilledSentence(text: error.message), isFailure: true)
            }
        }
        return (pass, objections)
    }

    /// The constraints and triggers that are deferred until the commit, as SQL.
    private static let deferredConstraints: Query = """
        select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ') as names
          from pg_constraint c join pg_namespace n on n.oid = c.connamespace where c.condeferred
        """

    private func runSteps(
        _ keys: [String], now: String, in transaction: ChangeTransaction, _ pass: inout ChangePass
    ) throws(Failure) {
        let steps = work.steps(setting.bindings(now: now, keys: keys))
        for step in steps { if let composed = step.composed { setting.options.trace?(composed) } }
        let answers = try transaction.attempt(steps.map(\.query))
        for (step, answer) in zip(steps, answers) {
            switch answer {
            case .success(let rows): pass.add(step, rows)
            case .failure(let error): throw step.failure(error)
            }
        }
    }

    private func ordered(
        _ subjects: [ChangeSubject], by column: String, now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> [ChangeSubject] {
        guard subjects.count > 1,
            let query = app.ordered(
                by: column, work.subject, keys: subjects.map(\.key), type: setting.keyType,
                bindings: setting.bindings(now: now))
        else { return subjects }
        switch try setting.look([query], in: transaction)[0].reading {
        case .success(let rows):
            let keys = rows.rows.compactMap { $0.values.first?.text }
            let byKey = Dictionary(subjects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            return keys.compactMap { byKey[$0] }
        case .failure(let unreadable): throw unreadable.failure
        }
    }

    /// The subjects the server objects to, found by halves.
    private func objectors(
        _ subjects: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> [String: SubjectRemark] {
        try transaction.mark(Self.unit)
        do throws(Failure) {
            var pass = ChangePass()
            try runSteps(subjects.map(\.key), now: now, in: transaction, &pass)
            try transaction.run("set constraints all immediate")
            try transaction.rollBack(to: Self.unit)
            return [:]
        } catch {
            guard error.isObjection else { throw error }
            try transaction.rollBack(to: Self.unit)
            if subjects.count == 1 {
                let sentence = FilledSentence(text: error.message)
                return [subjects[0].key: SubjectRemark(subject: subjects[0], sentence: sentence, isFailure: true)]
            }
        }
        let middle = subjects.count / 2
        let left = try objectors(Array(subjects[..<middle]), now: now, in: transaction)
        let right = try objectors(Array(subjects[middle...]), now: now, in: transaction)
        return left.merging(right) { first, _ in first }
    }

    /// The users for whom not everything came true that was promised.
    private func unkept(_ standing: Standing, _ users: [ChangeSubject]) -> [String: SubjectRemark] {
        var unkept: [String: SubjectRemark] = [:]
        for user in users {
            guard let objection = work.expects.lazy.compactMap({ standing.objection(to: $0, for: user.key) }).first
            else { continue }
            unkept[user.key] = SubjectRemark(subject: user, sentence: FilledSentence(text: objection))
        }
        return unkept
    }
}

extension Failure {
    /// Whether the server objected to a statement, so that another one may still be run.
    fileprivate var isObjection: Bool {
        guard let state else { return false }
        // A lost connection, a time-out or a conflict with somebody else is nothing about this subject.
        return kind == .failed && !["40", "57", "53", "08", "55"].contains(state.category)
    }
}
