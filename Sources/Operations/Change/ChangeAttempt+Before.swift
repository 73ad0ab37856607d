internal import AppFile
internal import Catalog
internal import PQ

/// What has to be known, held and allowed before anything is run.
extension ChangeAttempt {
    func circumstances(in transaction: ChangeTransaction) throws(Failure) -> (Environment, String) {
        let instant: Query =
            "select coalesce(\(setting.now ?? plan?.now)::timestamptz, transaction_timestamp())::text as now"
        let answers = try transaction.look([Environment.query, instant])
        let rows: Rows
        do throws(ServerError) { rows = try answers[1].get() } catch { throw Failure(error) }
        return (Environment(answers[0]), try decoding(try rows.only().text("now")))
    }

    /// The server's lock table is small; what more users than these are changed by, their rows keep apart.
    private static let mostLocks = 100

    /// Begins with a lock on each subject, so that two operators who change the same user do it one after the other.
    func begin(alone subjects: [ChangeSubject]) throws(Failure) -> ChangeTransaction {
        guard subjects.count <= Self.mostLocks, !subjects.isEmpty else { return try ChangeTransaction(setting) }
        let keys = arrayLiteral(subjects.map { "usher \(app.name) \(work.subject) \($0.key)" }.sorted())
        let transaction = try ChangeTransaction(
            setting,
            first: """
                select pg_catalog.bool_and(pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended(k, 0))) as locked
                  from pg_catalog.unnest(\(keys)::pg_catalog.text[]) k
                """)
        if let answer = transaction.firstAnswer, try decoding(try answer.only().boolean("locked")) {
            return transaction
        }
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

    func judge(
        _ subjects: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> Judgement {
        // One by one, what an earlier one does decides about a later one.
        guard work.each == nil, !(work.refusals + work.warnings).isEmpty else { return Judgement() }
        let query = Judgement.query(
            work, of: app, keys: subjects.map(\.key), type: setting.keyType, bindings: setting.bindings(now: now))
        return try Judgement(try setting.look([query], in: transaction)[0], for: work)
    }

    /// Refuses when the engine's own questions find anything.
    func requireNone(
        of questions: [Query], in transaction: ChangeTransaction, _ complaint: String
    ) throws(Failure) {
        var found: [String] = []
        for question in questions {
            for row in try transaction.run(question).rows {
                found.append(row.values.compactMap(\.text).joined(separator: " "))
            }
        }
        if !found.isEmpty { throw Failure(.refused, complaint, nothing: .changed, details: found) }
    }

    /// Refuses to change rows that nobody spoke of.
    func requireConfined(_ changes: [RowChange], in transaction: ChangeTransaction) throws(Failure) {
        if work.confines.isEmpty { return }
        var known: Set<String> = []
        for question in work.confines {
            let rows = try transaction.run(question).rows
            known.formUnion(rows.map { $0.values.compactMap(\.text).joined(separator: " ") })
        }
        let others = changes.filter { $0.kind != .insert && !known.contains("\($0.table) \($0.key.text ?? "")") }
        guard !others.isEmpty else { return }
        throw Failure(
            .refused, "others refer to what it would remove", nothing: .changed,
            details: others.prefix(10).map { "\($0.table) \($0.key.text ?? "") would be \($0.kind.rawValue)d" })
    }

    /// What the statements write, where all of it can be accounted for and none of it is hidden; refuses elsewhere.
    func writtenRelations(in transaction: ChangeTransaction) throws(Failure) -> WrittenRelations {
        let targets = work.steps(setting.bindings(now: "2000-01-01", keys: [])).flatMap(\.targets)
        // What is only inserted meets no row that could be hidden.
        let meeting = targets.filter { $0.assigned?.isEmpty != true }
        let closed = Query(
            file: "catalog/closed_tables.sql",
            [arrayLiteral(meeting.map(\.table.schema)), arrayLiteral(meeting.map(\.table.name))])
        let answers = try transaction.ask([WrittenRelations.query(of: targets.map(\.relation)), closed])
        let relations = try decoding(WrittenRelations(answers[0]))
        if let obstacle = targets.lazy.compactMap({ relations.obstacle(to: $0.relation) }).first {
            throw Failure(obstacle)
        }
        try requireNone(closed: answers[1])
        return relations
    }

    /// Refuses where row security would quietly keep rows from the statements.
    private func requireNone(closed rows: Rows) throws(Failure) {
        guard let row = rows.first else { return }
        let role = try decoding(row.text("role"))
        let tables = try decoding(rows.texts()).joined(separator: ", ")
        throw Failure(
            .forbidden, "hidden by row security: \(role) may not change every row of \(tables)",
            hint: "connect as a role with BYPASSRLS, or create the policies that `usher roles sql` prints")
    }

    func remarks(_ judgement: Judgement, _ subjects: [ChangeSubject]) -> [SubjectRemark] {
        let general = judgement.refused[""].map { [SubjectRemark(subject: nil, sentence: $0)] } ?? []
        return general
            + setting.subjects.compactMap { subject in
                excluded[subject.key]
                    ?? judgement.refused[subject.key].map { SubjectRemark(subject: subject, sentence: $0) }
            }
    }

    /// Remarks in the order in which their subjects were named.
    func inOrder(_ remarks: [SubjectRemark]) -> [SubjectRemark] {
        let places = Dictionary(
            setting.subjects.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
        func place(_ remark: SubjectRemark) -> Int { remark.subject.flatMap { places[$0.key] } ?? -1 }
        return remarks.sorted { place($0) < place($1) }
    }

    func refusal(_ remarks: [SubjectRemark]) -> Failure {
        let first = remarks.first
        let message = first?.sentence.plain ?? "nothing is left to do"
        let kind: Failure.Kind = remarks.contains { $0.isFailure } ? .failed : .refused
        if remarks.count <= 1 { return Failure(kind, message) }
        return Failure(
            kind, "all \(remarks.count) were refused",
            details: remarks.map { ($0.subject.map { "\($0.label): " } ?? "") + $0.sentence.plain })
    }

    func users(
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

    func stand(
        _ users: [ChangeSubject], now: String, in transaction: ChangeTransaction
    ) throws(Failure) -> (standing: Standing, impacts: [FilledSentence]) {
        let bindings = ["now": Binding(now, type: "timestamptz")]
        let decisions = Standing.queries(app, users: users.map(\.key), type: setting.userType, bindings: bindings)
        let impacts = work.impacts.map { app.impact($0, bindings: bindings) }
        let answers = try setting.look(decisions + impacts, in: transaction)
        let filled = zip(work.impacts, answers.dropFirst(decisions.count)).map { impact, answer in
            let row = try? answer.result.get().first
            return FilledSentence(impact.sentence) { row?.shown($0) }
        }
        return (Standing(Array(answers.prefix(decisions.count)), of: app), filled)
    }
}

extension StatementTarget {
    /// What is written, as a question for the catalog.
    var relation: WrittenRelation {
        WrittenRelation(schema: table.schema, name: table.name, reachesHeirs: reachesHeirs)
    }
}

extension Failure {
    /// What a change writes and nobody could account for.
    init(_ obstacle: WrittenRelations.Obstacle) {
        switch obstacle {
        case .foreign(let table):
            self.init(
                .refused,
                "\(table) is a foreign table: this server neither counts its rows nor knows what they were",
                nothing: .changed,
                hint: "change it on the server that holds its rows")
        case .distributed(let table):
            self.init(
                .refused,
                "\(table) is distributed over several servers, which do not count here what they change",
                nothing: .changed,
                hint: "change it by a statement of your own; usher could neither show nor undo it")
        case .ledger(let table):
            self.init(.refused, "\(table) is the record of what was done, which no app may write", nothing: .changed)
        }
    }
}
