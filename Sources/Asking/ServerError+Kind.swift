package import PQ

extension ServerError {
    /// The kind of failure for the SQLSTATE; codes that begin with US come from functions of the schema `usher`.
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

    /// True if a function of the schema `usher` raised the error.
    package var isOfUsher: Bool {
        ["US001", "US002", "US003", "US004", "US005", "US006", "US008", "US009", "US010"].contains(state.rawValue)
    }

    /// True if the statement exceeded a time limit, or the limit for waiting for a lock.
    package var isLate: Bool { state == .queryCanceled || state == .lockNotAvailable }
}
