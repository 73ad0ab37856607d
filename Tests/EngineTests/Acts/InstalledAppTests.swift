import AppFile
import Asking
import Changes
import Foundation
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// `install` writes the actions of an app file into the database, and skips actions that the owner may not run.
@Suite(.waiting) struct InstalledAppTests {
    private static let owner = "acts_owner"
    /// A login with an operator's role.
    private static let clerk = "acts_clerk"

    /// A table of users that the owner owns, and a table that the owner doesn't own.
    private func database() throws -> TestDatabase {
        try TestCluster.operatorRoles.get()
        let lab = try Lab(
            "create table events (id integer primary key, done boolean)")
        try lab.database.makeRole(Self.owner)
        try lab.database.run(
            "alter database \(lab.database.name) owner to \(Self.owner)", "alter table people owner to \(Self.owner)",
            "alter role \(Self.owner) in database \(lab.database.name) set search_path = public, extensions")
        return lab.database
    }

    private static let blocks = """
        -- @decision access  In?
        -- @rule in  Yes.
        true;
        -- @action tier set  Set the tier.
        -- @do
        update public.people set tier = 'x' where id = any(:users);
        """

    private func install(
        _ blocks: String, on database: TestDatabase, header: String? = nil, isDryRun: Bool = false
    ) throws -> InstallReport {
        let app = try header.map { try Lab.app(blocks, header: $0) } ?? Lab.app(blocks)
        return try Install(
            on: try database.connect(user: Self.owner), app: app, environment: nil, options: InquiryOptions(),
            elsewhere: database.elsewhere(user: Self.owner)
        ).run(reason: nil, isDryRun: isDryRun)
    }

    private func rows(_ database: TestDatabase, _ sql: String) throws -> [[String?]] {
        try database.rows(sql)
    }

    private static let current = """
        select a.kind, a.name, a.role, encode(a.digest, 'hex') from usher.act a where a.retired_at is null order by 1, 2
        """

    @Test func installWritesTheSchemaAndTheAppFile() throws {
        let database = try database()
        let report = try install(Self.blocks, on: database)
        let digest = try Lab.app(Self.blocks).digest
        #expect(report.app?.digest == digest)
        #expect(report.app?.obstacles == [])
        #expect(
            try rows(database, Self.current) == [
                ["action", "tier set", "usher_admin", digest], ["app", "", "", digest],
            ])
        let surroundings = try rows(
            database,
            """
            select a.definition ->> 'path', a.definition -> 'root', a.definition -> 'emails', a.definition ->> 'key_type'
              from usher.act a where a.kind = 'app'
            """)
        #expect(
            surroundings == [
                [
                    "public, extensions", "{\"key\": \"id\", \"table\": \"people\", \"schema\": \"public\"}",
                    "[{\"key\": \"id\", \"table\": \"people\", \"column\": \"email\", \"schema\": \"public\"}]",
                    "integer",
                ]
            ])
        let recorded = "select o.app, o.payload ->> 'app', o.payload ->> 'digest' from usher.operation o"
        #expect(try rows(database, recorded) == [["lab", "lab", digest]])
        #expect(try database.auditFindings() == [])
    }

    @Test func dryRunOfInstallDoesNotInstallTheAppFile() throws {
        let database = try database()
        #expect(try install(Self.blocks, on: database, isDryRun: true).app?.acts.count == 1)
        #expect(try database.value("select count(*) from pg_namespace where nspname = 'usher'") == "0")
    }

    @Test func installCanInstallAnEarlierAppFileAgain() throws {
        let database = try database()
        let first = try install(Self.blocks, on: database).app?.digest
        let second = try install(Self.blocks + "\n-- A remark.", on: database).app?.digest
        #expect(first != second)
        #expect(try Set(rows(database, Self.current).map { $0[3] }) == [second])
        #expect(try database.value("select count(*) from usher.act a where a.retired_at is not null") == "2")
        _ = try install(Self.blocks, on: database)
        #expect(try Set(rows(database, Self.current).map { $0[3] }) == [first])
        #expect(try database.value("select count(*) from usher.act") == "4")
        // Unchanged actions are not written again.
        let installed = "select string_agg(a.ctid::text, ' ' order by a.ctid) from usher.act a"
        let before = try database.value(installed)
        _ = try install(Self.blocks, on: database)
        #expect(try database.value(installed) == before)
    }

    @Test func installKeepsOtherApps() throws {
        let database = try database()
        _ = try install(Self.blocks, on: database)
        let header = """
            -- @app other  Other
            -- @requires public.people
            -- @users
            -- @key id
            select p.id from public.people p;

            """
        _ = try install("", on: database, header: header)
        #expect(
            try rows(database, "select distinct a.app from usher.act a where a.retired_at is null order by 1")
                == [["lab"], ["other"]])
    }

    @Test func installSkipsActionsThatTheOwnerCannotRun() throws {
        let database = try database()
        let event = """

            -- @action event close  Closes it.
            -- @on nothing
            -- @do
            update public.events set done = true;
            """
        let report = try install(Self.blocks + event, on: database)
        #expect(
            report.app?.obstacles == [
                .init(
                    "event close",
                    "the owner of the schema usher doesn't have select on public.events"),
                .init(
                    "event close",
                    "the owner of the schema usher doesn't have update on public.events"),
            ])
        #expect(try rows(database, Self.current).map { $0[1] } == ["tier set", ""])
        try database.run("grant select, update on events to \(Self.owner)")
        #expect(try install(Self.blocks + event, on: database).app?.obstacles == [])
        #expect(try rows(database, Self.current).map { $0[1] } == ["event close", "tier set", ""])
        // An action that the owner can no longer run is removed.
        try database.run("revoke update on events from \(Self.owner)")
        #expect(try install(Self.blocks + event, on: database).app?.obstacles.count == 1)
        #expect(try rows(database, Self.current).map { $0[1] } == ["tier set", ""])
    }

    @Test func installSkipsEveryActionIfTheOwnerCannotReadTheUsers() throws {
        let database = try database()
        try database.run("alter table people owner to current_user")
        let report = try install(Self.blocks, on: database)
        let act = "tier set"
        #expect(
            report.app?.obstacles == [
                .init("reading users", "the owner of the schema usher doesn't have select on public.people"),
                .init("decision access", "the owner of the schema usher doesn't have select on public.people"),
                .init(act, "the owner of the schema usher doesn't have select on public.people"),
                .init(act, "the owner of the schema usher doesn't have update on public.people"),
                .init(act, "usher can't read the users, and every action needs them"),
            ])
        #expect(try rows(database, Self.current).isEmpty)
        // The owner can't even enter the schema, and the report still names each action.
        try database.run("create schema hidden", "alter table people set schema hidden")
        let header = """
            -- @app lab  Lab
            -- @requires hidden.people
            -- @users
            -- @key id
            select p.* from hidden.people p;


            """
        let hidden = try install(Self.blocks, on: database, header: header)
        #expect(hidden.app?.obstacles.map(\.name) == ["reading users", act])
        #expect(hidden.app?.obstacles.last?.sentence == "usher can't read the users, and every action needs them")
    }

    @Test func installSkipsOnlyActionsThatExpectABrokenDecision() throws {
        let database = try database()
        let blocks = """

            -- @decision event  Any?
            -- @rule some  Yes.
            exists (select from public.events e where e.id = facts.id);
            -- @rule none  No.
            true;
            -- @action tier clear  Clears it.
            -- @expect event none
            -- @do
            update public.people set tier = null where id = any(:users);
            """
        let report = try install(Self.blocks + blocks, on: database)
        #expect(
            report.app?.obstacles == [
                .init("decision event", "the owner of the schema usher doesn't have select on public.events"),
                .init("tier clear", "the action needs the decision event, which can't be installed"),
            ])
        #expect(try rows(database, Self.current).map { $0[1] } == ["tier set", ""])
        // An action that doesn't expect an outcome of the decision still runs.
        let request = """
            {"id": "\(UUID().uuidString)", "app": "lab", "digest": "\(report.app?.digest ?? "")", "kind": "action",
             "name": "tier set", "keys": ["1"], "reason": "why not", "dry": true}
            """
        let owner = try database.connect(user: Self.owner)
        _ = try owner.execute("select usher.advance_clock()")
        _ = try owner.execute(Query(unsafe: ForgeryLab.begin))
        #expect(try owner.execute("select usher.run(\(request)) ->> 'outcome'").first?.values[0].text == "planned")
    }

    @Test func installScriptWritesTheSameRowsAsInstall() throws {
        let database = try database()
        let app = try Lab.app(Self.blocks.replacing("'x'", with: "'it''s $acts$\u{301} \\ here'"))
        let compiled = try CompiledApp.compile(
            app, on: try database.connect(user: Self.owner), options: InquiryOptions())
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "install.sql", holding: LedgerSchema.script(environment: nil, app: compiled))
        let result = try Subprocess.run(
            "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo(user: Self.owner), "-f", file])
        #expect(result.status == 0, "\(result.errors)")
        let installed = "select string_agg(a.definition::text, ' ' order by a.kind) from usher.act a"
        let byScript = try database.value(installed)
        #expect(byScript?.contains("it''s $acts$\u{301} \\\\ here") == true)
        try database.run("delete from usher.act")
        try InstalledApp.install(app, on: try database.connect(user: Self.owner))
        #expect(try database.value(installed) == byScript)
        #expect(try database.value("select o.payload ->> 'digest' from usher.operation o") == app.digest)
    }

    /// After the installation a trigger reads another setting, and actions don't reset this setting.
    @Test func doctorNamesASettingThatATriggerReadsSinceTheInstallation() throws {
        let database = try database()
        _ = try install(Self.blocks, on: database)
        func findings() throws -> [Finding] {
            try Doctor.examine(
                try database.connect(user: Self.owner), candidates: [try Lab.app(Self.blocks)],
                options: InquiryOptions()
            ) { 0 }
        }
        try database.run(
            "create function stamp() returns trigger language plpgsql as $$ begin new.tier := current_setting('app.who', true); return new; end $$",
            "create trigger stamp before update on people for each row execute function stamp()")
        #expect(try findings().contains { $0.message.hasPrefix("functions read the settings app.who") })
        #expect(try install(Self.blocks, on: database).app?.settings.names == ["app.who"])
        #expect(try !findings().contains { $0.message.hasPrefix("functions read the settings app.who") })
    }

    @Test(arguments: [
        (["grant create on schema public to public"], "revoke create on schema public from public;"),
        (
            ["grant create on schema extensions to usher_eraser"],
            "revoke create on schema extensions from usher_eraser;"
        ),
        (
            ["grant usher_admin to \(Self.clerk)", "grant create on schema public to \(Self.clerk)"],
            "revoke create on schema public from \(Self.clerk);"
        ),
        (
            ["drop schema extensions", "grant create on database DATABASE to usher_support"],
            "revoke create on database DATABASE from usher_support;"
        ),
    ])
    func installRefusesASearchPathThatOperatorsCanWrite(_ statements: [String], remedy: String) throws {
        let database = try database()
        func named(_ text: String) -> String { text.replacing("DATABASE", with: database.name) }
        try database.run("create schema extensions authorization \(Self.owner)")
        try database.makeRole(Self.clerk)
        for statement in statements { try database.run(named(statement)) }
        let refusal = try failure { _ = try install(Self.blocks, on: database) }
        #expect(refusal.kind == .refused)
        #expect(refusal.details == [named(remedy)])
        #expect(try database.value("select to_regnamespace('usher')") == nil)
        let compiled = try CompiledApp.compile(
            try Lab.app(Self.blocks), on: try database.connect(user: Self.owner), options: InquiryOptions())
        let file = try Scratch()
        let script = try file.path(of: "install.sql", holding: LedgerSchema.script(environment: nil, app: compiled))
        func psql() throws -> Subprocess.Result {
            try Subprocess.run(
                "psql", ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo(user: Self.owner), "-f", script])
        }
        let result = try psql()
        #expect(result.status == 3)
        #expect(result.errors.contains(named(remedy)))
        #expect(try database.value("select to_regnamespace('usher')") == nil)
        for step in refusal.details { try database.run(step) }
        #expect(try psql().status == 0)
        #expect(try install(Self.blocks, on: database).app?.acts.count == 1)
    }

    @Test func doctorReportsWhetherTheAppFileIsInstalled() throws {
        let database = try database()
        func findings(_ blocks: String) throws -> [String] {
            try Doctor.examine(
                try database.connect(user: Self.owner), candidates: [try Lab.app(blocks)], options: InquiryOptions()
            ) { 0 }.map(\.message)
        }
        #expect(try findings(Self.blocks).contains { $0.hasPrefix("not installed") })
        _ = try Install(
            on: try database.connect(user: Self.owner), environment: nil, options: InquiryOptions(),
            elsewhere: database.elsewhere(user: Self.owner)
        ).run(reason: nil, isDryRun: false)
        #expect(try findings(Self.blocks).contains("no action of lab is installed"))
        _ = try install(Self.blocks, on: database)
        let date = try #require(try database.value("select current_date::text"))
        #expect(try findings(Self.blocks).contains("1 action of this app file, installed on \(date)"))
        let other = try findings(Self.blocks + "\n-- A remark.")
        #expect(other.contains("another version of this app file was installed on \(date)"))
    }
}
