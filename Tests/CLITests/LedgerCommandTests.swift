import Foundation
import Ledger
import PQ
import Support
import Testing

/// Scripts rely on the JSON, the exit codes and the errors of `install`, `audit` and `roles`.
@Suite struct LedgerCommandTests {
    /// An empty database of a role without special rights.
    private static func database() throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        try TestCluster.operatorRoles.get()
        try database.makeRole("cli_owner")
        try database.run("alter database \(database.name) owner to cli_owner")
        return database
    }

    private static func installed() throws -> String {
        let conninfo = try database().conninfo(user: "cli_owner")
        let result = try Usher.run(["install", "--environment", "test", "-q"], on: conninfo)
        #expect(result.status == 0, "\(result.errors)")
        return conninfo
    }

    // MARK: Installing

    @Test func installReportsItsStepsInJSON() throws {
        let conninfo = try Self.database().conninfo(user: "cli_owner")
        let first = try Usher.run(["install", "--json"], on: conninfo)
        #expect(first.status == 0)
        let report = try object(first.output)
        #expect(
            Set(report.keys) == [
                "operation", "dry_run", "database", "owner", "version", "from", "environment", "doubt", "app", "digest",
                "acts", "not_installed", "own_settings", "revoked", "remains", "warnings",
            ])
        #expect(report["app"] is NSNull)
        #expect(report["acts"] as? Int == 0)
        #expect(report["from"] as? Int == 0)
        #expect(report["environment"] as? String == "production")
        #expect(report["doubt"] as? String == "the database has no declared environment")
        #expect((report["remains"] as? [Any])?.isEmpty == true)
        let second = try object(try Usher.run(["install", "--environment", "staging", "--json"], on: conninfo).output)
        #expect(second["from"] as? Int == second["version"] as? Int)
        #expect(second["environment"] as? String == "staging")
        #expect(second["doubt"] is NSNull)
        let listed = try objects(try Usher.run(["audit", "list", "--json"], on: conninfo).output)
        #expect(listed.map { $0["id"] as? String } == [second["operation"] as? String, report["operation"] as? String])
        #expect(listed.allSatisfy { $0["command"] as? String == "install" && $0["operator"] as? String == "cli_owner" })
    }

    @Test func installListsRevokedAndRemainingRights() throws {
        let database = try Self.database()
        try database.run(
            "create table public.notes (id integer)", "alter table public.notes owner to cli_owner",
            "create table public.marks (id integer)", "grant insert, update on public.notes to usher_admin",
            "grant delete on public.marks to usher_support")
        let conninfo = database.conninfo(user: "cli_owner")
        let taken: [[String: Any]] = [
            ["sql": "revoke insert, update, delete, truncate, references, trigger on public.notes from usher_admin"]
        ]
        func report(_ words: String...) throws -> [String: Any] {
            try object(try Usher.run(["install", "--environment", "test", "--json"] + words, on: conninfo).output)
        }
        let dry = try report("--dry-run")
        #expect(dry["revoked"] as? NSArray == taken as NSArray)
        let plain = try Usher.run(["install", "--environment", "test"], on: conninfo)
        #expect(plain.status == 0, "\(plain.errors)")
        #expect(!plain.output.contains("can create roles"))
        let parts = plain.output.split(separator: "→ ").map(String.init)
        let took = try #require(parts.first { $0.hasPrefix("usher revoked") })
        #expect(took.contains("on public.notes from usher_admin;"))
        let left = try #require(parts.last { $0.contains("revoke") })
        #expect(left.contains("owner") && left.contains("on public.marks from usher_support;"))
        #expect((try report()["revoked"] as? [Any])?.isEmpty == true)
    }

    @Test func installPrintsAScriptWithoutADatabase() throws {
        let result = try Usher.run(["install", "--sql", "--environment", "test"], on: "host=/nowhere")
        #expect(result.status == 0)
        for part in ["begin;", "create table if not exists usher.operation", "execute usher_mark('test');", "commit;"] {
            #expect(result.output.contains(part), "\(part)")
        }
    }

    private static let app = """
        -- @app tiny  Tiny
        -- @requires public.person.id
        -- @users
        -- @key id
        select p.id from public.person p;
        -- @action person rename  Renames.
        -- @do
        update public.person set name = 'x' where id = any(:users);
        -- @action event close  Closes.
        -- @on nothing
        -- @do
        update public.event set closed = true;
        """

    @Test func installAlsoInstallsTheAppOfTheDatabase() throws {
        let database = try Self.database()
        try database.run(
            "create table public.person (id integer primary key, name text)",
            "create table public.event (closed boolean)",
            "alter table public.person owner to cli_owner")
        let scratch = try Scratch()
        let file = try scratch.path(of: "tiny.sql", holding: Self.app)
        let conninfo = database.conninfo(user: "cli_owner")
        let none = try Usher.run(["install"], on: conninfo)
        #expect(none.output.contains("none; no app file fits this database, so no actions are installed"))
        let shown = try Usher.run(["install", "--app", file], on: conninfo)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.output.contains("tiny, 1 of 2 actions of the file "))
        #expect(shown.output.contains("event close: the owner of the schema usher doesn't have update on public.event"))
        let report = try object(try Usher.run(["install", "--app", file, "--json"], on: conninfo).output)
        #expect(report["app"] as? String == "tiny")
        #expect(report["acts"] as? Int == 1)
        let missing = try #require(report["not_installed"] as? [[String: String]])
        #expect(missing.map { $0["act"] } == ["event close", "event close"])
        let script = try Usher.run(["install", "--sql", "--app", file], on: conninfo).output
        #expect(script.contains("execute usher_acts ("))
        #expect(
            script.contains(
                "-- Not installed: event close: the owner of the schema usher doesn't have update on public.event"))
        let other = try Usher.run(["install", "--app", "impulse"], on: conninfo)
        #expect(other.status == 1)
        #expect(other.errors.contains("this database doesn't match the app impulse"))
    }

    @Test func dryRunOfInstallChangesNothing() throws {
        let conninfo = try Self.database().conninfo(user: "cli_owner")
        let report = try object(try Usher.run(["install", "-n", "--json"], on: conninfo).output)
        #expect(report["operation"] is NSNull)
        #expect(report["dry_run"] as? Bool == true)
        #expect(try Usher.run(["audit", "list"], on: conninfo).status == 3)
    }

    @Test func installAsksBeforeSettingTheEnvironmentToProduction() throws {
        let conninfo = try Self.database().conninfo(user: "cli_owner")
        let words = ["install", "--environment", "production"]
        for (answer, status) in [("n\r", Int32(3)), ("\r", 3), ("y\r", 0)] {
            let terminal = try Usher.console(words, on: conninfo)
            try terminal.wait(for: "[y/N] ")
            terminal.type(answer)
            #expect(try terminal.end() == status)
            let isInstalled = try Usher.run(["audit", "list"], on: conninfo).status == 0
            #expect(isInstalled == (status == 0))
        }
        // The database already is production, so install asks nothing.
        #expect(try Usher.console(words, on: conninfo).end() == 0)
        let other = try Self.database().conninfo(user: "cli_owner")
        #expect(try Usher.console(words + ["--yes"], on: other).end() == 0)
    }

    /// A read-only session can repair nothing, so the report lists no repair.
    @Test func checkFixIsRefusedInAReadOnlySession() throws {
        let result = try Usher.run(
            ["check", "--fix", "--yes"], on: try MarkedDatabase.fresh().conninfo(),
            environment: ["PGOPTIONS": "-c default_transaction_read_only=on"])
        #expect(result.status == 3, "\(result.errors)")
        #expect(result.errors.contains("default_transaction_read_only is on, so this session can't change anything"))
    }

    @Test func installNeedsAReasonAndTheDatabaseNameToLeaveProduction() throws {
        let database = try Self.database()
        let conninfo = database.conninfo(user: "cli_owner")
        func install(_ words: String...) throws -> Subprocess.Result {
            try Usher.run(["install", "--no-input", "--json"] + words, on: conninfo)
        }
        #expect(try install("--environment", "production").status == 0)
        for words in [
            [], ["--yes"], ["--reason", "x"], ["--reason", "x", "--yes"], ["--reason", "x", "--confirm", "postgres"],
            ["--reason", "x", "--confirm", ""], ["--confirm", database.name], ["--yes", "--confirm", database.name],
        ] {
            let result = try Usher.run(
                ["install", "--no-input", "--json", "--environment", "test"] + words, on: conninfo)
            #expect(result.status == 3, "\(words)")
            #expect(try errorObject(result)["code"] as? String == "refused")
        }
        let again = try install()
        #expect(try object(again.output)["environment"] as? String == "production")
        let meant = try install("--environment", "test", "--reason", "a copy", "--confirm", database.name)
        #expect(try object(meant.output)["environment"] as? String == "test")
        let listed = try objects(try Usher.run(["audit", "list", "--json", "--limit", "1"], on: conninfo).output)
        #expect(listed.first?["reason"] as? String == "a copy")
    }

    @Test func refusedInstallNamesTheRoleToConnectAs() throws {
        let database = try Self.database()
        try database.makeRole("cli_stranger")
        let result = try Usher.run(["install"], on: database.conninfo(user: "cli_stranger"))
        #expect(result.status == 5)
        #expect(result.errors.contains("connect as cli_owner"))
        #expect(try Usher.run(["install", "--environment", "prod"], on: database.conninfo()).status == 2)
    }

    // MARK: The audit

    @Test func auditCommandsSuggestInstallIfThereIsNoAuditLog() throws {
        let conninfo = try TestCluster.emptyDatabase().conninfo()
        for words in [["audit", "list"], ["audit", "show", "abcdef01"], ["audit", "verify"]] {
            let result = try Usher.run(words, on: conninfo)
            #expect(result.status == 3, "\(words)")
            #expect(result.errors.contains("`usher install`"))
        }
    }

    @Test func auditCommandsExitWithFiveIfTheRoleCannotReadTheAuditLog() throws {
        let database = try Self.database()
        #expect(try Usher.run(["install"], on: database.conninfo()).status == 0)
        try database.makeRole("cli_blind")
        for words in [["audit", "list"], ["audit", "show", "abcdef01"], ["audit", "verify"]] {
            let result = try Usher.run(words + ["--json"], on: database.conninfo(user: "cli_blind"))
            #expect(result.status == 5, "\(words)")
            #expect(try errorObject(result)["code"] as? String == "forbidden")
        }
    }

    @Test func auditShowWritesEveryFormat() throws {
        let conninfo = try Self.installed()
        let id = "abcdef01-0000-4000-8000-000000000001"
        let connection = try Connection(try Conninfo(conninfo), cancellation: Cancellation())
        let payload = #"{"target": "\u001b[31m", "users": ["1"], "arguments": {"days": 7}}"#
        for query in RecordFunctions.all + [
            "begin",
            Ledger.record(.init(id: id, kind: .change, outcome: .committed, command: "trial extend", payload: payload)),
            Ledger.recordChanges(
                of: id, from: 1,
                payloads: (1...1500).map {
                    #"{"table": "public.t", "key": {"id": \#($0)}, "before": null, "after": {"n": \#($0)}}"#
                }),
            "commit",
        ] as [Query] {
            _ = try connection.execute(query)
        }
        let shown = try object(try Usher.run(["audit", "show", "abcdef01", "--json"], on: conninfo).output)
        #expect(shown["id"] as? String == id)
        #expect(shown["total"] as? Int == 1500)
        #expect((shown["changes"] as? [Any])?.count == 1000)
        #expect(shown["truncated"] as? Bool == true)
        #expect((shown["arguments"] as? [String: Int]) == ["days": 7])
        let change = try #require((shown["changes"] as? [[String: Any]])?.first)
        #expect(Set(change.keys) == ["table", "key", "before", "after", "erased_by"])
        let lines = try Usher.run(["audit", "show", id, "-o", "ndjson"], on: conninfo).output.split(separator: "\n")
        #expect(lines.count == 1500)
        let cells = try Usher.run(["audit", "show", id, "-o", "csv"], on: conninfo).output.split(separator: "\n")
        #expect(cells.first == "table,key,column,before,after")
        #expect(cells.last == "public.t,id=1500,n,,1500")
        #expect(try Usher.run(["audit", "show", id, "-o", "name"], on: conninfo).output == id + "\n")
        let screen = try Usher.run(["audit", "show", id], on: conninfo)
        #expect(!screen.output.contains("\u{1B}"))
        #expect(screen.errors.contains("1500 changed rows"))
        #expect(try Usher.run(["audit", "show", "abcdef02"], on: conninfo).status == 4)
        #expect(try Usher.run(["audit", "show"], on: conninfo).status == 2)
    }

    /// The audit log keeps the first twenty names of an operation.
    @Test func auditListDoesNotCountNamesThatTheAuditLogLeftOut() throws {
        let database = try Self.database()
        try database.run(
            "create table public.person (id integer primary key, name text)",
            "insert into public.person select n from generate_series(1, 22) n",
            "create table public.event (closed boolean)", "alter table public.person owner to cli_owner")
        let scratch = try Scratch()
        let file = try scratch.path(of: "tiny.sql", holding: Self.app)
        let conninfo = database.conninfo(user: "cli_owner")
        #expect(try Usher.run(["install", "--environment", "test", "-q", "--app", file], on: conninfo).status == 0)
        let people = (1...22).map(String.init)
        let renamed = try Usher.run(["--app", file, "person", "rename"] + people + ["-y"], on: conninfo)
        #expect(renamed.status == 0, "\(renamed.errors)")
        let list = try Usher.run(["audit", "list"], on: conninfo).output
        #expect(list.contains("1, 2 and many more"), "\(list)")
    }

    @Test func auditVerifyExitsWithOneAfterTampering() throws {
        let database = try Self.database()
        let conninfo = database.conninfo(user: "cli_owner")
        #expect(try Usher.run(["install", "-q"], on: conninfo).status == 0)
        let whole = try Usher.run(["audit", "verify", "--json"], on: conninfo)
        #expect(whole.status == 0)
        let report = try object(whole.output)
        #expect(
            Set(report.keys) == [
                "intact", "head", "operations", "changes", "seals", "unsealed", "payloads_compared", "erased",
                "problems", "held",
            ])
        #expect(report["intact"] as? Bool == true)
        try database.run("update usher.operation set payload = '{}'")
        let broken = try Usher.run(["audit", "verify", "--json"], on: conninfo)
        #expect(broken.status == 1)
        #expect(try object(broken.output)["intact"] as? Bool == false)
        #expect(try Usher.run(["audit", "verify"], on: conninfo).output.contains("wrong"))
        #expect(try Usher.run(["audit", "verify", "--head", "12"], on: conninfo).status == 2)
        #expect(
            try Usher.run(["audit", "verify", "--head", String(repeating: "0", count: 64)], on: conninfo).status == 1)
    }

    @Test func auditVerifyReportsThatOnlyTheAuditorRoleComparesContents() throws {
        let database = try Self.database()
        #expect(try Usher.run(["install", "-q"], on: database.conninfo()).status == 0)
        for (login, role, compares) in [
            ("cli_support", "usher_support", false), ("cli_auditor", "usher_auditor", true),
        ] {
            try database.makeRole(login)
            try database.run("grant \(role) to \(login)")
            let conninfo = database.conninfo(user: login)
            let screen = try Usher.run(["audit", "verify"], on: conninfo)
            #expect(screen.status == 0, "\(screen.errors)")
            #expect(screen.output.hasPrefix("intact\n"))
            #expect(
                screen.output.contains(
                    "not checked: the contents of the operations, which only the role usher_auditor can read")
                    == !compares)
            let report = try object(try Usher.run(["audit", "verify", "--json"], on: conninfo).output)
            #expect(report["payloads_compared"] as? Bool == compares)
            #expect(try Usher.run(["audit", "list"], on: conninfo).status == 0)
        }
    }

    // MARK: Roles

    @Test func rolesCommandsPrintAScriptOrRows() throws {
        let script = try Usher.run(["roles", "sql"], on: SampleDatabase.conninfo)
        #expect(script.status == 0)
        #expect(script.output.contains(" on public.profiles to usher_support;"))
        let rows = try objects(try Usher.run(["roles", "sql", "--json"], on: SampleDatabase.conninfo).output)
        #expect(rows.allSatisfy { Set($0.keys) == ["role", "owner", "sql"] })
        #expect(
            Set(rows.compactMap { $0["role"] as? String })
                == ["usher_support", "usher_eraser"])
        let shown = try objects(try Usher.run(["roles", "show", "--json"], on: SampleDatabase.conninfo).output)
        #expect(
            shown.allSatisfy { Set($0.keys) == ["role", "privilege", "on", "columns", "granted", "missing"] })
        let empty = try TestCluster.emptyDatabase().conninfo()
        #expect(try Usher.run(["roles", "sql"], on: empty).status == 1)
    }
}
