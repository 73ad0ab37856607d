package import AppFile
package import PQ

/// A failed operation: a sentence for the operator, and a hint.
///
/// A failure is created where the error happens, and its kind determines the exit code.
package struct Failure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case failed, usage, refused, declined, notFound, connection, forbidden, conflict, partial, interrupted
    }

    /// The word that ends the message, as in `nothing was changed`.
    package enum Nothing: String, Sendable { case changed, deleted, restored, done }

    package let kind: Kind
    /// A stable code for callers that handle this failure; nil for most failures.
    package let code: String?
    /// The message without the ending `; nothing was changed`.
    package let complaint: FilledSentence
    package private(set) var nothing: Nothing?
    package private(set) var hint: String?
    package var detailSentences: [FilledSentence]
    package let state: SQLState?
    package let fate: CommitOutcome?
    /// The error of the server or the connection, if that is the cause.
    package let cause: PQError?

    /// Creates a failure from a sentence whose values are formatted later.
    package init(
        _ kind: Kind, _ complaint: FilledSentence, code: String? = nil, nothing: Nothing? = nil, hint: String? = nil,
        state: SQLState? = nil, details: [FilledSentence] = [], fate: CommitOutcome? = nil, cause: PQError? = nil
    ) {
        self.kind = kind
        self.code = code
        self.complaint = complaint
        self.nothing = nothing
        self.hint = hint
        self.state = state
        detailSentences = details
        self.fate = fate
        self.cause = cause
    }

    package init(
        _ kind: Kind, _ complaint: String, code: String? = nil, nothing: Nothing? = nil, hint: String? = nil,
        state: SQLState? = nil, details: [String] = [], fate: CommitOutcome? = nil, cause: PQError? = nil
    ) {
        self.init(
            kind, FilledSentence(text: complaint), code: code, nothing: nothing, hint: hint, state: state,
            details: details.map { FilledSentence(text: $0) }, fate: fate, cause: cause)
    }
}

extension Failure {
    /// The whole message, with times in UTC.
    package var message: String { complaint.plain + (remainder ?? "") }

    package var details: [String] { detailSentences.map(\.plain) }

    /// The ending of the message, such as `; nothing was changed`.
    ///
    /// A sentence of an app file ends with a period, so the ending is then a sentence, too.
    package var remainder: String? {
        nothing.map { complaint.plain.hasSuffix(".") ? " Nothing was \($0)." : "; nothing was \($0)" }
    }

    /// The same failure with an ending such as `nothing was changed`, unless the failure already has an ending.
    package func saying(nothing: Nothing?) -> Failure {
        var failure = self
        failure.nothing = self.nothing ?? nothing
        return failure
    }

    package func adding(_ more: [String]) -> Failure { advising(hint, adding: more) }

    package func advising(_ hint: String?, adding more: [String] = []) -> Failure {
        var failure = self
        failure.hint = hint
        failure.detailSentences += more.map { FilledSentence(text: $0) }
        return failure
    }

    package var unreachable: Unreachable? {
        if case .cannotConnect(let unreachable)? = cause { unreachable } else { nil }
    }

    package var serverError: ServerError? {
        if case .server(let error)? = cause { error } else { nil }
    }
}

/// Evaluates an expression, and throws an error of the connection, of the server or of a result as a failure.
package func failing<Value>(_ value: @autoclosure () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try value() } catch { throw Failure(error) }
}

/// Runs a body, and throws an error of the connection, of the server or of a result as a failure.
package func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try body() } catch { throw Failure(error) }
}

extension Failure {
    package init(_ error: PQError) {
        switch error {
        case .unusableConninfo(let reason):
            self.init(
                .usage, "can't use the connection string: \(reason)",
                hint: "write a URI, key=value pairs, or the name of a service; see `usher help connection`",
                cause: error
            )
        case .unknownParameter(let name, let known):
            self.init(
                .usage, "the connection string has a parameter that libpq does not support: \(name)",
                hint: (didYouMean(Nearest.names(to: name, among: known)).map { $0 + " else " } ?? "")
                    + "remove \(name) and its value from the connection string", cause: error)
        case .cannotConnect(let unreachable):
            self.init(.connection, unreachable.sentence, hint: unreachable.hint, cause: error)
        case .connectionLost(let reason):
            self.init(
                .connection, "the connection was lost: \(reason)",
                hint: "run the command again; usher did not retry the command",
                cause: error)
        case .server(let error): self.init(error)
        case .interrupted:
            self.init(.interrupted, "interrupted; usher cancelled the statement", cause: error)
        case .timedOut(let seconds):
            self.init(.failed, "the server did not answer within \(Int(seconds)) s", hint: Self.slowness, cause: error)
        case .decoding(let problem):
            self.init(.failed, "the server returned an unexpected result: \(problem)", cause: error)
        case .unsafeSearchPath(let first):
            self.init(
                .refused, "the search path contains \(first) before pg_catalog, so names could refer to wrong objects",
                nothing: .changed,
                hint: "run `alter role … set search_path` without pg_catalog; Postgres then searches pg_catalog first",
                cause: error)
        case .readOnly(let cause):
            self.init(.refused, cause.sentence, nothing: .changed, hint: cause.hint, cause: error)
        case .misuse(let reason):
            self.init(.failed, "internal error: \(reason)", cause: error)
        }
    }

    package init(_ error: ServerError) {
        let code = error.code
        let details =
            if code != nil { error.detailLines.dropFirst().map(String.init) } else {
                [error.isOfUsher ? nil : error.detail].compactMap { $0 }
            }
        self.init(
            error.kind, error.messageWithTable, code: code, hint: Self.hint(for: error), state: error.state,
            details: details,
            cause: .server(error))
    }

    package init(_ invalid: InvalidApp) {
        let count = invalid.diagnostics.filter { $0.severity == .error }.count
        self.init(
            .failed, count == 1 ? "the app file has a mistake" : "the app file has \(count) mistakes",
            code: "invalid_app", details: invalid.diagnostics.flatMap(\.report))
    }

    private static let slowness =
        "`usher doctor` lists missing indexes; `--timeout SECONDS` allows more time"

    /// The hint if the server cancelled the statement, perhaps because of a time limit of the role or the database.
    private static let cancellation =
        slowness + "; `PGOPTIONS='-c statement_timeout=0'` removes a limit of the role or the database"

    private static let lock =
        """
        another session locks a table, such as a migration or an open transaction: `select relation::regclass, pid \
        from pg_locks where mode = 'AccessExclusiveLock'` lists the locks; wait until that session ends, or allow more time with `--timeout SECONDS`
        """

    private static func hint(for error: ServerError) -> String? {
        switch error.kind {
        case _ where error.isOfUsher: error.hint
        case _ where error.state == .queryCanceled: cancellation
        case _ where error.state == .lockNotAvailable: lock
        case .forbidden: error.hint ?? "`usher doctor` lists the tables that this role can't read"
        default: error.searchPathHint ?? error.hint
        }
    }
}

extension ServerError {
    /// The stable code of an error that a function of the schema `usher` raised: the first line of its detail.
    fileprivate var code: String? {
        guard isOfUsher, let first = detailLines.first, first.allSatisfy({ $0 == "_" || ("a"..."z").contains($0) })
        else { return nil }
        return String(first)
    }

    fileprivate var detailLines: [Substring] { (detail ?? "").split(separator: "\n") }

    /// The message of the server; for an error about a lock, with the name of the table.
    package var messageWithTable: String {
        guard state == .lockNotAvailable, let table else { return message }
        return "\(table) is locked: \(message)"
    }

    /// The hint if a function fails because its search path lacks the app's schema; nil for any other error.
    package var searchPathHint: String? {
        let states: [SQLState] = [.undefinedObject, .undefinedTable, .undefinedFunction]
        return states.contains(state) && isInside
            ? "a trigger function needs the app's search_path: set it with "
                + "PGOPTIONS='-c search_path=…', or alter role … set search_path" : nil
    }
}

package enum CommitOutcome: Sendable, Hashable {
    case committed
    /// The commit did not happen, and can't happen later.
    case notCommitted
    /// usher could not find out whether the commit happened.
    case unknown
}
