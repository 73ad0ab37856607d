package import PQ

package enum CommitOutcome: Sendable, Hashable {
    /// The commit happened; with the server's warnings.
    case committed(warnings: [Notice])
    /// The commit did not happen, and can't happen later.
    case notCommitted
    /// usher could not find out whether the commit happened.
    case unknown
}
