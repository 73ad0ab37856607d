internal import AppFile
internal import Catalog
internal import PQ

/// Where and for whom a change is made: the same for its plan and its run.
struct ChangeSetting {
    let app: App
    var work: ChangeWork
    var subjects: [ChangeSubject]
    /// The types of the keys of the subjects, and of users.
    let keyType: String
    let userType: String
    var connection: Connection
    let options: InquiryOptions
    /// Whether the operator said why.
    var hasReason = false
    /// Whether a severe question was answered, so that the ceiling of the work no longer counts.
    var isConfirmed = false
    /// The instant that everything is decided for, when it is given.
    var now: String?
    /// Whether a report may be about nobody because all were refused.
    var toleratesRefusal = false

    /// Columns that are never recorded.
    var secrets: Set<String> { Set((app.account?.secrets ?? []).map(\.column)) }
}

extension ChangeSetting {
    /// What is bound in every statement of the change.
    func bindings(now: String) -> [String: Binding] {
        work.parameters.merging(["now": Binding(now, type: "timestamptz")]) { _, engine in engine }
    }

    /// What is bound in the statements that are run for some of the subjects.
    func bindings(now: String, keys: [String]) -> [String: Binding] {
        bindings(now: now).merging(app.bindings(for: work.subject, keys: keys, type: keyType)) { _, engine in engine }
    }

    /// Refuses what an environment does not allow; the mark may have changed while somebody was asked.
    func requirePermission(in environment: Environment, forGood: Bool) throws(Failure) {
        if forGood { try environment.requireReason(hasReason) }
        guard work.isForced, environment.name == "production" else { return }
        throw Failure(
            .refused,
            environment.doubt.map { "test states are for test databases, and here \($0)" }
                ?? "test states are impossible in production")
    }

    /// Asks several things that an app file says, each on its own feet.
    func look(_ queries: [ComposedQuery], in transaction: ChangeTransaction) throws(Failure) -> [Answer] {
        for query in queries { options.trace?(query) }
        let results = try transaction.look(queries.map { Query($0) })
        return zip(queries, results).map { Answer(query: $0, result: $1) }
    }
}
