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

    /// The report, also of a commit whose answer never came when it turns out to have happened.
    mutating func run(_ record: ChangeRecord?, plan: ChangeReport? = nil) throws(Failure) -> ChangeReport {
        var excluded = [String: SubjectRemark]()
        var retries = 0
        while true {
            let attempt = ChangeAttempt(setting: setting, record: record, plan: plan, excluded: excluded)
            do throws(Failure) {
                switch try attempt.run() {
                case .report(let report): return report
                case .without(let more): excluded.merge(more) { first, _ in first }
                case .unknown(let report):
                    try Self.settle(record?.entry(report.subjects), reconnect)
                    return report
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

    /// Commits, and returns when that happened, also when the answer never came.
    func commit(_ transaction: ChangeTransaction, _ entry: Ledger.Entry) throws(Failure) {
        do throws(PQError) { try transaction.commit() } catch {
            guard error.leavesCommitUnknown else { throw Failure(error) }
            try Self.settle(entry, reconnect)
        }
    }

    /// Finds out what became of a commit whose answer never came; returns when it happened.
    ///
    /// A row of the same id waits for a commit that is under way. If it can be written, nothing was committed and nothing
    /// ever will be.
    static func settle(
        _ entry: Ledger.Entry?, _ reconnect: () throws(Failure) -> Connection
    ) throws(Failure) {
        guard let entry else { return }
        let isRecorded: Bool?
        do throws(Failure) {
            let connection = try reconnect()
            let fence: [Query] = [
                "begin", "set local lock_timeout = '10s'", Ledger.record(entry.lost), "commit",
            ]
            let answers = try failing { () throws(PQError) in try connection.pipeline([fence])[0] }
            if case .success(let rows) = answers[2], case .success = answers[3] {
                isRecorded = try decoding(try rows.only().boolean("recorded"))
            } else {
                isRecorded = nil
            }
        } catch {
            isRecorded = nil
        }
        switch isRecorded {
        case false?: return
        case true?:
            throw Failure(
                .connection, "the connection was lost before the commit",
                hint: "run the command again; operation \(entry.id) can no longer happen")
        case nil:
            throw Failure(
                .failed, "the connection was lost during the commit, and what became of it is unknown",
                hint: "`usher audit show \(entry.id)` tells when the server can be reached again")
        }
    }
}

/// What is to be recorded of a change: its id, made before, and the rest once it is known to whom it was done.
struct ChangeRecord {
    let id: String
    let entry: ([ChangeSubject]) -> Ledger.Entry
}

extension PQError {
    /// Whether a COMMIT that ended like this may have happened or not.
    var leavesCommitUnknown: Bool {
        switch self {
        case .connectionLost, .interrupted, .timedOut: true
        default: false
        }
    }
}

extension Ledger.Entry {
    /// The row that stands for an operation that never came to its commit.
    fileprivate var lost: Ledger.Entry {
        Ledger.Entry(
            id: id, kind: kind, outcome: .lost, command: command, app: app, parent: parent, undoes: undoes,
            payload: payload)
    }
}
