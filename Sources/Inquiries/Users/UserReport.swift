package import AppFile
package import Catalog
package import Ledger
package import PQ

/// Everything about one user on one screen.
package struct UserReport: Sendable {
    package let app: App
    package let environment: Environment
    package let user: User
    /// The missing facts, each with the column that doesn't exist.
    package let lostFacts: [(name: String, column: String)]
    /// The time that decisions are for.
    package let now: String
    /// The roles of operators of the connected role; nil if unknown.
    package let roles: HeldRoles?
    /// The problems of the user; nil if only decisions were requested.
    package let inbox: Inbox?
    package let decisions: [DecisionReport]
    package let quotas: [QuotaReport]
    package let panels: [PanelReport]
    /// The notes and requests, or the reason why they can't be read; nil without an audit log.
    package let desk: Result<NotesAndRequests, Unreadable>?
}

/// The usage of one quota by one user, or the reason why it is unknown.
package struct QuotaReport: Sendable {
    package let name: String
    /// The name of the row, if the quota has several rows per user.
    package let per: DecisionReport.Fact?
    /// The tier of the user, if the limit depends on it.
    package internal(set) var tier: Value?
    /// The columns used, limit, period and resets_at; nil if the user has no such quota.
    package let usage: Row?
    package let unavailable: Unreadable?
    /// The usage over time; nil if the app file declares no history.
    package let history: History?

    /// The usage over time, or the reason why it is unknown.
    package struct History: Sendable {
        /// The meaning of the time steps.
        package let summary: String
        /// The columns at and used, in chronological order.
        package let rows: Rows?
        package let unavailable: Unreadable?
    }
}

/// A section of the screen: its rows, or the reason why there are none.
package struct PanelReport: Sendable {
    package let title: String
    package let explains: String?
    package let rows: Rows?
    /// True if there are more rows than the panel shows.
    package let isCut: Bool
    package let unavailable: Unreadable?
}
