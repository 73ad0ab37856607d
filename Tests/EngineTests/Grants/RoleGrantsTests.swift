import Accounts
import AppFile
import Asking
import Changes
import Foundation
import Grants
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// With exactly the grants of `roles sql`, each role can do its own work and nothing more.
@Suite struct RoleGrantsTests {
    /// The sample data of an app, in a database where the roles have the derived grants and nothing else.
    private static func granted(_ name: String) throws -> Sample {
        try TestCluster.operatorRoles.get()
        let sample = try Sample(name)
        // A cloned database belongs to the role that cloned it. usher trusts an audit log only if its owner also owns
        // the database.
        try sample.database.run("alter database \(sample.database.name) owner to operator")
        let grants = try RoleGrants.derive(
            on: try sample.database.connect(), candidates: [sample.app], options: InquiryOptions())
        #expect(grants.unknown.isEmpty, "\(grants.unknown)")
        let file = try Scratch()
        let result = try Subprocess.run(
            "psql",
            [
                "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", sample.database.conninfo(), "-f",
                try file.path(of: "roles.sql", holding: grants.script),
            ])
        #expect(result.status == 0, "\(result.errors)")
        return sample
    }

    /// A login for each role, without direct grants.
    private static func login(_ role: String, _ database: TestDatabase) throws -> String {
        let login = "test_\(role)"
        try database.makeRole(login, "in role \(role)")
        return login
    }

    /// A function runs the statements of an action, so no role needs the rights for them.
    @Test(arguments: sample(AppLibrary.names)) func noRoleCanRunTheStatementsOfAnActionDirectly(_ name: String) throws {
        let sample = try Self.granted(name)
        let work = try Work(of: sample)
        for role in OperatorRole.allCases {
            let login = try sample.database.connect(user: try Self.login(role.name, sample.database))
            for task in work.tasks {
                let outcomes = try task.statements.map { try work.outcome(of: $0, on: login) }
                #expect(outcomes.contains(.refused("42501")), "\(role) must not \(task.name)")
            }
        }
    }

    @Test(arguments: sample(AppLibrary.names)) func everyRoleCanRunOnlyItsOwnActions(_ name: String) throws {
        let sample = try Self.granted(name)
        let keys = try Work(of: sample).keys.prefix(isDeep ? 6 : 2)
        let superuser = try sample.database.connect()
        _ = try ChangeLab(sample.database, sample.app)
        for role in OperatorRole.allCases {
            let login = try Self.login(role.name, sample.database)
            let lab = ChangeLab(installed: sample.app, on: sample.database, role: login)
            let connection = try lab.connect()
            for action in sample.app.actions where action.subject == .users {
                for key in keys {
                    var request = ChangeRequest.action(action.noun, action.verb, on: key)
                    for option in action.parameters.all where !option.isOptional {
                        request.values[option.name] = try Work.value(for: option, on: superuser).value
                    }
                    do { _ = try lab.plan(request, on: connection) } catch let failure as Failure {
                        if action.role > role {
                            #expect(failure.kind == .forbidden && failure.message.contains(action.role.name))
                            continue
                        }
                        #expect(
                            failure.kind == .refused || failure.kind == .failed && failure.state != nil, "\(failure)")
                        #expect(failure.state?.rawValue != "42501", "\(role) \(action.noun) \(action.verb): \(failure)")
                    }
                }
            }
        }
    }

    @Test(arguments: sample(AppLibrary.names))
    func supportRoleCanReadReportsTimelinesChecksAndLists(_ name: String) throws {
        let sample = try Self.granted(name)
        let login = try Self.login("usher_support", sample.database)
        let connection = try sample.database.connect(user: login)
        for key in try Work(of: sample).keys.prefix(isDeep ? 5 : 2) {
            let report = try sample.ask(key, role: login)
            #expect(report.panels.compactMap(\.unavailable) == [])
            #expect(report.quotas.compactMap(\.unavailable) == [])
            #expect(try report.decisions.map(\.outcome) == sample.ask(key).decisions.map(\.outcome))
            let timeline = try Inquiry.open(
                on: connection, candidates: [sample.app], options: InquiryOptions(), for: .users
            ).timeline(of: key, since: nil, limit: 1000)
            #expect(timeline.unavailable.isEmpty)
        }
        let checks = try Inquiry.open(on: connection, candidates: [sample.app], options: InquiryOptions(), for: .users)
            .checks(nil, limit: 10)
        #expect(checks.compactMap(\.unavailable) == [])
        for object in sample.app.objects {
            var wanted = ListOptions()
            wanted.selections = object.selections.map(\.name)
            let listing = try Listing.objects(
                object.noun, wanted,
                in: Inquiry.open(on: connection, candidates: [sample.app], options: InquiryOptions(), for: .users))
            _ = try listing.stream { _ in }
        }
        _ = try sample.list(ListOptions(), column: sample.app.users.key, role: login)
    }

    @Test(arguments: sample(AppLibrary.names)) func onlyErasersCanDeleteAccounts(_ name: String) throws {
        let sample = try Self.granted(name)
        let keys = try Work(of: sample).keys
        func delete(as role: String) throws -> DeletionReport {
            let login = try Self.login(role, sample.database)
            let user = try #require(keys.first)
            var request = DeletionRequest(AccountRequest(users: [user], shared: .delete))
            request.reason = "asked for it"
            return try Deletion(
                request, on: try sample.database.connect(user: login), candidates: [sample.app],
                options: InquiryOptions(), elsewhere: sample.database.elsewhere(user: login)
            ).run()
        }
        for role in ["usher_support", "usher_admin", "usher_engineer"] {
            let refusal = try failure { _ = try delete(as: role) }
            #expect(refusal.kind == .forbidden && refusal.message.contains("usher_eraser"), "\(role): \(refusal)")
        }
        let report = try delete(as: "usher_eraser")
        #expect(report.isVerified, "\(report.plan.hidden) \(report.undeclared) \(report.written) \(report.doubts)")
    }

    @Test(.long, arguments: sample(AppLibrary.names)) func erasersCanArchiveAndRestoreEveryRow(_ name: String) throws {
        let sample = try Self.granted(name)
        let login = try Self.login("usher_eraser", sample.database)
        let lab = try ChangeLab(sample.database, sample.app)
        // A copy counts as production until it has an environment.
        _ = try sample.database.connect().execute(LedgerSchema.mark("test"))
        let scratch = try Scratch()
        for (number, user) in try Work(of: sample).keys.prefix(isDeep ? 3 : 1).enumerated() {
            let before = try lab.everything()
            let path = scratch.folder.appendingPathComponent("\(number).archive").path
            var request = DeletionRequest(AccountRequest(users: [user], shared: .delete))
            request.archive = path
            let report = try Deletion(
                request, on: try sample.database.connect(user: login), candidates: [sample.app],
                options: InquiryOptions(), elsewhere: sample.database.elsewhere(user: login)
            ).run()
            #expect(report.isVerified, "\(name) \(user)")
            #expect(try lab.everything() != before)
            let back = try Restore.open(
                path, reason: nil, isDryRun: false, on: try sample.database.connect(user: login),
                options: InquiryOptions(), elsewhere: sample.database.elsewhere(user: login)
            ).run(reason: nil, ticket: nil, isDryRun: false)
            // A trigger creates rows at sign-up, which the restore corrects, and another trigger sets `updated_at`.
            let missed = back.missed.filter { !$0.hasSuffix(" in updated_at, which a trigger sets") }
            #expect(missed == [], "\(name) \(user)")
            let after = try lab.everything()
            #expect(
                after == before,
                "\(name) \(user): \(Set(before).symmetricDifference(after).sorted().prefix(6).joined(separator: "\n"))")
        }
    }

    @Test func rolesShowListsGrantedAndMissingRights() throws {
        let sample = try Self.granted("impulse")
        func standing() throws -> [RoleStanding] {
            let connection = try sample.database.connect()
            return try RoleGrants.derive(on: connection, candidates: [sample.app], options: InquiryOptions())
                .standing(on: connection, options: InquiryOptions())
        }
        #expect(try standing().allSatisfy { $0.isGranted == true && $0.missing.isEmpty })
        try sample.database.run("revoke delete on public.profiles from usher_eraser")
        let gap = try standing().filter { $0.isGranted != true }
        #expect(gap.map(\.role) == [.eraser])
        #expect(gap.map(\.privilege) == ["delete"])
        #expect(gap.map(\.subject) == ["public.profiles"])
        #expect(gap.map(\.missing) == [["public.profiles"]])
    }

    @Test func onlyErasersCanReadSecretsForArchives() throws {
        let sample = try Sample("impulse")
        let grants = try RoleGrants.derive(
            on: try sample.database.connect(), candidates: [sample.app], options: InquiryOptions()
        ).grants
        let tokens = grants.filter { $0.sql.contains(" on auth.refresh_tokens ") }
        #expect(!tokens.isEmpty)
        for grant in tokens where grant.role != .eraser {
            #expect(!grant.sql.contains("token,") && !grant.sql.contains("(token"), "\(grant.sql)")
        }
        #expect(
            tokens.filter { $0.role == .eraser && $0.sql.hasPrefix("grant select,") }.map(\.sql) == [
                "grant select, insert, update, delete on auth.refresh_tokens to usher_eraser"
            ])
    }

    /// If a block reads a secret column, the script lists this column as not granted.
    @Test(arguments: [
        "@check unsafe  Nobody is without a second factor.\nselect p.id from public.people p where p.pin is null;",
        "@panel Safety\nselect right(p.pin, 2) as ends from public.people p where p.id = :user;",
        "@panel Names\nselect q.email from (select p.* from public.people p) q where q.id = :user;",
        "@list person safe  People with a second factor.\nselect p.id from public.people p where to_jsonb(p) ? 'pin';",
        "@define safe  Those with one.\nselect p.id, p.pin from public.people p;\n-- @stat safe  Those.\nselect 'x' as label, count(*) as value from safe;",
        "@decision safety  Is this one safe?\nselect p.id, p.pin is not null as is_safe from public.people p;\n-- @rule yes  Yes.\nis_safe;\n-- @rule no  No.\ntrue;",
        "@settings pins  Pins.\n-- @table public.people\n-- @key id\n-- @column pin: text",
    ])
    func rolesSQLDoesNotGrantOperatorsASecretColumn(block: String) throws {
        let lab = try Lab("alter table people add pin text", "update people set pin = '1234'")
        let app = try Lab.app(
            "-- \(block)\n\n-- @account\n-- @root public.people.id\n-- @secret public.people.pin",
            header: """
                -- @app lab  Laboratory
                -- @requires public.people
                -- @users
                -- @key id
                -- @email email
                select p.id, p.email from public.people p;


                """)
        try TestCluster.operatorRoles.get()
        let connection = try lab.database.connect()
        let grants = try RoleGrants.derive(on: connection, candidates: [app], options: InquiryOptions())
        #expect(grants.secretsRead == ["public.people.pin"])
        let script = grants.script
        #expect(script.contains("\n-- Not granted, because these columns are @secret: public.people.pin. "))
        for statement in grants.grants where statement.role != .eraser { try lab.database.run(statement.sql) }
        for role in ["usher_support", "usher_admin", "usher_engineer"] {
            let may = "select has_column_privilege('\(role)', 'public.people', 'pin', 'select') as may"
            #expect(try connection.execute(Query(unsafe: may)).only().boolean("may") == false, "\(script)")
        }
    }

    /// A function of the owner evaluates the refusals of an action and returns only the result.
    @Test func refusalConditionOfAnActionMayReadASecret() throws {
        let lab = try Lab("alter table people add pin text", "create table pins (id int primary key, pin text)")
        let app = try Lab.app(
            """
            -- @action person unlock  Let somebody in.
            -- @arg code: secret
            -- @refuse The code doesn't exist; check the spelling.
            not exists (select from public.pins c where c.pin = md5(:code));
            -- @do
            update public.people set pin = null where id = any(:users);

            -- @account
            -- @root public.people.id
            -- @secret public.pins.pin
            """)
        let connection = try lab.database.connect()
        let grants = try RoleGrants.derive(on: connection, candidates: [app], options: InquiryOptions())
        #expect(grants.secretsRead.isEmpty && grants.unknown.isEmpty)
        #expect(!grants.grants.contains { $0.sql.contains("public.pins") && $0.role != .eraser })
        let findings = try AppCheck.findings(in: app, on: connection, options: InquiryOptions())
        #expect(!findings.contains { $0.message.contains("a @secret") }, "\(findings)")
    }

    /// An earlier grant may cover a secret column or its whole table, for a role, a login or everybody.
    @Test func doctorNamesGrantsOnSecrets() throws {
        let lab = try Lab(
            "alter table people add pin text", "create table \"Keys\" (id int primary key, \"apiKey\" text)")
        try TestCluster.operatorRoles.get()
        try lab.database.makeRole("held_person", "in role usher_admin")
        try lab.database.makeRole("held_eraser", "in role usher_eraser")
        let app = try Lab.app(
            "-- @account\n-- @root public.people.id\n-- @secret public.people.pin\n-- @secret public.\"Keys\".\"apiKey\""
        )
        func held() throws -> [String] {
            let findings = try Doctor.examine(
                try lab.database.connect(), candidates: [app], options: InquiryOptions(), clock: { 0 })
            return findings.filter { $0.topic == "operators" }.map {
                "\($0.message): \(($0.remedy ?? "").prefix { $0 != ";" })"
            }
        }
        try lab.database.run(
            "grant select (id, email) on people to usher_support", "grant select on people to usher_eraser")
        #expect(try held() == [])
        try lab.database.run(
            "grant select (id, pin) on people to usher_support", "grant select on \"Keys\" to held_person, held_eraser",
            "grant select (\"apiKey\") on \"Keys\" to public")
        let findings = try held()
        #expect(
            Set(findings) == [
                "usher_support can read public.people.pin, which is a @secret: revoke select (pin) on public.people from usher_support",
                #"held_person can read public."Keys"."apiKey", which is a @secret: revoke select on public."Keys" from held_person"#,
                #"usher_support can read public."Keys"."apiKey", which is a @secret: revoke select ("apiKey") on public."Keys" from public"#,
            ], "\(findings)")
        for finding in findings { try lab.database.run(String(finding.split(separator: ": ")[1])) }
        #expect(try held() == [])
    }

    @Test func rolesSQLLetsErasersDeleteRowsThatOwnsDirectivesDeclare() throws {
        let lab = try Lab(
            "create table prefs (id integer primary key)",
            "create table seats (id integer primary key, person integer references people on delete cascade, prefs integer unique references prefs)"
        )
        let app = try Lab.app(
            "-- @account\n-- @root public.people.id\n-- @owns public.seats.prefs -> public.prefs.id")
        let grants = try RoleGrants.derive(
            on: try lab.database.connect(), candidates: [app], options: InquiryOptions()
        ).grants.filter { $0.role == .eraser }.map(\.sql)
        #expect(grants.contains("grant select, insert, update, delete on public.prefs to usher_eraser"), "\(grants)")
    }

    @Test func rolesSQLGrantsEveryRightThatAStatementNeeds() throws {
        let lab = try Lab(
            "create table \"Odd table\" (\"a key\" serial primary key, tier text, \"Secret\" text, parent integer)",
            "create table child (id integer primary key, parent integer references \"Odd table\" on delete cascade)",
            "create view seen as select id, tier from people",
            "create function mine(integer) returns integer language sql immutable as 'select $1'",
            "revoke execute on function mine(integer) from public")
        let app = try Lab.app(
            """
            -- @panel Seen
            select v.tier from public.seen v where public.mine(v.id) = :user;

            -- @action odd add
            -- @on nothing
            -- @option tier: text
            -- @do
            insert into public."Odd table" (tier) values (:tier);

            -- @action odd lock
            -- @role support
            -- @on nothing
            -- @do
            with held as (select count(*) from public."Odd table") update public.people set score = 1 from held where false;

            -- @action odd drop
            -- @on nothing
            -- @role engineer
            -- @do
            delete from public."Odd table";

            -- @account
            -- @root public.people.id
            -- @secret public."Odd table"."Secret"
            """)
        let grants = try RoleGrants.derive(
            on: try lab.database.connect(), candidates: [app], options: InquiryOptions())
        #expect(
            grants.grants.map(\.sql) == [
                "grant usage on schema public to usher_support",
                #"grant execute on function public.mine(integer) to usher_support"#,
                "grant select on public.people to usher_support", "grant select on public.seen to usher_support",
                // Before a deletion an eraser reads what support can read.
                "grant usage on schema public to usher_eraser",
                #"grant execute on function public.mine(integer) to usher_eraser"#,
                #"grant select (tier) on public."Odd table" to usher_eraser"#,
                "grant select, insert, update, delete on public.people to usher_eraser",
                "grant select on public.seen to usher_eraser",
            ])
        #expect(!grants.hasLedger)
    }

    @Test func rolesSQLNamesAStatementThatPostgresRejects() throws {
        let lab = try Lab()
        let app = try Lab.app("-- @panel Gone\nselect nothing from public.gone;")
        let grants = try RoleGrants.derive(
            on: try lab.database.connect(), candidates: [app], options: InquiryOptions())
        #expect(grants.unknown.map(\.name) == ["reading"])
        #expect(
            grants.script.contains(
                "\n-- reading: usher can't derive the rights, because Postgres rejects the statement: "))
        #expect(throws: Failure.self) {
            _ = try RoleGrants.derive(
                on: try lab.database.connect(),
                candidates: [try Lab.app("-- @action a b\n-- @on nothing\n-- @role king\n-- @do\nselect 1;")],
                options: InquiryOptions())
        }
    }
}

/// Every statement of an app's actions and states, with values from its sample data.
private struct Work {
    struct Task {
        let role: OperatorRole
        let name: String
        let isState: Bool
        let statements: [ComposedQuery]
    }

    enum Outcome: Equatable {
        case done(rows: Int)
        case refused(String)
    }

    let superuser: Connection
    let keys: [String]
    let tasks: [Task]

    init(of sample: Sample) throws {
        let connection = try sample.database.connect()
        var tasks: [Task] = []
        let app = sample.app
        let now = ["now": Binding("2026-11-21 12:00:00+00", type: "timestamptz")]
        /// The keys that a query lists, and their type.
        func keys(_ query: ComposedQuery, _ column: String) throws -> (values: [String], type: String) {
            let rows = try connection.execute(Query(query))
            let type = try #require(rows.columns.first { $0.name == column }?.type.rawValue)
            let name = try connection.execute("select format_type(\(String(type))::oid, null)").first?.values[0].text
            return (rows.rows.compactMap { $0.shown(column)?.text }, try #require(name))
        }
        func subject(_ kind: App.Subject) throws -> [String: Binding] {
            switch kind {
            case .users:
                let found = try keys(app.queries(now).list(where: nil, decided: nil, limit: nil), app.users.key)
                return [
                    "user": Binding(found.values.first, type: found.type),
                    "users": Binding(arrayLiteral(found.values), type: found.type + "[]"),
                ]
            case .object(let noun):
                let object = try #require(app.objects.first { $0.noun == noun })
                let found = try keys(app.queries(now).list(of: object, App.ListFilter()), object.key)
                return [
                    "key": Binding(found.values.first, type: found.type),
                    "keys": Binding(arrayLiteral(found.values), type: found.type + "[]"),
                ]
            case .nothing: return [:]
            }
        }
        self.keys = try keys(app.queries(now).list(where: nil, decided: nil, limit: nil), app.users.key).values
        func compose(_ statements: [App.Statement], _ bindings: [String: Binding]) -> [ComposedQuery] {
            statements.map { app.queries(bindings).statement($0) }
        }
        for action in app.actions {
            let given = try action.parameters.all.map { parameter in
                let named = try parameter.names.map(subject)
                return (
                    parameter.name, try named?["user"] ?? named?["key"] ?? Self.value(for: parameter, on: connection)
                )
            }
            let bindings = now.merging(try subject(action.subject)) { $1 }.merging(given) { $1 }
            tasks.append(
                Task(
                    role: action.role, name: "\(action.noun) \(action.verb)",
                    isState: false, statements: compose(action.statements, bindings)))
        }
        let users = now.merging(try subject(.users)) { $1 }
        for state in app.states {
            tasks.append(
                Task(role: .engineer, name: state.name, isState: true, statements: compose(state.statements, users)))
        }
        #expect(!tasks.isEmpty)
        superuser = connection
        self.tasks = tasks
    }

    /// The outcome of a statement that is rolled back.
    func outcome(of query: ComposedQuery, on connection: Connection) throws -> Outcome {
        _ = try connection.execute("begin")
        defer { try? connection.rollbackIfOpen() }
        do {
            return .done(rows: try connection.execute(Query(query)).written())
        } catch let PQError.server(error) {
            return .refused(error.state.rawValue)
        }
    }

    /// A value that the declaration allows.
    static func value(
        for declaration: ParameterDeclaration, on connection: Connection
    ) throws -> Binding {
        let type = declaration.type == "secret" ? "text" : declaration.type
        if let value = declaration.defaultValue ?? declaration.choices.first { return Binding(value, type: type) }
        if let range = declaration.range { return Binding("\(range.lowerBound)", type: type) }
        let sample = [
            "timestamptz": "2027-01-01 00:00:00+00", "interval": "1 day", "boolean": "true", "date": "2027-01-01",
            "uuid": "00000000-0000-4000-8000-000000000001", "jsonb": "{}",
        ]
        let label = try connection.execute(
            "select min(e.enumlabel) from pg_enum e where e.enumtypid = to_regtype(\(type))"
        ).first?.values[0].text
        return Binding(label ?? sample[type] ?? "1", type: type)
    }
}
