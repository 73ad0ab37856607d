package import PQ

/// The outcome of a commit.
package enum CommitOutcome: Sendable, Hashable {
    /// It lasts; what the server warned of as it came to that.
    case committed(warnings: [Notice])
    /// It did not happen, and never will.
    case notCommitted
    /// Nobody can tell.
    case unknown
}
