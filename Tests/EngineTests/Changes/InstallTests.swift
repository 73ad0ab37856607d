import Asking
import Catalog
import Changes
import Ledger
import LocalCluster
import PQ
import Support
import Testing

/// Different roles run `install`, which creates objects, lists the remaining steps, or refuses.
@Suite struct InstallTests {
    /// An empty database of a role with some rights, on the shared cluster or a separate one.
    private func database(of owner: String, _ options: String = "", cluster: LocalCluster? = nil) throws -> TestDatabase
    {
        if cluster == nil { try TestCluster.operatorRoles.get() }
        let name = "install_\(owner)"
        let cluster = try cluster ?? TestCluster.shared
        let postgres = TestDatabase(name: "postgres", cluster: cluster)
        try postgres.makeRole(owner, options)
        try postgres.run("create database \(name) owner \(owner) template template0")
        let database = TestDatabase(name: name, cluster: cluster)
        // From Postgres 15 on, a new database has these rights.
        try database.run(
            "revoke create on schema public from public", "alter schema public owner to pg_database_owner")
        return database
    }

    private func install(
        _ database: TestDatabase, as role: String?, environment: String? = nil, isDryRun: Bool = false
    ) throws -> InstallReport {
        try Install(
            on: try database.connect(user: role), environment: environment, options: InquiryOptions(),
            elsewhere: database.elsewhere(user: role)
        ).run(reason: "a test", isDryRun: isDryRun)
    }

    private func value(_ database: TestDatabase, _ query: Query) throws -> String? {
        try database.connect().execute(query).first?.values[0].text
    }

    /// `install` keeps a public right that the app needs for its own writes.
    @Test func installRevokesOnlyPublicRightsThatTheAppDoesNotNeed() throws {
        let cluster = try LocalCluster.start(name: "usher-public")
        defer { cluster.stop() }
        let database = try database(of: "owner_public", "createrole", cluster: cluster)
        #expect(try install(database, as: "owner_public").remains.isEmpty)
        let owner = try database.connect(user: "owner_public")
        for statement in [
            "create table public.one (id integer)", "create table public.other (id integer)",
            "grant insert, update (id) on public.one to public", "grant insert on public.other to public",
        ] as [Query] {
            _ = try owner.execute(statement)
        }
        try database.run(
            "create role agent login in role usher_admin", "create role writer nologin",
            "create role app login noinherit in role writer")
        func left() throws -> [String] {
            try install(database, as: "owner_public").remains.compactMap {
                $0.sql.split(separator: " on ").last.map(String.init)
            }
        }
        // The app logs in as app and sets the role writer; both still need the public right.
        #expect(try left() == ["public.one from public", "public.other from public"])
        try database.run("grant insert on public.other to writer, app")
        #expect(try left() == ["public.one from public"])
        #expect(try value(database, "select has_table_privilege('agent', 'public.other', 'insert')::text") == "false")
        #expect(try value(database, "select has_table_privilege('writer', 'public.other', 'insert')::text") == "true")
        try database.run("grant insert on public.one to writer, app")
        #expect(try left() == ["public.one from public"], "the app still needs the public right to update a column")
        try database.run("grant update on public.one to writer, app", "create role clerk login in role usher_eraser")
        #expect(try left() == ["public.one from public"], "erasers write too, so the eraser may need the public right")
        try database.run("drop role clerk")
        #expect(try left() == [])
        #expect(
            try value(database, "select has_any_column_privilege('agent', 'public.one', 'update')::text") == "false")
    }

    @Test func installByALimitedOwnerListsTheRemainingSteps() throws {
        let cluster = try LocalCluster.start(name: "usher-install")
        defer { cluster.stop() }
        let database = try database(of: "owner_plain", cluster: cluster)
        let report = try install(database, as: "owner_plain", environment: "staging")
        #expect(report.previousVersion == 0)
        #expect(report.environment.name == "staging")
        #expect(report.mustRunAgain)
        #expect(
            report.remains.map(\.sql) == [
                "create role usher_support nologin", "create role usher_admin nologin",
                "grant usher_support to usher_admin", "create role usher_engineer nologin",
                "grant usher_admin to usher_engineer", "create role usher_eraser nologin",
                "create role usher_auditor nologin",
            ])
        #expect(try value(database, "select kind from usher.operation where id = \(report.operation)") == "install")
        // A superuser runs the printed statements, and the owner installs again.
        for step in report.remains { try database.run(step.sql) }
        let second = try install(database, as: "owner_plain")
        #expect(second.remains.isEmpty)
        #expect(second.environment.name == "staging")
        try expectRolesAreComplete(database)
    }

    @Test func installByAnOwnerWithCREATEROLELeavesNoRemainingSteps() throws {
        let cluster = try LocalCluster.start(name: "usher-install")
        defer { cluster.stop() }
        let database = try database(of: "owner_maker", "createrole", cluster: cluster)
        #expect(try install(database, as: "owner_maker").remains.isEmpty)
        try expectRolesAreComplete(database)
    }

    @Test func installRepairsADuplicateEnvironment() throws {
        let database = try database(of: "owner_twice")
        _ = try install(database, as: "owner_twice", environment: "staging")
        try database.run(
            "drop index usher.environment_is_one_row", "insert into usher.environment select * from usher.environment")
        // Two environments contradict each other, so the database counts as production.
        #expect(try install(database, as: "owner_twice").environment.name == "production")
        #expect(try install(database, as: "owner_twice", environment: "test").environment.name == "test")
        #expect(try value(database, "select count(*)::text from usher.environment") == "1")
    }

    /// Checks that each role can record and read, and nothing more.
    private func expectRolesAreComplete(_ database: TestDatabase) throws {
        for role in ["usher_support", "usher_admin", "usher_engineer"] {
            let connection = try database.connect()
            _ = try connection.execute("begin")
            _ = try connection.execute("set local role \(Identifier(role))")
            let id = try #require(try connection.execute("select gen_random_uuid()").first?.values[0].text)
            for allowed in [
                Ledger.attempt(.init(id: id, kind: .change, outcome: .refused, command: "x")),
                "select payload, erased from usher.operation",
                "select usher.outcome(\(id))", "select * from usher.environment", "select usher.seal()",
            ] as [Query] {
                _ = try connection.execute(allowed)
            }
            for forbidden in [
                "select salt from usher.operation", "select salt from usher.change", "delete from usher.change",
                "update usher.environment set name = 'test'", "insert into usher.seal default values",
            ] as [Query] {
                _ = try connection.execute("savepoint s")
                #expect(throws: PQError.self, "\(role): \(forbidden.sql)") { _ = try connection.execute(forbidden) }
                _ = try connection.execute("rollback to s")
            }
        }
        // Neither admin nor engineer includes the rights of erasers and auditors.
        for function in ["usher.erase(jsonb)", "usher.record_deletion_step(jsonb)"] {
            let granted: Query = """
                select string_agg(r.rolname, ' ' order by 1) from pg_roles r
                 where r.rolname ~ '^usher_' and has_function_privilege(r.oid, \(function)::regprocedure, 'execute')
                """
            #expect(try value(database, granted) == "usher_eraser", "\(function)")
        }
        let salts = """
            select string_agg(r.rolname, ' ' order by 1) from pg_roles r
             where r.rolname ~ '^usher_' and has_column_privilege(r.oid, 'usher.change', 'salt', 'select')
            """
        #expect(try value(database, Query(unsafe: salts)) == "usher_auditor")
    }

    @Test func installReplacesTheFunctionsOfAnotherBuild() throws {
        let database = try database(of: "owner_again")
        let owner = try database.connect(user: "owner_again")
        #expect(try install(database, as: "owner_again", environment: "development").previousVersion == 0)
        for statement: Query in [
            "create function usher.forget(uuid, text[]) returns bigint language sql as 'select 1::bigint'",
            "drop function usher.erase(jsonb)",
            "create function usher.erase(changed jsonb) returns integer language sql as 'select 1'",
        ] {
            _ = try owner.execute(statement)
        }
        let report = try install(database, as: "owner_again")
        #expect(report.previousVersion == Ledger.version)
        #expect(report.environment.name == "development")
        #expect(try value(database, "select count(*) from usher.operation") == "2")
        #expect(try value(database, "select to_regprocedure('usher.forget(uuid, text[])')") == nil)
        #expect(
            try value(
                database, "select prorettype::regtype from pg_proc where oid = 'usher.erase(jsonb)'::regprocedure")
                != "integer")
    }

    @Test func installRevokesWriteRightsOfOperatorsOnTablesOfTheApp() throws {
        let database = try database(of: "owner_grants")
        try database.makeRole("install_clerk", "in role usher_engineer")
        try database.run(
            "create table people (id integer primary key, score integer)", "alter table people owner to owner_grants",
            "grant select, insert, update on people to usher_support",
            "grant update (score) on people to usher_engineer", "grant delete on people to public")
        // The app may depend on a public right, so install names the right and keeps it.
        try database.makeRole("install_app")
        let report = try install(database, as: "owner_grants")
        let held = """
            select string_agg(p.name, ' ' order by p.name)
              from unnest('{insert,update,delete,truncate}'::text[]) as p (name)
             where has_table_privilege('install_clerk', 'people', p.name)
                or case when p.name in ('insert', 'update') then has_any_column_privilege('install_clerk', 'people', p.name) end
            """
        #expect(try value(database, Query(unsafe: held)) == "delete")
        let remedy = "revoke insert, update, delete, truncate, references, trigger on public.people from public"
        #expect(report.remains.map(\.sql) == [remedy])
        try database.run(remedy)
        #expect(try value(database, Query(unsafe: held)) == nil)
    }

    @Test func installDoesNotSetAnEnvironmentByItself() throws {
        let database = try database(of: "owner_unasked")
        let report = try install(database, as: "owner_unasked")
        #expect(report.environment.name == "production")
        #expect(report.environment == .undeclared)
        #expect(try value(database, "select count(*) from usher.environment") == "0")
    }

    @Test func dryRunOfInstallLeavesTheDatabaseUnchanged() throws {
        let database = try database(of: "owner_dry")
        #expect(try install(database, as: "owner_dry", environment: "test", isDryRun: true).environment.name == "test")
        #expect(try value(database, "select count(*) from pg_namespace where nspname = 'usher'") == "0")
    }

    @Test func installThatLeavesTheProductionEnvironmentCountsAsSevere() throws {
        let database = try database(of: "owner_marked")
        func isSevere(_ environment: String?) throws -> Bool {
            try Install(
                on: try database.connect(user: "owner_marked"), environment: environment, options: InquiryOptions(),
                elsewhere: database.elsewhere(user: "owner_marked")
            ).isSevere
        }
        #expect(try !isSevere("test"))
        _ = try install(database, as: "owner_marked", environment: "production")
        for environment in ["test", "staging", "development"] { #expect(try isSevere(environment)) }
        #expect(try !isSevere("production"))
        #expect(try !isSevere(nil))
        // usher doesn't trust the environment of a restored copy, but leaving production still needs a confirmation.
        try database.run("update usher.environment set system_identifier = 1")
        #expect(try isSevere("test"))
    }

    @Test func installFailsIfAnotherInstallSetProductionMeanwhile() throws {
        let database = try database(of: "owner_raced")
        _ = try install(database, as: "owner_raced", environment: "staging")
        let planned = try Install(
            on: try database.connect(user: "owner_raced"), environment: "test", options: InquiryOptions(),
            elsewhere: database.elsewhere(user: "owner_raced"))
        _ = try install(database, as: "owner_raced", environment: "production")
        #expect(throws: Failure.self) {
            _ = try planned.run(reason: nil, isDryRun: false)
        }
        #expect(try value(database, "select name from usher.environment") == "production")
    }

    @Test func installByASuperuserGivesEveryObjectToTheDatabaseOwner() throws {
        let database = try database(of: "owner_served")
        #expect(try install(database, as: nil).owner == "owner_served")
        #expect(
            try value(database, "select nspowner::regrole from pg_namespace where nspname = 'usher'") == "owner_served")
        #expect(
            try value(
                database,
                "select count(*) from pg_proc where pronamespace = 'usher'::regnamespace and proowner <> 'owner_served'::regrole"
            ) == "0")
        #expect(
            try value(database, "select operator from usher.operation")
                == database.connect().execute("select session_user::text as u").first?.shown("u")?.text)
        // The owner can install again afterwards.
        #expect(try install(database, as: "owner_served").previousVersion == Ledger.version)
    }

    @Test func installRefusesARoleThatIsNotTheOwnerAndAForeignSchema() throws {
        let database = try database(of: "owner_strict")
        try database.makeRole("install_stranger")
        let forbidden = try failure { _ = try install(database, as: "install_stranger") }
        #expect(forbidden.kind == .forbidden)
        #expect(
            forbidden.message
                == "only owner_strict can install usher in this database, and install_stranger is not a member of owner_strict"
        )
        try database.run("create schema usher authorization install_stranger")
        for role in ["owner_strict", nil] {
            #expect(try failure { _ = try install(database, as: role) }.kind == .refused)
        }
    }

    @Test func installRevokesDefaultPrivilegesOnTheTablesOfUsher() throws {
        let database = try database(of: "owner_generous")
        try database.makeRole("install_guest")
        let owner = try database.connect(user: "owner_generous")
        _ = try owner.execute("alter default privileges grant all on tables to install_guest, public")
        _ = try owner.execute("alter default privileges grant execute on functions to public")
        _ = try install(database, as: "owner_generous")
        let written = """
            select string_agg(c.relname || ' ' || p.privilege, ', ')
              from pg_class c, unnest('{insert,update,delete,truncate}'::text[]) as p (privilege)
             where c.relnamespace = 'usher'::regnamespace and c.relkind = 'r'
               and has_table_privilege('install_guest', c.oid, p.privilege)
            """
        #expect(try value(database, Query(unsafe: written)) == nil)
        #expect(
            try value(
                database, "select has_function_privilege('install_guest', 'usher.erase(jsonb)', 'execute')")
                == "f")
    }

    @Test func installRefusesAnotherVersionOfTheSchema() throws {
        let database = try database(of: "owner_later")
        _ = try install(database, as: "owner_later")
        try database.run(
            "create or replace function usher.version() returns integer language sql immutable as 'select 99'")
        #expect(try failure { _ = try install(database, as: "owner_later") }.code == "other_ledger")
    }

    @Test func installScriptInstallsTheSameSchemaInPsql() throws {
        let database = try database(of: "owner_script")
        let scratch = try Scratch()
        let file = try scratch.path(of: "install.sql", holding: LedgerSchema.script(environment: "staging"))
        for _ in 1...2 {
            let result = try Subprocess.run(
                "psql",
                ["-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", database.conninfo(user: "owner_script"), "-f", file])
            #expect(result.status == 0, "\(result.errors)")
        }
        let transaction = ReadTransaction(on: try database.connect())
        let answers = try transaction.read([Environment.query, Ledger.question], isLast: true)
        #expect(Environment(answers[0]).name == "staging")
        #expect(try Ledger.installation(answers[1])?.version == Ledger.version)
        #expect(try value(database, "select count(*) from usher.operation where kind = 'install'") == "2")
        #expect(try database.auditFindings() == [])
    }
}
