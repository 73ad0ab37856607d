import AppFile
import Asking
import EmbeddedSQL
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// The drafts for the tables of three frameworks work without edits.
@Suite struct DraftSchemaTests {
    private static func fixture(_ name: String) -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: folder.appendingPathComponent("Fixtures/\(name).sql"), encoding: .utf8)) ?? ""
    }

    /// A draft, its findings, and its report about one user.
    private func show(_ schema: String) throws -> (text: String, findings: [Diagnostic], report: UserReport) {
        let database = try TestCluster.emptyDatabase()
        let result = try Subprocess.run(
            "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()], input: schema)
        #expect(result.status == 0, "\(result.errors)")
        let connection = try database.connect()
        let text = try AppDraft.text(named: "shop", on: connection, options: InquiryOptions())
        let scratch = try Scratch()
        let app = try AppLibrary.app(try scratch.file("shop.sql", text).path)
        let findings = try AppCheck.findings(in: app, on: connection, options: InquiryOptions())
        let report = try UserQuestion(user: "u5@example.com", assumed: [:], wantsEverything: true).ask(
            on: connection, candidates: [app], options: InquiryOptions())
        return (text, findings, report)
    }

    @Test func appInitDraftForPrismaShowsPlanSubscriptionAndTeam() throws {
        let (text, findings, report) = try show(Self.fixture("prisma"))
        #expect(findings.flatMap(\.report) == [], "\(text)")
        #expect(report.decisions.map(\.name) == ["plan", "subscription", "signed-in"])
        #expect(report.decisions.map(\.outcome) == ["team", "trialing", "yes"])
        #expect(Set(report.panels.map(\.panel.title)).isSuperset(of: ["Subscription", "Membership", "Project"]))
    }

    @Test func appInitDraftForRailsShowsTheRowsOfAUser() throws {
        let (text, findings, report) = try show(Self.fixture("rails"))
        #expect(findings.flatMap(\.report) == [], "\(text)")
        let titles = Set(report.panels.map(\.panel.title))
        #expect(titles.isSuperset(of: ["Posts", "Notifications"]), "\(titles)")
    }

    /// The platform files of the two stores declare the same objects, so a draft includes only one of the files.
    @Test(arguments: [
        (["stripe-typed"], "stripe", "subscription"), (["revenuecat"], "revenuecat", "subscription"),
        (["stripe-typed", "revenuecat"], "stripe", "subscription"), (["authjs"], "authjs", "signed-in"),
        (["better-auth"], "better-auth", "signed-in"),
    ])
    func appInitDraftIncludesThePlatformFileThatFits(fixtures: [String], included: String, decision: String) throws {
        let users = """
            do $$ begin
                if to_regclass('public."User"') is not null then
                    alter table "User" add plan text check (plan in ('free', 'pro')), add "passwordHash" text;
                    insert into "User" (id, email, plan) values ('u5', 'u5@example.com', 'pro');
                elsif to_regclass('public."user"') is not null then
                    insert into "user" values ('u5', 'Ada', 'u5@example.com', true, null, now(), now());
                else
                    create table if not exists public.people (id uuid primary key, email text not null unique);
                    insert into public.people (id, email) values (gen_random_uuid(), 'u5@example.com');
                end if;
            end $$;
            """
        let (text, findings, report) = try show(fixtures.map(Self.fixture).joined() + users)
        #expect(findings.flatMap(\.report) == [], "\(text)")
        #expect(text.contains("-- @include \(included)\n") && text.components(separatedBy: "-- @include").count == 2)
        #expect(report.decisions.map(\.name).contains(decision))
        // The app added columns to the platform's table of users.
        if included == "authjs" {
            #expect(report.decisions.first { $0.name == "plan" }?.outcome == "pro")
            #expect(text.contains("-- @secret public.\"User\".\"passwordHash\"\n"))
            #expect(!text.contains("-- @panel Account") && !text.contains("\"sessionToken\""), "\(text)")
        }
    }

    @Test func platformFilesHaveRequirementsAndANameForInclude() {
        for file in AppLibrary.platforms {
            #expect(file.files.map(\.name) == ["platform/\(file.name).sql"] && !file.requires.isEmpty)
        }
    }

    @Test func appInitDraftForSupabaseIncludesThePlatformFile() throws {
        let (text, findings, report) = try show(
            EmbeddedSQL.text(of: "demo/supabase_schema.sql") + Self.fixture("supabase_app"))
        #expect(findings.flatMap(\.report) == [], "\(text)")
        #expect(text.contains("-- @include supabase\n"))
        #expect(report.decisions.first?.outcome == "pro")
        let titles = Set(report.panels.map(\.panel.title))
        #expect(titles.isSuperset(of: ["Subscriptions", "Documents", "Sessions", "Sign-in methods"]), "\(titles)")
        #expect(!titles.contains("Flow state") && !titles.contains("Refresh tokens"))
    }
}
