internal import AppFile
internal import PQ

/// The statements of a change, run in a transaction: for all subjects at once, or one by one.
struct ChangeStatements {
    let setting: ChangeSetting
    let now: String
    let transaction: ChangeTransaction

    private var work: ChangeWork { setting.work }
    private var app: App { setting.app }
    private static let unit = Identifier("unit")

    /// What is said of subjects that come one by one, where each finds what the ones before it left.
    struct Remarks {
        /// By key: what the server or a rule says against it.
        var objections: [String: SubjectRemark] = [:]
        var warnings: [SubjectRemark] = []
    }

    /// What they wrote, and what is said of some.
    func pass(_ subjects: [ChangeSubject]) throws(Failure) -> (ChangePass, Remarks) {
        var pass = ChangePass()
        guard let column = work.each else {
            try runSteps(subjects.map(\.key), &pass)
            return (pass, Remarks())
        }
        var remarks = Remarks()
        let constraints = try transaction.run(Self.deferredConstraints)
        let deferred = try decoding(try constraints.only().optionalText("names"))
        for subject in try ordered(subjects, by: column) {
            try transaction.mark(Self.unit)
            do throws(Failure) {
                let query = Judgement.query(
                    work, of: app, keys: [subject.key], type: setting.keyType, bindings: setting.bindings(now: now))
                let judgement = try Judgement(try setting.look([query], in: transaction)[0], for: work)
                if let sentence = judgement.refused[subject.key] {
                    remarks.objections[subject.key] = SubjectRemark(subject: subject, sentence: sentence)
                } else {
                    remarks.warnings += judgement.warnings.map {
                        SubjectRemark(subject: subject, sentence: $0.sentence)
                    }
                    var own = pass
                    try runSteps([subject.key], &own)
                    if let deferred {
                        // What is deferred has its say about each, and is deferred again for the next.
                        try transaction.run("set constraints all immediate")
                        try transaction.run("set constraints \(unsafe: deferred) deferred")
                    }
                    pass = own
                }
                try transaction.release(Self.unit)
            } catch {
                guard error.isObjection else { throw error }
                try transaction.rollBack(to: Self.unit)
                remarks.objections[subject.key] = SubjectRemark(
                    subject: subject, sentence: FilledSentence(text: error.message), isFailure: true)
            }
        }
        return (pass, remarks)
    }

    /// The constraints and triggers that are deferred until the commit, as SQL.
    private static let deferredConstraints: Query = """
        select string_agg(distinct quote_ident(n.nspname) || '.' || quote_ident(c.conname), ', ') as names
          from pg_constraint c join pg_namespace n on n.oid = c.connamespace where c.condeferred
        """

    private func runSteps(_ keys: [String], _ pass: inout ChangePass) throws(Failure) {
        let steps = work.steps(setting.bindings(now: now, keys: keys))
        for step in steps { setting.options.trace?(step.composed) }
        let answers = try transaction.attempt(steps.map(\.query))
        for (step, answer) in zip(steps, answers) {
            switch answer {
            case .success(let rows):
                try decoding(pass.add(step, rows))
            case .failure(let error): throw step.failure(error)
            }
        }
    }

    private func ordered(_ subjects: [ChangeSubject], by column: String) throws(Failure) -> [ChangeSubject] {
        guard subjects.count > 1,
            let query = app.ordered(
                by: column, work.subject, keys: subjects.map(\.key), type: setting.keyType,
                bindings: setting.bindings(now: now))
        else { return subjects }
        switch try setting.look([query], in: transaction)[0].reading {
        case .success(let rows):
            let keys = try decoding(try rows.texts())
            let byKey = Dictionary(subjects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
            return keys.compactMap { byKey[$0] }
        case .failure(let unreadable): throw unreadable.failure
        }
    }

    /// The subjects the server objects to, found by halves.
    func objectors(_ subjects: [ChangeSubject]) throws(Failure) -> [String: SubjectRemark] {
        try transaction.mark(Self.unit)
        do throws(Failure) {
            var pass = ChangePass()
            try runSteps(subjects.map(\.key), &pass)
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
        let left = try objectors(Array(subjects[..<middle]))
        let right = try objectors(Array(subjects[middle...]))
        return left.merging(right) { first, _ in first }
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
