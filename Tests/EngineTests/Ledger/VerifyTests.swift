import AppFile
import Asking
import Catalog
import EmbeddedSQL
import Foundation
import Ledger
import PQ
import Support
import Testing

/// `audit verify` finds broken seals, a changed schema, and impossible records.
@Suite struct VerifyTests {
    private static let untouched = Result { try LedgerLab() }

    // MARK: The schema

    /// Changes of a superuser to the schema, and the findings.
    static let alterations: [(statements: [String], findings: [String])] = [
        (
            [
                """
                create or replace function usher.seal() returns text
                language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ begin return ''; end $$
                """
            ], ["the function usher.seal() was changed"]
        ),
        (["alter function usher.seal() security invoker"], ["the function usher.seal() was changed"]),
        (
            ["alter function usher.seal() set search_path = public"],
            ["the function usher.seal() was changed"]
        ),
        (["alter function usher.seal() reset all"], ["the function usher.seal() was changed"]),
        (
            ["alter type usher.shape_column rename attribute is_secret to shown"],
            ["the type usher.shape_column was changed"]
        ),
        (["create type usher.other as (a text)"], ["the type usher.other is not part of usher"]),
        (["alter function usher.seal() set row_security = off"], ["the function usher.seal() was changed"]),
        (
            ["alter function usher.seal() stable strict"],
            ["the function usher.seal() was changed"]
        ),
        (
            ["alter function usher.seal() owner to ledger_clerk"],
            ["usher.seal() belongs to ledger_clerk, who is not the owner of the schema"]
        ),
        (["drop function usher.seal()"], ["the function usher.seal() is missing"]),
        (
            [
                "create function usher.seal(text) returns text language sql as 'select $1'",
                "alter function usher.seal(text) owner to ledger_owner",
            ],
            ["the function usher.seal(text) is not part of usher"]
        ),
        (
            [
                "drop function usher.head(usher.seal, bytea)",
                """
                create function usher.head(previous usher.seal, seal bytea default '') returns text
                language sql immutable set search_path = pg_catalog, pg_temp as 'select null::text'
                """, "alter function usher.head(usher.seal, bytea) owner to ledger_owner",
            ],
            [
                "the function usher.head(usher.seal, bytea) was changed",
                "everybody can execute usher.head",
            ]
        ),
        (
            ["grant execute on function usher.erase(jsonb), usher.run(jsonb) to ledger_clerk"],
            ["ledger_clerk can execute usher.erase, usher.run"]
        ),
        (["grant execute on function usher.head(usher.seal, bytea) to public"], ["everybody can execute usher.head"]),
        (["grant select (salt) on usher.change to ledger_clerk"], ["ledger_clerk can read the salts of usher.change"]),
        (["drop table usher.subject"], ["the table usher.subject is missing"]),
        (
            [
                "drop table usher.subject", "create view usher.subject as select 1",
                "alter view usher.subject owner to ledger_owner",
            ],
            ["the table usher.subject is not an ordinary table"]
        ),
        (["alter table usher.change enable row level security"], ["row security may hide rows of usher.change"]),
        (
            ["alter table usher.subject owner to ledger_clerk"],
            ["usher.subject belongs to ledger_clerk, who is not the owner of the schema"]
        ),
        (
            ["create rule quiet as on delete to usher.change do also nothing"],
            ["the rule quiet on usher.change is not part of usher"]
        ),
        (
            ["grant insert, delete, select on usher.operation to ledger_clerk"],
            [
                "ledger_clerk has privileges on usher.operation: delete, insert",
                "ledger_clerk can read the salts of usher.operation",
            ]
        ),
        (
            ["grant update (operator) on usher.operation to public"],
            ["everybody has privileges on usher.operation: update"]
        ),
        (["grant create on schema usher to ledger_clerk"], ["ledger_clerk has privileges on the schema usher: create"]),
        (
            [
                "create trigger quiet before update on usher.operation for each row execute function suppress_redundant_updates_trigger()"
            ],
            ["the trigger quiet on usher.operation is not part of usher"]
        ),
    ]

    @Test(arguments: sample(alterations.indices)) func auditVerifyFindsAChangedSchema(_ index: Int) throws {
        let (statements, findings) = Self.alterations[index]
        let lab = try Self.untouched.get().copy()
        let connection = try lab.database.connect()
        for statement in statements { _ = try connection.execute(Query(unsafe: statement)) }
        #expect(try lab.database.auditFindings() == findings)
    }

    /// The record of a later installation doesn't hide the changed objects.
    @Test func auditVerifyAdvisesToInstallOnlyIfObjectsDiffer() throws {
        let lab = try Self.untouched.get().copy()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        func verify() throws -> AuditVerification {
            try Audit.verify(head: nil, on: owner, options: InquiryOptions())
        }
        _ = try owner.execute("grant insert on usher.operation to public")
        #expect(try verify().problems.count == 1 && verify().hint == nil)
        for statement in [
            "set search_path = pg_catalog", "revoke insert on usher.operation from public",
            "alter function usher.outcome(uuid) set work_mem = '5MB'",
            """
            create trigger quiet before update on usher.operation
               for each row execute function suppress_redundant_updates_trigger()
            """,
        ] as [Query] { _ = try owner.execute(statement) }
        try lab.commit(LedgerLab.entry(7, .install))
        let found = try verify()
        #expect(
            found.problems.map(\.detail) == [
                "the function usher.outcome(uuid) was changed",
                "the trigger quiet on usher.operation is not part of usher",
            ])
        #expect(found.hint?.contains("usher install") == true)
    }

    @Test func auditVerifyExpectsCitusFunctionsOnlyOnCitus() throws {
        let lab = try Self.untouched.get().copy()
        #expect(try lab.value("select count(*) from pg_proc where prosrc ~ 'pg_dist_placement'") == "0")
        try lab.database.spreads([], installs: false)
        let error = try #require(throws: PQError.self) { _ = try lab.value("select usher.counters()") }
        #expect(Failure(error).state == .notInstalled, "\(error)")
        #expect(try lab.findings().contains("the function usher.server_clauses() is missing"))
        try lab.database.installCitusFunctions()
        #expect(try lab.findings() == [])
        #expect(try lab.value("select usher.counters() -> 'counts'") == "{}")
        try lab.database.run("drop table pg_catalog.pg_dist_partition")
        #expect(try lab.findings().contains("the function usher.server_clauses() is not part of usher"))
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for statement in LedgerSchema.transaction { _ = try owner.execute(statement) }
        #expect(try lab.findings() == [])
    }

    @Test func auditVerifyListsWriteRightsOfOperators() throws {
        let lab = try Self.untouched.get().copy()
        try lab.database.run(
            "create table public.things (id integer)", "grant update (id) on public.things to usher_admin",
            "create table public.others (id integer)")
        // The login has a right that its role doesn't have.
        try lab.database.makeRole("ledger_person", "in role usher_admin")
        try lab.database.run("grant insert on public.others to ledger_person")
        let found = try Audit.verify(head: nil, on: try lab.database.connect(), options: InquiryOptions())
        #expect(found.problems.map(\.detail) == [])
        let revoke = "revoke insert, update, delete, truncate, references, trigger on"
        #expect(
            found.held == [
                HeldRight(
                    role: "ledger_person", sentence: "ledger_person has insert on public.others",
                    remedy: "\(revoke) public.others from ledger_person"),
                HeldRight(
                    role: "usher_admin", sentence: "usher_admin has update on public.things",
                    remedy: "\(revoke) public.things from usher_admin"),
            ])
    }

    /// Some of these rights aren't in a table's access list, or don't write by themselves.
    ///
    /// The transaction isn't committed, so other tests don't see the role.
    @Test func auditVerifyListsIndirectWriteRights() throws {
        let lab = try Self.untouched.get().copy()
        let connection = try lab.database.connect()
        for statement in [
            "begin", "set local search_path = pg_catalog", "create table public.things (id integer)",
            "create role ledger_writer createrole",
            "grant usher_auditor, pg_write_all_data to ledger_writer",
            "grant trigger, references (id) on public.things to ledger_writer",
        ] as [Query] {
            _ = try connection.execute(statement)
        }
        let found = try HeldRight.all(try connection.execute(HeldRight.question)).filter { $0.role == "ledger_writer" }
        let roles = HeldRight(
            role: "ledger_writer", sentence: "ledger_writer can create roles and get the rights of any role",
            remedy: "alter role ledger_writer nocreaterole")
        #expect(
            found == (connection.serverVersion < 160000 ? [roles] : []) + [
                HeldRight(
                    role: "ledger_writer", sentence: "ledger_writer has references, trigger on public.things",
                    remedy:
                        "revoke insert, update, delete, truncate, references, trigger on public.things from ledger_writer"
                ),
                HeldRight(
                    role: "ledger_writer", sentence: "ledger_writer has all rights of pg_write_all_data",
                    remedy: "revoke pg_write_all_data from ledger_writer"),
            ])
    }

    /// `USHER_GOLDEN=write` writes the digests again; build afterwards.
    @Test func storedDigestsMatchTheInstalledSchema() throws {
        let lab = try Self.untouched.get().copy()
        let connection = try lab.database.connect(user: LedgerLab.owner)
        _ = try connection.execute("set search_path = pg_catalog")
        func lines(besides digests: String, prefix: String) throws -> [String] {
            let found = try connection.execute(Query(file: "catalog/audit_objects.sql", [digests]))
            return try found.rows.map { prefix + (try $0.text("line")) }
        }
        let own = try lines(besides: "", prefix: "-- ")
        // The functions for Citus can be created without Citus, because their bodies are not checked.
        _ = try connection.execute("set check_function_bodies = off")
        let citus = SourceFile(name: LedgerSchema.citus, text: EmbeddedSQL.text(of: LedgerSchema.citus)).statements
        for statement in citus.map({ Query(unsafe: $0) }) + LedgerSchema.statements(of: "usher/definers.sql") {
            _ = try connection.execute(statement)
        }
        let forCitus = try lines(besides: own.joined(separator: "\n"), prefix: "-- citus ")
        let head = LedgerSchema.digests.prefix { $0 != "\n" }
        let text = ([String(head)] + own + forCitus).joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["USHER_GOLDEN"] == "write" {
            let folder = URL(fileURLWithPath: #filePath).appending(path: "../../../../sql/catalog").standardized
            try text.write(to: folder.appending(path: "audit_digests.sql"), atomically: true, encoding: .utf8)
        } else {
            #expect(text == LedgerSchema.digests)
        }
    }

    @Test func auditVerifyFindsADisabledTrigger() throws {
        let lab = try Self.untouched.get().copy()
        let connection = try lab.database.connect()
        _ = try connection.execute("alter table usher.erasure disable trigger erasure_guard")
        #expect(try lab.database.auditFindings() == ["the trigger erasure_guard on usher.erasure was changed"])
    }

    @Test func installRepairsTheSchema() throws {
        let lab = try Self.untouched.get().copy()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for statement in [
            "create function usher.verify(head text default null) returns text language sql as 'select null::text'",
            "create function usher.tally() returns bigint language sql as 'select 0::bigint'",
            "drop function usher.seal()", "grant insert on usher.operation to public",
        ] as [Query] {
            _ = try owner.execute(statement)
        }
        // `audit verify` finds four altered functions, and the right of everybody to call the new function.
        #expect(try lab.findings().count == 5)
        for statement in LedgerSchema.transaction { _ = try owner.execute(statement) }
        #expect(try lab.findings() == [])
    }

    @Test func auditVerifyReportsAnotherVersionOfTheSchema() throws {
        let lab = try Self.untouched.get().copy()
        try lab.database.run(
            "create or replace function usher.version() returns integer language sql immutable as 'select 99'")
        let other = try failure { _ = try lab.database.auditFindings() }
        #expect(other.code == "other_ledger")
    }

    // MARK: Records

    private func record(
        _ lab: LedgerLab, _ number: Int, _ kind: Ledger.Entry.Kind, _ outcome: Ledger.Entry.Outcome = .committed,
        parent: Int? = nil, undoes: Int? = nil, payload: String = "{}", changes: [String] = []
    ) throws {
        try lab.commit(
            Ledger.Entry(
                id: LedgerLab.id(number), kind: kind, outcome: outcome, command: "partner grant", app: "lab",
                parent: parent.map(LedgerLab.id), payload: payload),
            undoing: undoes.map(LedgerLab.id), changes: changes)
        // The guard confirms a committed deletion at its commit.
        if kind == .erasure, outcome == .committed { try confirm(lab, number) }
    }

    private func confirm(_ lab: LedgerLab, _ number: Int) throws {
        try lab.database.run(
            "alter table usher.erasure disable trigger erasure_guard",
            """
            insert into usher.erasure (operation, root, "column", type, equals, standing, gone)
            values ('\(LedgerLab.id(number))', 'public.users', 'id', 'uuid', '=', 1, true)
            """, "alter table usher.erasure enable always trigger erasure_guard")
    }

    @Test func auditVerifyFindsARestoreEntryWithoutARestoredUser() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .erasure)
        try record(lab, 2, .restore, undoes: 1)
        #expect(try lab.problems() == ["restore 2", "restore 2"], "unchecked, and without a claim")
    }

    @Test func auditVerifyFindsADeletionEntryWithoutADeletedUser() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .erasure)
        #expect(try lab.problems() == [])
        try lab.database.run("update usher.erasure set gone = false")
        #expect(try lab.problems() == ["erasure 1"])
        try lab.database.run("delete from usher.erasure")
        #expect(try lab.problems() == ["erasure 1"])
        try confirm(lab, 1)
        try record(lab, 2, .erasure, .failed)
        #expect(try lab.problems() == [], "a failed deletion deleted nothing")
    }

    @Test func auditVerifyFindsEmptiedEntriesWithoutADeletion() throws {
        let lab = try LedgerLab()
        func forget(_ number: Int, by eraser: Int) throws {
            try lab.database.run(
                """
                update usher.operation set payload = null, salt = null, erased = '\(LedgerLab.id(eraser))'
                 where id = '\(LedgerLab.id(number))'
                """)
        }
        try record(lab, 1, .erasure)
        try record(lab, 2, .batch, parent: 1)
        try forget(2, by: 1)
        #expect(try lab.problems() == [])
        try record(lab, 3, .change, changes: ["{}"])
        try record(lab, 4, .note)
        try forget(3, by: 4)
        #expect(try lab.problems().contains("payload 3"), "only a deletion may erase an entry")
        // A failed deletion doesn't erase entries.
        try record(lab, 5, .erasure, .failed)
        try forget(2, by: 5)
        #expect(try lab.problems().contains("payload 2"))
    }

    @Test func auditVerifyFindsAnUndoWithoutChanges() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .change, changes: ["{}"])
        try record(lab, 2, .change)
        try record(lab, 3, .undo, undoes: 1, changes: ["{}"])
        try record(lab, 4, .undo, undoes: 2)
        try record(lab, 5, .undo, .refused, undoes: 1)
        #expect(try lab.problems() == [])
        try record(lab, 6, .undo, undoes: 1)
        #expect(try lab.problems() == ["undo 6"])
    }

    @Test func auditVerifyFindsABulkChangeWithWrongCounts() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .bulk)
        try record(lab, 2, .batch, parent: 1, payload: #"{"done": 2}"#)
        try record(lab, 3, .batch, .refused, parent: 1, payload: #"{"done": 1}"#)
        try record(lab, 4, .batch, .lost, parent: 1, payload: #"{"done": 7}"#)
        try record(lab, 5, .end, .partial, parent: 1, payload: #"{"done": 3}"#)
        #expect(try lab.problems() == [])
        try record(lab, 6, .batch, parent: 1, payload: #"{"done": 2}"#)
        #expect(try lab.problems() == [], "the bulk change is still running")
        try record(lab, 7, .end, parent: 1, payload: #"{"done": 6}"#)
        #expect(try lab.problems() == ["bulk 1"])
        try lab.database.run("delete from usher.operation where id = '\(LedgerLab.id(7))'")
        try record(lab, 7, .end, parent: 1, payload: #"{"total": 6}"#)
        #expect(try lab.problems() == [], "without the number of changed users there is no sum to compare")
        try record(lab, 8, .end, parent: 2, payload: #"{"done": 1}"#)
        #expect(try lab.problems() == ["bulk 2", "part 8"])
    }

    @Test func auditVerifyFindsABulkChangeThatEndedTooSoon() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .bulk, payload: #"{"listed": 4}"#)
        try lab.database.run(
            "insert into usher.subject select '\(LedgerLab.id(1))', n, n::text from generate_series(1, 4) n")
        try record(lab, 2, .batch, parent: 1, payload: #"{"done": 1, "last": 1}"#)
        #expect(try lab.problems() == [], "the bulk change is still running")
        try record(lab, 3, .end, parent: 1, payload: #"{"done": 1}"#)
        #expect(try lab.problems() == ["bulk 1"])
        #expect(
            try lab.findings()
                == ["\(LedgerLab.id(1)) the bulk change has ended, but no batch processed 3 of its users"])
        try lab.database.run(
            "delete from usher.operation where kind = 'end'",
            "update usher.subject set key = null, erased = '\(LedgerLab.id(5))' where ordinal = 4")
        try record(lab, 5, .erasure)
        try record(lab, 4, .batch, parent: 1, payload: #"{"last": 3}"#)
        try lab.database.run(
            "update usher.operation set payload = null, erased = '\(LedgerLab.id(5))' where id = '\(LedgerLab.id(4))'")
        try record(lab, 3, .end, parent: 1, payload: #"{"done": 3}"#)
        #expect(try lab.problems() == [], "a deleted user counts as processed")
        try lab.database.run("update usher.operation set last = 2 where id = '\(LedgerLab.id(4))'")
        #expect(try lab.problems() == ["bulk 1"])
    }

    @Test func auditVerifyFindsABulkChangeWithTheSameUserTwice() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .bulk, payload: #"{"kind": "action", "name": "partner grant"}"#)
        for number in 2...4 { try record(lab, number, .batch, parent: 1, changes: ["{}"]) }
        try lab.database.run(
            "update usher.operation set app_digest = 'a'",
            "insert into usher.act values ('lab', 'a', 'action', 'partner grant', 'admin', '{\"subject\": \"users\"}')",
            "update usher.operation set subjects = '{1,2}' where id = '\(LedgerLab.id(2))'",
            "update usher.operation set subjects = '{3}' where id <> '\(LedgerLab.id(2))' and kind = 'batch'",
            "update usher.operation set outcome = 'refused' where id = '\(LedgerLab.id(3))'")
        #expect(try lab.problems() == [])
        try lab.database.run("update usher.operation set subjects = '{2,4}' where id = '\(LedgerLab.id(4))'")
        #expect(try lab.problems() == ["bulk 1"])
        // A bulk change on objects may contain a user several times.
        try lab.database.run("update usher.act set definition = '{\"subject\": \"event\"}'")
        #expect(try lab.problems() == [])
    }

    @Test func auditVerifyFindsAnActionThatWasNeverInstalled() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .change, changes: ["{}"])
        try record(lab, 5, .bulk)
        try record(lab, 2, .batch, parent: 5, changes: ["{}"])
        try record(lab, 3, .change, .refused)
        try record(lab, 4, .batch, parent: 5, undoes: 2, changes: ["{}"])
        #expect(try lab.problems() == [])
        try lab.database.run("update usher.operation set app_digest = 'a'")
        #expect(try lab.problems() == ["act 1", "act 2"])
        for (app, digest, name) in [
            ("lab", "b", "partner grant"), ("lab", "a", "partner revoke"), ("bal", "a", "partner grant"),
        ] {
            try lab.database.run(
                "insert into usher.act values ('\(app)', '\(digest)', 'action', '\(name)', 'admin', '{}')")
        }
        #expect(try lab.problems() == ["act 1", "act 2"])
        try lab.database.run(
            """
            insert into usher.act (app, digest, kind, name, role, definition, retired_at)
            values ('lab', 'a', 'action', 'partner grant', 'admin', '{}', now())
            """)
        #expect(try lab.problems() == [], "an action that is retired now was installed earlier")
    }

    @Test func auditVerifyComparesTheUsersInPayloadAndColumns() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .change, payload: #"{"users": ["2", "1"]}"#)
        try record(lab, 2, .change, payload: #"{"users": ["ada"]}"#)
        try record(lab, 3, .change)
        try lab.database.run(
            "update usher.operation set subjects = '{1,2}' where id = '\(LedgerLab.id(1))'",
            "update usher.operation set subjects = '{ada}' where id <> '\(LedgerLab.id(1))'")
        #expect(try lab.problems() == [])
        try lab.database.run("update usher.operation set subjects = '{1}' where id = '\(LedgerLab.id(1))'")
        #expect(try lab.problems() == ["subjects 1"])
        #expect(try lab.forget(4, "2") == 1)
        #expect(try lab.problems() == [], "an erased entry has no users to compare")
    }

    // MARK: Salts

    @Test func auditVerifyReportsWhetherTheRoleCanComparePayloads() throws {
        try TestCluster.operatorRoles.get()
        let lab = try LedgerLab()
        for (login, role) in [("verify_support", "usher_support"), ("verify_auditor", "usher_auditor")] {
            try lab.database.makeRole(login)
            try lab.database.run("grant \(role) to \(login)")
        }
        func verify(_ login: String) throws -> AuditVerification {
            try Audit.verify(head: nil, on: try lab.database.connect(user: login), options: InquiryOptions())
        }
        try record(lab, 1, .change, changes: ["{}"])
        try lab.seal()
        for (login, compares) in [("verify_support", false), ("verify_auditor", true)] {
            let report = try verify(login)
            #expect(report.problems.isEmpty, "\(report.problems)")
            #expect(report.comparesPayloads == compares)
        }
        try lab.database.run("update usher.operation set payload = '[]'")
        #expect(try verify("verify_support").problems.isEmpty)
        #expect(try verify("verify_auditor").problems.map(\.kind) == ["payload"])
        try lab.database.run("update usher.operation set operator = 'the.ceo'")
        #expect(try verify("verify_support").problems.map(\.kind) == ["operation"])
    }
}
