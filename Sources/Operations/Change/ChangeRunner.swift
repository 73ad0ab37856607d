internal import AppFile
internal import PQ

/// Runs a change until it is done or cannot be: without the subjects that turn out to be impossible, again where it
/// collided with somebody else, another way where constraints forbid the first.
struct ChangeRunner {
    var setting: ChangeSetting
    /// Other ways to do the same.
    var alternatives: [ChangeWork] = []
    let reconnect: () throws(Failure) -> Connection

    /// Somebody else came first each time, so all of them together get on; of many at once, fewer are tried instead.
    private var mostRetries: Int { setting.toleratesRefusal ? 3 : 20 }

    /// How a transaction of it is made to last.
    var settlement: Settlement { Settlement(options: setting.options, elsewhere: reconnect) }

    /// The report of what was done.
    mutating func run(_ record: ChangeRecord?, plan: ChangeReport? = nil) throws(Failure) -> ChangeReport {
        var excluded = [String: SubjectRemark]()
        var retries = 0
        while true {
            let attempt = ChangeAttempt(
                setting: setting, settlement: settlement, record: record, plan: plan, excluded: excluded)
            do throws(Failure) {
                switch try attempt.run() {
                case .report(let report): return report
                case .without(let more): excluded.merge(more) { first, _ in first }
                }
            } catch {
                if error.state?.category == "23", let next = alternatives.first {
                    alternatives.removeFirst()
                    setting.work = next
                    continue
                }
                if error.state == .lockNotAvailable, error.kind == .failed {
                    throw Failure(
                        .conflict, "somebody else holds rows of it for long", nothing: .changed,
                        hint: "try again in a moment", state: error.state)
                }
                let isCollision = error.state == .serializationFailure || error.state == .deadlockDetected
                guard isCollision else { throw error }
                retries += 1
                guard retries <= mostRetries else {
                    throw Failure(
                        .conflict, "the data keeps changing while this runs", nothing: .done,
                        hint: "try again in a moment", state: error.state)
                }
            }
        }
    }
}

/// What is to be recorded of a change: its id, made before, and the rest once it is known to whom it was done.
struct ChangeRecord {
    let id: String
    let entry: ([ChangeSubject]) -> Ledger.Entry
}
