package import AppFile
package import Asking
package import Catalog
internal import Ledger
package import PQ

package struct UserQuestion: Sendable {
    package var user: String
    package var assumed: Assumptions
    /// The only decision to evaluate; nil for all decisions.
    package var decision: String?
    /// True to also show quotas and all panels; panels that explain a decision are always shown.
    package var wantsEverything: Bool

    package init(user: String, assumed: Assumptions = [:], decision: String? = nil, wantsEverything: Bool) {
        self.user = user
        self.assumed = assumed
        self.decision = decision
        self.wantsEverything = wantsEverything
    }
}

extension UserQuestion {
    /// Reads the screen of the user in one transaction.
    ///
    /// If a rule raises an error, usher reads the whole screen again, and evaluates that decision's rules one by one.
    /// The screen then still shows a single snapshot of the database. `careful` has the names of such decisions.
    package func ask(
        on connection: Connection, candidates: [App], options: InquiryOptions, careful: Set<String> = []
    ) throws(Failure) -> UserReport {
        var candidates = candidates
        // Only the complete app files show which facts can be assumed.
        if !assumed.isEmpty { candidates = try candidates.map { app throws(Failure) in try AppLibrary.whole(app) } }
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options, for: .users)
        let hasDesk = wantsEverything && inquiry.ledger?.isReadable == true
        let app = inquiry.app
        var relevant: [String: Assumptions] = [:]
        if !assumed.isEmpty {
            let check = AssumptionCheck(assumed: assumed, app: app)
            let (_, shapes) = try UserSearch.one(self.user, in: inquiry) { _ in check.questions }
            relevant = try check.relevant(shapes, in: inquiry)
        }
        let chosen = try decision.map { name throws(Failure) in
            [try Listing.named(name, among: app.decisions, as: "decision", \.name)]
        }
        let decisions = (chosen ?? app.decisions).map { decision in
            DecisionQuestion(
                decision: decision, assumed: relevant[decision.name] ?? [:], isCareful: careful.contains(decision.name),
                wantsParts: !wantsEverything)
        }
        let quotas = wantsEverything ? app.quotas : []
        let panels = app.panels.filter { panel in
            wantsEverything || decisions.contains { $0.decision.name == panel.explains }
        }
        let inbox = wantsEverything ? InboxQuestion(inquiry) : nil

        var (user, rest) = try UserSearch.one(self.user, in: inquiry, isLast: true) { key in
            let bindings = inquiry.bindings(for: key)
            return decisions.flatMap { $0.queries(for: key, in: inquiry) }
                + quotas.flatMap { $0.queries(for: key, in: inquiry) }
                + (inbox?.queries(for: key, in: inquiry) ?? [])
                + panels.map { app.queries(bindings).rows(of: $0) }
                + (hasDesk ? [NotesAndRequests.question(key, of: app)] : [])
        }
        let desk = hasDesk ? rest.popLast()?.reading.map(NotesAndRequests.init) : nil

        let decisionAnswers = decisions.map { take($0.count, of: &rest) }
        let raising = zip(decisions, decisionAnswers).filter { $0.wantsCare($1) }.map(\.0.decision.name)
        if !raising.isEmpty {
            return try ask(
                on: connection, candidates: candidates, options: options, careful: careful.union(raising))
        }
        let quotaReports = quotas.flatMap { $0.reports(&rest, in: inquiry) }
        let waiting = inbox.map { $0.inbox(take($0.count, of: &rest), of: user, in: inquiry) }
        return UserReport(
            app: app, environment: inquiry.environment, user: user, now: inquiry.now,
            roles: inquiry.ledger?.roles, inbox: waiting,
            decisions: zip(decisions, decisionAnswers).flatMap { question, answers in
                let fragments =
                    question.decision.rules.flatMap(\.conditions) + [question.decision.select].compactMap { $0 }
                return question.reports(answers, hiding: inquiry.hiding(fragments))
            },
            quotas: quotaReports,
            panels: zip(panels, rest).map { PanelReport($0, $1, hiding: inquiry.hiding([$0.select])) }, desk: desk)
    }

    private func take(_ count: Int, of answers: inout ArraySlice<Answer>) -> ArraySlice<Answer> {
        defer { answers = answers.dropFirst(count) }
        return answers.prefix(count)
    }
}

extension PanelReport {
    init(_ panel: App.Panel, _ answer: Answer, hiding: Failure?) {
        self.panel = panel
        let (all, reason) = answer.rows(hiding: hiding)
        rows = all.map { all in
            let places = panel.columns.compactMap { name in all.columns.firstIndex { $0.name == name } }
            return (panel.columns.isEmpty ? all : all.only(places)).prefix(panel.limit)
        }
        isCut = (all?.rows.count ?? 0) > panel.limit
        unavailable = reason
    }
}

package struct UserReport: Sendable {
    package let app: App
    package let environment: Environment
    package let user: User
    package let now: String
    /// The operator roles of the connected role; nil if unknown.
    package let roles: Set<String>?
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
    package let panel: App.Panel
    package let rows: Rows?
    package let isCut: Bool
    package let unavailable: Failure?
}
