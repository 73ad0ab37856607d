import Asking

/// The exit status of the program; scripts rely on these numbers.
package enum ExitStatus: Int32, Sendable {
    case done = 0
    case failed = 1
    case usage = 2
    case refused = 3
    case notFound = 4
    case connection = 5
    case conflict = 6
    case partial = 7
    case interrupted = 130

    /// The status of a report with several parts: a failure only if usher could read none of the parts.
    init(of parts: [Failure?]) {
        let reasons = parts.compactMap(\.self)
        let first = reasons.count == parts.count ? reasons.first : nil
        self = first?.kind.status ?? .done
    }
}

extension Failure.Kind {
    package var status: ExitStatus {
        switch self {
        case .failed: .failed
        case .usage: .usage
        case .refused, .declined: .refused
        case .notFound: .notFound
        case .connection, .forbidden: .connection
        case .conflict: .conflict
        case .partial: .partial
        case .interrupted: .interrupted
        }
    }

    /// The `code` of a failure in JSON.
    var code: String {
        switch self {
        case .notFound: "not_found"
        case .declined: Self.refused.rawValue
        default: rawValue
        }
    }
}
