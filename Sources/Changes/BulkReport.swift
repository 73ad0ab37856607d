package import AppFile
package import Catalog
package import PQ

package struct BulkPlan: Sendable {
    package internal(set) var total: Int
    /// The preview for the first subjects.
    package let sample: ChangeReport
    /// The refusals and warnings with their numbers of subjects; a subject counts only for the first that applies.
    package let refusals: [(sentence: String, count: Int)]
    package let warnings: [(sentence: String, count: Int)]
}

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

package struct BulkReport: Sendable {
    package let operation: String
    package let command: String
    package let environment: Environment
    package let isFinal: Bool
    /// The kind of the subjects: users or objects.
    package let subject: App.Subject
    package let progress: BulkProgress
    package let refused: [SubjectRemark]
    /// The number of refused subjects that `refused` doesn't list.
    package let untold: Int
    package let warnings: [(sentence: String, count: Int)]
    /// The values that an undo did not restore.
    package let left: [LeftBehind]
    /// True if the change stopped before its end and can be resumed.
    package let isInterrupted: Bool
    package let commitWarnings: [Notice]
}
