package import AppFile
package import Catalog
package import PQ

/// Why nothing is asked, or no answer is to be had.
package enum AskingRefusal: Refusal {
    /// Between this program and the server, or by the server.
    case wire(PQError)
    case invalidApp(InvalidApp)
    /// The server is of a version that is too old.
    case earlyServer(version: String)
    case otherEngine(Engine.Other)
    /// In production somebody has to say why; and why the database counts as that, where it does not say so itself.
    case needsReason(ReasonedDeed, doubt: Environment.Doubt?)
    case interrupted
    /// A file, and the number of the system's error.
    case unreadable(path: String, code: Int32)
    /// A time, and the value of `TZ`, which is not a zone.
    case needsZone(name: String, text: String, mistaken: String)
    /// What the server says of a text that is no time.
    case noTime(name: String, ServerError)

    package var kind: Failure.Kind {
        switch self {
        case .wire(let error): error.kind
        case .invalidApp: .failed
        case .earlyServer, .otherEngine, .needsReason: .refused
        case .interrupted: .interrupted
        case .unreadable, .needsZone, .noTime: .usage
        }
    }

    package var nothing: Failure.Nothing? {
        switch self {
        case .wire(.treacherousPath), .wire(.readOnly): .changed
        case .earlyServer, .otherEngine: .done
        default: nil
        }
    }

    package var want: Failure.Want? { if case .needsReason = self { .reason } else { nil } }

    package var state: SQLState? {
        switch self {
        case .wire(.server(let error)), .noTime(_, let error): error.state
        default: nil
        }
    }
}

/// What takes a reason in production.
package enum ReasonedDeed: Sendable { case change, request, deletion }

extension PQError {
    fileprivate var kind: Failure.Kind {
        switch self {
        case .unusableConninfo, .unknownParameter: .usage
        case .cannotConnect, .connectionLost: .connection
        case .server(let error): error.kind
        case .interrupted: .interrupted
        case .timedOut, .decoding, .misuse: .failed
        case .treacherousPath, .readOnly: .refused
        }
    }
}

extension ServerError {
    /// What a state means for whoever asked: of the schema `usher` what its functions mean by it.
    package var kind: Failure.Kind {
        switch state.rawValue {
        case "US001": .failed
        case "US002": .usage
        case "US003", "US008", "US009", "US010": .refused
        case "US004": .notFound
        case "US005": .forbidden
        case "US006": .conflict
        default:
            switch state.category {
            case "42" where state == .insufficientPrivilege: .forbidden
            case "08", "28", "53", "3D": .connection
            case "57" where state != .queryCanceled: .connection
            default: .failed
            }
        }
    }

    /// Whether a function of the schema `usher` said it.
    package var isOfUsher: Bool {
        ["US001", "US002", "US003", "US004", "US005", "US006", "US008", "US009", "US010"].contains(state.rawValue)
    }
}

extension ServerError {
    /// Whether what was asked was not answered in the time that it had.
    package var isLate: Bool { state == .queryCanceled && !wasCancelled || state == .lockNotAvailable }
}
