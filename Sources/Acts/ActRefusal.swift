package import Asking
package import PQ

/// Why what was to be written does not last, or nobody can tell.
package enum ActRefusal: Refusal {
    /// Others came first as often as it began anew.
    case keepsChanging(SQLState)
    /// Somebody else was at it, who is done: it begins anew.
    case wasLocked
    /// Somebody else holds its lock, or rows of it.
    case isLocked(SQLState)
    case isHeldLong(SQLState)
    /// The connection was lost, and the commit cannot happen any more.
    case notCommitted(operation: String, PQError)
    /// The connection was lost, and nobody knows what became of the commit.
    case unknown(operation: String, PQError)
    /// It is done, and the server warned as it committed.
    case warned([Notice])

    package var kind: Failure.Kind {
        switch self {
        case .keepsChanging, .wasLocked, .isLocked, .isHeldLong: .conflict
        case .notCommitted: .connection
        case .unknown: .failed
        case .warned: .partial
        }
    }

    package var state: SQLState? {
        switch self {
        case .keepsChanging(let state), .isLocked(let state), .isHeldLong(let state): state
        case .wasLocked: .serializationFailure
        case .notCommitted, .unknown: nil
        case .warned(let warnings): warnings.first?.state
        }
    }

    package var fate: Fate? {
        switch self {
        case .notCommitted: .notCommitted
        case .unknown: .unknown
        default: nil
        }
    }
}
