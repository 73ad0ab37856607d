package import AppFile
package import Catalog
package import Ledger
package import PQ

/// Everything about one user on one screen.
package struct UserReport: Sendable {
    package let app: App
    package let environment: Environment
    package let user: User
    /// The facts that cannot be had, each with the column that does not exist.
    package let lostFacts: [(name: String, column: String)]
    /// The instant that was decided for.
    package let now: String
    /// The roles of operators that whoever asks has; nil where nobody knows.
    package let roles: HeldRoles?
    /// The problems of the user; nil if only decisions were asked for.
    package let inbox: Inbox?
    package let decisions: [DecisionReport]
    package let quotas: [QuotaReport]
    package let panels: [PanelReport]
    /// The notes and requests, nil if there can't be any, or the reason why they can't be read.
    package let desk: Result<NotesAndRequests, Unreadable>?
}

/// The usage of one quota by one user, or the reason why it is unknown.
package struct QuotaReport: Sendable {
    package let name: String
    /// For a quota with several rows a user: which of them this is.
    package let per: DecisionReport.Fact?
    /// The tier of the user, where the limit depends on it.
    package internal(set) var tier: Value?
    /// The columns used, limit, period and resets_at; nil when the user has no such quota.
    package let usage: Row?
    package let unavailable: Unreadable?
    /// Nil where the app file says none.
    package let history: History?

    /// The usage over time, or the reason why it is unknown.
    package struct History: Sendable {
        /// The meaning of the steps.
        package let summary: String
        /// The columns at and used, the first step first.
        package let rows: Rows?
        package let unavailable: Unreadable?
    }
}

/// A section of the screen: its rows, or why there are none to show.
package struct PanelReport: Sendable {
    package let title: String
    package let explains: String?
    package let rows: Rows?
    /// True if there are more rows than the panel shows.
    package let isCut: Bool
    package let unavailable: Unreadable?
}
