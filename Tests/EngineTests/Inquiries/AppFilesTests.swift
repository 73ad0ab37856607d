import AppFile
import Asking
import Changes
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// The shipped, drafted and documented app files fit their databases.
@Suite struct AppFilesTests {
    @Test(arguments: DemoDatabase.apps)
    func everyBuiltInAppFitsItsDatabase(name: String) throws {
        let connection = try TestCluster.database(of: name).connect()
        let findings = try AppCheck.findings(in: try AppLibrary.app(name), on: connection, options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
    }

    @Test(arguments: DemoDatabase.apps)
    func usherDetectsEveryBuiltInAppInItsDatabase(name: String) throws {
        let connection = try TestCluster.database(of: name).connect()
        let opened = try Inquiry.open(
            on: connection, candidates: try AppLibrary.candidates(), options: InquiryOptions(), isLast: true)
        #expect(opened.app.name == name)
    }

    @Test(arguments: DemoDatabase.apps)
    func appInitDraftForABuiltInAppsDatabasePassesAppCheck(name: String) throws {
        let connection = try TestCluster.database(of: name).connect()
        let draft = try AppDraft.text(named: "draft", on: connection, options: InquiryOptions())
        let scratch = try Scratch()
        let app = try AppLibrary.app(try scratch.file("draft.sql", draft).path)
        #expect(app.users.key == "id")
        #expect(!app.panels.isEmpty)
        #expect(app.account?.root == "auth.users.id")
        let findings = try AppCheck.findings(in: app, on: connection, options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
    }

    @Test func appFileOfTheLanguageGuideFitsItsSchemaAndAnswersQueries() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("sql/README.md"), encoding: .utf8)
        let database = try TestCluster.emptyDatabase()
        let connection = try database.connect()
        for statement in Self.blocks("schema", of: page).split(separator: ";\n") {
            _ = try connection.execute(Query(unsafe: String(statement)))
        }
        try database.run(
            "insert into public.subscribers values (1, 'ada@example.com', 'paid', now() - interval '1 day', now())",
            "insert into public.issues values (1, 'One', now())",
            "insert into public.deliveries values (1, 1, 1, now(), false)")
        let scratch = try Scratch()
        let app = try AppLibrary.app(try scratch.file("letter.sql", Self.blocks("sql", of: page)).path)
        let findings = try AppCheck.findings(in: app, on: connection, options: InquiryOptions())
        #expect(findings.flatMap(\.report) == [])
        let question = UserQuestion(user: "ada@example.com", assumed: ["opened": "true"], wantsEverything: true)
        let report = try question.ask(on: connection, candidates: [app], options: InquiryOptions())
        #expect(report.decisions.map(\.outcome) == ["reads", "reads", "arrived"])
        #expect(report.panels.first?.rows?.rows.count == 1)
    }

    @Test func examplesOfTheLanguageGuidePassAppTest() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("sql/README.md"), encoding: .utf8)
        let connection = try TestCluster.emptyDatabase().connect()
        for statement in Self.blocks("schema", of: page).split(separator: ";\n") {
            _ = try connection.execute(Query(unsafe: String(statement)))
        }
        let scratch = try Scratch()
        let app = try AppLibrary.app(try scratch.file("letter.sql", Self.blocks("sql", of: page)).path)
        let (outcomes, _) = try AppTest.run(app, on: connection)
        #expect(outcomes.count == 4)
        #expect(outcomes.flatMap(\.problems) == [])
        #expect(try connection.execute("select 1 from public.subscribers").rows.isEmpty)
    }

    @Test func examplesOfTheLanguageGuideUseEveryDirective() throws {
        let page = try String(contentsOf: Self.root.appendingPathComponent("sql/README.md"), encoding: .utf8)
        // A file has either fixed schemas or `@schema`, so the guide has a second example for `@schema`.
        let example = Self.blocks("sql", of: page) + Self.blocks("schemas", of: page)
        for directive in Language.directives.map(\.word) where directive != "include" {
            #expect(example.contains("-- @\(directive)"), "@\(directive)")
        }
    }

    @Test(arguments: [
        (
            "impulse",
            [
                "no-profile": 1, "trial-overdue": 12, "partner-flag": 1, "partner-tier": 1, "store-row": 1,
                "paid-past-end": 1, "store-against-profile": 3, "paid-twice": 0, "month-undated": 7, "partner-ended": 0,
                "cancelled-undated": 3, "webhooks": 8,
            ]
        ),
        ("strikelab", ["no-profile": 3, "no-levels": 4, "no-progress": 6, "no-tracker": 4, "address": 1]),
        (
            "langchat",
            [
                "no-profile": 3, "half-deleted": 1, "deleted-profile": 1, "match-likes": 1, "conversation-match": 1,
                "message-stranger": 1, "report-orphan": 2, "invite-orphan": 1, "photo-orphan": 3,
            ]
        ),
        (
            "importer",
            [
                "no-profile": 1, "no-entitlement": 2, "pro-overdue": 3, "pro-sourceless": 2, "code-unnamed": 1,
                "code-count": 1, "trial-twice": 1, "store-stuck": 1, "store-stale": 2,
            ]
        ),
        (
            "xtablo",
            [
                "no-profile": 2, "no-owner": 1, "owner-not-member": 1, "insufficient": 6, "paid-twice": 2,
                "paid-for-nothing": 1, "paid-past-end": 2, "product-map": 1, "customer": 1, "environments": 1,
                "unknown-purchases": 2, "unprocessed": 8, "unresolved": 7,
            ]
        ),
    ])
    func checkCountsTheBrokenRowsOfEachInvariantInTheSampleData(name: String, expected: [String: Int]) throws {
        let reports = try Inquiry.open(
            on: try TestCluster.database(of: name).connect(), candidates: [try AppLibrary.app(name)],
            options: InquiryOptions(), for: .users
        ).checks(nil, limit: 1000)
        let found = Dictionary(uniqueKeysWithValues: reports.map { ($0.check.name, $0.violations?.rows.count ?? -1) })
        #expect(found == expected)
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    /// All code blocks of one language in a page, joined.
    private static func blocks(_ kind: String, of page: String) -> String {
        page.components(separatedBy: "```\(kind)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }.joined(separator: "\n")
    }
}
