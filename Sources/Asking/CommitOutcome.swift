package enum CommitOutcome: Sendable, Hashable {
    case committed
    /// The commit did not happen, and can't happen later.
    case notCommitted
    /// usher could not find out whether the commit happened.
    case unknown
}
