@testable import Asking
import Changes
import AppFile
import EmbeddedSQL
import Foundation
import Inquiries
import PQ
import Support
import Testing

/// `app test` inserts rows, evaluates decisions, and rolls everything back.
@Suite struct AppTestTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Examples")

    private static let shipped = (try? FileManager.default.contentsOfDirectory(atPath: folder.path))?.sorted() ?? []

    @Test(arguments: shipped)
    func examplesOfEveryBuiltInAppPassAppTest(file: String) throws {
        let name = String(file.dropLast(".sql".count))
        let database = try TestCluster.emptyDatabase()
        for path in ["supabase_schema", "\(name)_schema"] {
            let result = try Subprocess.run(
                "psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo()],
                input: EmbeddedSQL.text(of: "demo/\(path).sql"))
            #expect(result.status == 0, "\(result.errors)")
        }
        let app = try AppLibrary.app(name, and: [Self.folder.appendingPathComponent(file).path])
        let (outcomes, coverage) = try AppTest.run(app, on: try database.connect())
        #expect(!outcomes.isEmpty)
        for outcome in outcomes { #expect(outcome.problems == [], "\(outcome.example.name)") }
        let missed = coverage.flatMap { decision in
            decision.missed.map { "\(decision.decision.name): \($0.sentence.source)" }
        }
        #expect(missed == (Self.unreachable[name] ?? []))
    }

    /// Rules that no row of the current tables can reach.
    ///
    /// These rules handle impossible rows, and rows of later schemas.
    private static let unreachable = [
        "impulse": [
            "access: The profile has no tier or no status, so the app gives no access.",
            "access: The trial is not active: its status is {status}.",
            "access: This user lacks the tier partner, the status active or the partner flag.",
            "access: The {tier} subscription has ended: its status is {status}.",
            "access: The app doesn't know the tier {tier} with the status {status}, so the app gives no access.",
        ],
        "importer": [
            "pro: The profile or the entitlement is missing.",
            "paywall: The paywall opens, but usher doesn't know what the paywall shows for the store state {store_state}.",
        ],
    ]

    @Test func everyBuiltInAppHasAFileOfExamples() {
        #expect(Set(Self.shipped) == Set(DemoDatabase.apps.map { "\($0).sql" }))
    }

    private func run(_ examples: String, _ lab: Lab) throws -> (problems: [[String]], missed: [[String]]) {
        let blocks = """
            -- @decision tier  Which tier?
            -- @assume weather: text = rain
            -- @rule sunny  It is sunny.
            weather = 'sun';
            -- @rule paid  Somebody pays.
            tier = 'paid';
            -- @because  {email} pays.
            email is not null;
            -- @because  Nobody pays.
            true;
            -- @rule free  Free.
            true;


            """
        let (outcomes, coverage) = try AppTest.run(try Lab.app(blocks + examples), on: try lab.database.connect())
        return (outcomes.map { $0.problems }, coverage.map { $0.missed.map(\.sentence.source) })
    }

    @Test func appTestEvaluatesTheNextDecisionAfterAFailedDecision() throws {
        let lab = try Lab("truncate people")
        let (problems, _) = try run(
            """
            -- @decision odd  Odd?
            -- @rule odd  This rule always raises an error.
            1 / (id - 7) > 0;
            -- @rule even  Even.
            true;
            -- @example odd  Odd.
            -- @user 7
            -- @do
            insert into public.people (id, email, tier) values (7, 'ada@example.com', 'free');
            -- @expect odd odd
            -- @expect tier free
            """, lab)
        #expect(problems.map(\.count) == [1], "\(problems)")
    }

    /// A trigger with names without a schema works only under the search path of actions.
    @Test func appTestRunsExamplesUnderTheSearchPathOfActions() throws {
        let lab = try Lab(
            "truncate people", "create sequence tickets start 9", "alter table people add ticket bigint",
            """
            create function draw() returns trigger language plpgsql as $$ begin
                new.ticket := nextval('tickets'); return new;
            end $$
            """, "create trigger draw before insert on people for each row execute function draw()")
        let (problems, _) = try run(
            """
            -- @decision lucky  Is the user the ninth user?
            -- @rule yes  The ninth.
            ticket = 9;
            -- @rule no  Another one.
            true;
            -- @example ninth  The ninth.
            -- @user 7
            -- @do
            insert into public.people (id, email, tier) values (7, 'ada@example.com', 'free');
            -- @expect lucky yes
            """, lab)
        #expect(problems == [[]])
    }

    @Test func appTestRunsActionsAndChecksExpectedRefusalsAndQuotas() throws {
        let lab = try Lab("truncate people")
        let (problems, _) = try run(
            """
            -- @quota length
            select u.id, pg_catalog.length(u.tier), 9, 'total', null::timestamptz from users u;
            -- @action plan give  Give a plan.
            -- @arg plan: text
            -- @option suffix?: text
            -- @expect tier paid
            -- @refuse {email} pays already.
            tier = 'paid';
            -- @do
            update public.people set tier = :plan || coalesce(:suffix, '') where id = any(:users);

            -- @example given  A user without a plan gets one.
            -- @user 7
            -- @do
            insert into public.people (id, email, tier) values (7, 'ada@example.com', 'free');
            -- @run plan give pa --suffix id
            -- @expect tier paid
            -- @used length 4 of 9
            -- @example broken  The action does not do what it promises.
            -- @from given
            -- @run plan give other
            -- @used length 6
            -- @example again  A user with a plan gets no other.
            -- @user 8
            -- @do
            insert into public.people (id, email, tier) values (8, 'ben@example.com', 'paid');
            -- @run plan give other
            -- @refused {email} pays
            -- @example allowed  Nothing refuses it.
            -- @from given
            -- @run plan give paid
            -- @refused {email} pays
            -- @example refused  It is refused.
            -- @from again
            -- @run plan give other
            -- @expect tier free
            """, lab)
        #expect(problems.map(\.count) == [0, 2, 0, 1, 1], "\(problems)")
        #expect(problems[4].first?.contains("refused") == true, "\(problems)")
    }

    @Test func appTestReportsTheActualOutcomeOfAFailedExample() throws {
        let lab = try Lab("truncate people")
        let (problems, missed) = try run(
            """
            -- @example payer  Pays.
            -- @user ada@example.com
            -- @do
            insert into public.people (id, email, tier) values (7, 'Ada@Example.com', 'paid');
            -- @expect tier paid
            -- @example sun  The sun.
            -- @from payer
            -- @assume weather=sun
            -- @expect tier sunny
            -- @example mistaken  Free?
            -- @from payer
            -- @expect tier free
            -- @example nobody  Nobody.
            -- @user 8
            -- @from payer
            -- @expect tier free
            -- @example broken  Broken.
            -- @user 7
            -- @do
            insert into public.people (id) values (1 / 0);
            -- @expect tier free
            """, lab)
        #expect(
            problems == [
                [], [], ["expected tier to be free, but it is paid: Ada@Example.com pays."], ["there is no user 8"],
                ["division by zero"],
            ])
        #expect(missed == [["Nobody pays.", "Free."]])
        #expect(try lab.database.connect().execute("select 1 from public.people").rows.isEmpty)
    }

    @Test func appTestRefusesADatabaseWithUsers() throws {
        let lab = try Lab()
        let refusal = try failure {
            _ = try run(
                """
                -- @example one  One.
                -- @user 1
                -- @do
                delete from public.people where id = 2;
                -- @expect tier free
                """, lab)
        }
        #expect(refusal.kind == .refused)
        #expect(refusal.message.contains("this database has users"))
    }
}
