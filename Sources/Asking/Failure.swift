package import AppFile
package import PQ

/// An operation did not do what it was asked; the kind decides the exit code.
package struct Failure: Error, Sendable {
    package enum Kind: String, Sendable, CaseIterable {
        case failed, usage, refused, declined, notFound, connection, forbidden, conflict, partial, interrupted
    }

    /// What somebody could give so that the same succeeds.
    package enum Want: Sendable {
        case reason, app, field
        /// The words as another app declares them.
        case otherWords
    }

    /// What certainly did not happen.
    package enum Nothing: String, Sendable { case changed, deleted, restored, done }

    /// Why.
    package let refusal: any Refusal
    package let nothing: Nothing?

    /// A failure, with what certainly did not happen where the refusal leaves that open.
    package init(_ refusal: any Refusal, nothing: Nothing? = nil) {
        self.refusal = refusal
        self.nothing = refusal.nothing ?? nothing
    }

    package var kind: Kind { refusal.kind }
    package var want: Want? { refusal.want }
    package var state: SQLState? { refusal.state }
    package var fate: Fate? { refusal.fate }

    /// The same, with what did not happen, unless that is said already.
    package func saying(nothing: Nothing) -> Failure { Failure(refusal, nothing: self.nothing ?? nothing) }
}

extension Failure: Hashable {
    package static func == (a: Failure, b: Failure) -> Bool {
        AnyHashable(a.refusal) == AnyHashable(b.refusal) && a.nothing == b.nothing
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(AnyHashable(refusal))
        hasher.combine(nothing)
    }
}

extension Failure {
    /// An error of the wire or the server.
    package init(_ error: PQError) { self.init(AskingRefusal.wire(error)) }

    /// Whether somebody else cancelled what was asked.
    package var wasCancelled: Bool {
        if case AskingRefusal.wire(.server(let error)) = refusal { error.wasCancelled } else { false }
    }

    /// How far a connection came that could not be made.
    package var unreachable: Unreachable? {
        if case AskingRefusal.wire(.cannotConnect(let unreachable)) = refusal { unreachable } else { nil }
    }

    /// What a server refused.
    package init(_ error: ServerError) { self.init(AskingRefusal.wire(.server(error))) }

    /// An app file that cannot be used, with everything that is wrong with it.
    package init(_ invalid: InvalidApp) { self.init(AskingRefusal.invalidApp(invalid)) }

    /// The server's own answer, where nothing more is known than that.
    package var serverError: ServerError? {
        switch refusal as? AskingRefusal {
        case .wire(.server(let error)): error
        default: nil
        }
    }
}

extension Failure {
    /// What the server or libpq said of it, in their own words; nil where neither said something.
    package var heard: String? {
        if let serverError { return serverError.message }
        guard case .wire(let error)? = refusal as? AskingRefusal else { return nil }
        return switch error {
        case .cannotConnect(let unreachable): unreachable.reason
        case .unusableConninfo(let reason), .connectionLost(let reason), .misuse(let reason): reason
        case .decoding(let failure): "\(failure)"
        case .server, .unknownParameter, .interrupted, .timedOut, .treacherousPath, .readOnly: nil
        }
    }
}

/// Turns an error of the wire into a failure.
package func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
    do throws(PQError) { return try body() } catch { throw Failure(error) }
}

/// Turns a result of another shape than expected into a failure.
package func decoding<Value>(_ value: @autoclosure () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try value() } catch { throw Failure(.decoding(error)) }
}

/// The same for several readings.
package func decoding<Value>(_ body: () throws(DecodingFailure) -> Value) throws(Failure) -> Value {
    do throws(DecodingFailure) { return try body() } catch { throw Failure(.decoding(error)) }
}
