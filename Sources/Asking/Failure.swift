package import PQ

/// A failed operation: a sentence for the operator, and a hint.
///
/// It is created where the error happens. The kind determines the exit code.
package struct Failure: Error, Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case failed, usage, refused, declined, notFound, connection, forbidden, conflict, partial, interrupted
    }

    /// The input with which the same command would succeed.
    package enum Want: Sendable {
        case reason, app, field
        /// The command as another app declares it.
        case otherWords
    }

    /// The effect that certainly did not happen.
    package enum Nothing: String, Sendable { case changed, deleted, restored, done }

    package let kind: Kind
    /// A stable name if callers handle this failure; nil for most.
    package let code: String?
    /// The message, without the part about the effect that did not happen.
    package let complaint: FilledSentence
    package let nothing: Nothing?
    package let want: Want?
    package let hint: String?
    /// The details, one per line.
    package let detailSentences: [FilledSentence]
    /// The SQLSTATE, if the server refused.
    package let state: SQLState?
    /// The outcome of the commit, if it was tried: the audit log already has it, or cannot have it.
    package let fate: CommitOutcome?
    /// The error of the server or the connection, if that is the cause.
    package let cause: PQError?

    /// Creates a failure with a sentence whose values are formatted later.
    package init(
        _ kind: Kind, _ complaint: FilledSentence, code: String? = nil, nothing: Nothing? = nil, want: Want? = nil,
        hint: String? = nil, state: SQLState? = nil, details: [FilledSentence] = [], fate: CommitOutcome? = nil,
        cause: PQError? = nil
    ) {
        self.kind = kind
        self.code = code
        self.complaint = complaint
        self.nothing = nothing
        self.want = want
        self.hint = hint
        self.state = state
        detailSentences = details
        self.fate = fate
        self.cause = cause
    }

    /// Creates a failure with a complete sentence.
    package init(
        _ kind: Kind, _ complaint: String, code: String? = nil, nothing: Nothing? = nil, want: Want? = nil,
        hint: String? = nil, state: SQLState? = nil, details: [String] = [], fate: CommitOutcome? = nil,
        cause: PQError? = nil
    ) {
        self.init(
            kind, FilledSentence(text: complaint), code: code, nothing: nothing, want: want, hint: hint, state: state,
            details: details.map { FilledSentence(text: $0) }, fate: fate, cause: cause)
    }
}

extension Failure {
    /// The whole message, with times in UTC.
    package var message: String { complaint.plain + (remainder ?? "") }

    /// The details, with times in UTC.
    package var details: [String] { detailSentences.map(\.plain) }

    /// The end of the message that says what did not happen.
    package var remainder: String? { nothing.map { "; nothing was \($0)" } }

    /// The same failure with a note on what did not happen, unless it has one.
    package func saying(nothing: Nothing?) -> Failure {
        Failure(
            kind, complaint, code: code, nothing: self.nothing ?? nothing, want: want, hint: hint, state: state,
            details: detailSentences, fate: fate, cause: cause)
    }

    /// The same failure with more details.
    package func adding(_ more: [String]) -> Failure { advising(hint, adding: more) }

    /// The same failure with another hint and more details.
    package func advising(_ hint: String?, adding more: [String] = []) -> Failure {
        Failure(
            kind, complaint, code: code, nothing: nothing, want: want, hint: hint, state: state,
            details: detailSentences + more.map { FilledSentence(text: $0) }, fate: fate, cause: cause)
    }

    /// True if another session cancelled the statement.
    package var wasCancelled: Bool { serverError?.wasCancelled ?? false }

    /// The failed connection attempt, if that is the cause.
    package var unreachable: Unreachable? {
        if case .cannotConnect(let unreachable)? = cause { unreachable } else { nil }
    }

    /// The server's own error, if the failure is nothing else.
    package var serverError: ServerError? {
        if case .server(let error)? = cause { error } else { nil }
    }
}

/// Turns an error of the connection into a failure.
package func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try body() } catch { throw Failure(error) }
}

/// Turns a result of an unexpected shape into a failure.
package func decoding<Value>(_ value: @autoclosure () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try value() } catch { throw Failure(.decoding(error)) }
}

/// Turns results of an unexpected shape into a failure.
package func decoding<Value>(_ body: () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try body() } catch { throw Failure(.decoding(error)) }
}
