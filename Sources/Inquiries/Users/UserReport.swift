package import AppFile
package import Asking
package import Catalog
package import Ledger
package import PQ

package struct UserReport: Sendable {
    package let app: App
    package let environment: Environment
    package let user: User
    /// The facts that usher left out, each with the missing table column.
    package let lostFacts: [(name: String, column: String)]
    package let now: String
    /// The operator roles of the connected role; nil if unknown.
    package let roles: HeldRoles?
    /// The user's problems; nil if the operator asked only for decisions.
    package let inbox: Inbox?
    package let decisions: [DecisionReport]
    package let quotas: [QuotaReport]
    package let panels: [PanelReport]
    /// The notes and requests, or the reason why usher can't read them; nil without an audit log.
    package let desk: Result<NotesAndRequests, Failure>?
}

/// The usage of one quota by one user, or the reason why usher can't read it.
package struct QuotaReport: Sendable {
    package let name: String
    /// The `@per` column with its value, if the quota has several rows for a user.
    package let per: DecisionReport.Fact?
    /// The user's tier, if the quota declares one.
    package internal(set) var tier: Value?
    /// The row with the columns used, limit, period and resets_at; nil if the quota has no row for the user.
    package let usage: Row?
    package let unavailable: Failure?
    /// The usage over time, with the columns at and used; nil if the quota has no history.
    package let history: CountReport?
}

/// A panel on the screen: its rows, or the reason why usher can't read them.
package struct PanelReport: Sendable {
    package let title: String
    package let explains: String?
    package let rows: Rows?
    package let isCut: Bool
    package let unavailable: Failure?
}
