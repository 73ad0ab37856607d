package import AppFile
package import Catalog
package import PQ

/// What a bulk change would come to, before it begins.
package struct BulkPlan: Sendable {
    package let command: String
    package let environment: Environment
    /// What it is done to.
    package let subject: App.Subject
    /// How many of them there are.
    package let total: Int
    /// The first of them, really run and rolled back.
    package let sample: ChangeReport
    /// How many of all each sentence refuses, and how many each one warns of, by the first that holds.
    package let refusals: [(sentence: String, count: Int)]
    package let warnings: [(sentence: String, count: Int)]
}

/// How far a bulk change has come.
package struct BulkProgress: Sendable {
    package var done = 0
    package var refused = 0
    package var changes = 0
    package var batches = 0
    /// Who were gone, or no longer what it is for, when it came to them; known at its end.
    package var passed = 0
    package let total: Int

    package var handled: Int { done + refused }
}

/// What became of a bulk change.
package struct BulkReport: Sendable {
    package let operation: String?
    package let command: String
    package let environment: Environment
    package let isDryRun: Bool
    package let isFinal: Bool
    /// What it was done to.
    package let subject: App.Subject
    package let progress: BulkProgress
    /// Some of the refused, each with the reason.
    package let refused: [SubjectRemark]
    /// How many of the refused nothing is told of there.
    package let untold: Int
    /// How many each sentence warned of, as the plan saw them.
    package let warnings: [(sentence: String, count: Int)]
    /// What an undo left as it is in rows that it restored otherwise.
    package let left: [LeftBehind]
    /// Whether it was stopped before its end, and can be resumed.
    package let isInterrupted: Bool
    /// What the server warned of as it committed.
    package let commitWarnings: [Notice]
}
