package import AppFile
package import Catalog
package import PQ

/// The plan of a bulk change.
package struct BulkPlan: Sendable {
    package let command: String
    package let environment: Environment
    /// The kind of the subjects: users or objects.
    package let subject: App.Subject
    /// The number of subjects of the bulk change.
    package let total: Int
    /// The preview for the first subjects.
    package let sample: ChangeReport
    /// The numbers of refusals and of warnings for each sentence; each subject counts only for its first sentence.
    package let refusals: [(sentence: String, count: Int)]
    package let warnings: [(sentence: String, count: Int)]
}

/// The progress of a bulk change.
package struct BulkProgress: Sendable {
    package var done = 0
    package var refused = 0
    package var changes = 0
    package var batches = 0
    /// The number of skipped users, who were deleted or are no longer selected; known at the end.
    package var passed = 0
    package let total: Int

    package var handled: Int { done + refused }
}

/// The result of a bulk change.
package struct BulkReport: Sendable {
    package let operation: String?
    package let command: String
    package let environment: Environment
    package let isDryRun: Bool
    package let isFinal: Bool
    /// The kind of the subjects: users or objects.
    package let subject: App.Subject
    package let progress: BulkProgress
    /// Some of the refused subjects, each with the reason.
    package let refused: [SubjectRemark]
    /// The number of refused subjects that are not listed.
    package let untold: Int
    /// The number of warnings for each sentence, in the plan.
    package let warnings: [(sentence: String, count: Int)]
    /// The values that an undo did not restore.
    package let left: [LeftBehind]
    /// True if the change stopped before its end and can be resumed.
    package let isInterrupted: Bool
    /// The warnings of the server at the commit.
    package let commitWarnings: [Notice]
}
