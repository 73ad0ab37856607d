import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// Decisions have the outcomes of the published decision tables of four apps.
///
/// The tests check each row of these tables on the sample data.
@Suite struct PublishedTablesTests {
    /// One row: the user, the assumed facts, the decision, and the expected outcome.
    struct Published: Sendable, CustomTestStringConvertible {
        let user: String
        var assumed: Assumptions = [:]
        let decision: String
        let outcome: String
        var shows: [String: String] = [:]

        var testDescription: String { "\(decision) of \(user) \(assumed.sorted { $0.key < $1.key }) is \(outcome)" }
    }

    // MARK: The route of the training app

    private static func route(
        _ outcome: String, session: Bool, subscribed: Bool?, at place: String, _ more: Assumptions = [:]
    ) -> Published {
        var assumed: Assumptions = ["session": "\(session)", "location": place]
        if let subscribed { assumed["subscribed"] = "\(subscribed)" }
        return Published(
            user: "ada@example.com", assumed: assumed.merging(more) { $1 }, decision: "route", outcome: outcome)
    }

    private static let authScreens = ["paywall", "login", "onboarding", "other-auth"]

    private static let routes: [Published] = {
        var rows = [true, false].flatMap { session in
            ["tabs", "login", "elsewhere"].map {
                route("tabs", session: session, subscribed: false, at: $0, ["just_subscribed": "true"])
            }
        }
        for place in ["tabs", "create-workout", "elsewhere"] {
            rows.append(route("onboarding", session: false, subscribed: nil, at: place, ["first_launch": "true"]))
            rows.append(route("login", session: false, subscribed: nil, at: place, ["first_launch": "false"]))
            rows.append(route("login", session: true, subscribed: false, at: place))
        }
        rows += authScreens.map { route("stay", session: false, subscribed: nil, at: $0) }
        rows += (authScreens + ["elsewhere"]).map { route("tabs", session: true, subscribed: true, at: $0) }
        rows += ["tabs", "create-workout"].map { route("stay", session: true, subscribed: true, at: $0) }
        rows += ["paywall", "login"].map { route("stay", session: true, subscribed: false, at: $0) }
        rows += ["onboarding", "other-auth"].map { route("login", session: true, subscribed: false, at: $0) }
        rows.append(Published(user: "ada@example.com", decision: "route", outcome: "unknown"))
        return rows
    }()

    private static let training: [Published] =
        [
            Published(user: "ada@example.com", decision: "profile", outcome: "complete"),
            Published(user: "ken@example.com", decision: "profile", outcome: "no-profile"),
            Published(
                user: "ada@example.com",
                assumed: ["session": "true", "subscribed": "false", "has_shown_paywall": "false"], decision: "paywall",
                outcome: "shown"),
            Published(
                user: "ada@example.com",
                assumed: ["session": "true", "subscribed": "false", "has_shown_paywall": "true"],
                decision: "paywall", outcome: "not-shown"),
            Published(
                user: "ada@example.com", assumed: ["entitled": "true"], decision: "purchase", outcome: "verified"),
        ]
        + [("0.5", "syncing"), ("3", "checking"), ("12", "extended"), ("60", "gave-up"), ("4000", "lapsed")].map {
            Published(user: "ada@example.com", assumed: ["seconds": $0.0], decision: "purchase", outcome: $0.1)
        }

    @Test(.long, arguments: routes + training)
    func trainingDecisionMatchesItsPublishedTable(_ row: Published) throws { try expect(row, of: "strikelab") }

    // MARK: The paywall that is always reachable

    private static let offers = [("true", "Start Free Trial"), ("false", "Subscribe Now")]

    private static let paywalls: [Published] = offers.flatMap { eligible, offer in
        [
            ("loading", "loading", offer, "gray, disabled", "wait, dismiss"),
            ("loaded", "loaded", offer, "gradient, enabled", "buy"),
            ("failed", "unavailable", "Subscription Unavailable", "pale gray, disabled", "dismiss"),
            ("empty", "unavailable", "Subscription Unavailable", "pale gray, disabled", "dismiss"),
            ("purchasing", "purchasing", "progress spinner", "gradient, disabled", "wait"),
            ("pending", "pending", offer, "gray, disabled", "wait, dismiss"),
            ("purchase_failed", "purchase-failed", offer, "gray, disabled", "retry, dismiss"),
        ].map { state, outcome, button, look, actions in
            Published(
                user: "vannevar@example.com", assumed: ["store_state": state, "trial_eligible": eligible],
                decision: "paywall", outcome: outcome,
                // The buttons "restore" and "enter code" work in every state.
                shows: ["button": button, "look": look, "actions": actions + ", restore, enter code"])
        }
    }

    @Test(arguments: paywalls)
    func paywallDecisionMatchesItsPublishedTable(_ row: Published) throws { try expect(row, of: "importer") }

    // MARK: Billing of organisations

    private static let billing: [Published] = [
        ("grace", "paid"), ("margaret", "paid"), ("joan", "paid"), ("frances", "paid"), ("alan", "trial"),
        ("ada", "unpaid"), ("dennis", "unpaid"), ("john", "unpaid"), ("tester", "unpaid"),
        ("katherine", "insufficient"),
        ("tony", "no-organization"), ("ken", "no-profile"),
    ].map { Published(user: "\($0.0)@example.com", decision: "billing", outcome: $0.1) }

    private static let phone: [Published] =
        [
            (["signed_in": "false"], "sign-in"), (["platform": "android"], "not-ios"), (["platform": "web"], "not-ios"),
            (["network": "offline"], "reconnect"), (["store": "outage"], "last-known"),
            (["purchase": "received"], "syncing"), (["purchase": "overdue"], "retry"),
            (["purchase": "other-login"], "blocked"), (["purchase": "none"], "paywall"),
        ].map { Published(user: "ada@example.com", assumed: $0.0, decision: "ios-paywall", outcome: $0.1) }
        + [
            ("grace@example.com", "status"), ("margaret@example.com", "status"), ("alan@example.com", "status"),
            ("barbara@example.com", "web-billing"), ("edith@example.org", "owner-manages"),
        ].map { Published(user: $0.0, decision: "ios-paywall", outcome: $0.1) }

    @Test(
        .long,
        arguments: billing + phone + [
            Published(
                user: "tester@example.com", assumed: ["environment": "sandbox"], decision: "billing", outcome: "paid")
        ])
    func billingDecisionMatchesItsPublishedTable(_ row: Published) throws { try expect(row, of: "xtablo") }

    // MARK: Who is still signed in

    @Test(
        arguments: [
            ("ludwik", "active"), ("william", "active"), ("jerome", "until-expiry"), ("malinche", "until-expiry"),
            ("edith", "refreshable"), ("anne", "refreshable"), ("john", "expired"), ("emile", "signed-out"),
            ("roman", "signed-out"), ("trudy", "banned"), ("oscar", "banned"), ("rosetta", "deleted"),
        ].map { Published(user: "\($0.0)@example.com", decision: "signed-in", outcome: $0.1) })
    func sessionDecisionMatchesItsPublishedTable(_ row: Published) throws { try expect(row, of: "langchat") }

    private func expect(_ row: Published, of name: String) throws {
        let connection = try SharedDatabases.database(of: name).connect()
        let question = UserQuestion(user: row.user, assumed: row.assumed, wantsEverything: false)
        let report = try question.ask(
            on: connection, candidates: [try AppLibrary.app(name)], options: InquiryOptions())
        let answers = report.decisions.filter { $0.name == row.decision }
        #expect(!answers.isEmpty)
        for answer in answers {
            #expect(answer.outcome == row.outcome)
            #expect(!answer.isUncertain)
            for (name, text) in row.shows {
                #expect(answer.shows.first { $0.name == name }?.text.plain == text, "\(name)")
            }
        }
    }
}

/// One read-only database of each app, shared by all rows.
private enum SharedDatabases {
    private static let databases = Result {
        try Dictionary(
            uniqueKeysWithValues: ["strikelab", "importer", "xtablo", "langchat"].map {
                ($0, try TestCluster.database(of: $0))
            })
    }

    static func database(of app: String) throws -> TestDatabase { try #require(try databases.get()[app]) }
}
