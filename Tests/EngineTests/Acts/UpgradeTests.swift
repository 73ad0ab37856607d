import AppFile
import Asking
import Catalog
import Changes
import Foundation
import Ledger
import PQ
import Support
import Testing

/// A database that an earlier version installed and worked on, brought up to date.
@Suite struct UpgradeTests {
    private static let owner = "upgrade_owner"
    private static let clerk = "upgrade_clerk"
    private static let (change, undone, undo) = (id(1), id(2), id(3))
    private static let (bulk, batch, unfinished) = (id(4), id(5), id(6))

    private static func id(_ number: Int) -> String { "00000000-0000-4000-8000-00000000000\(number)" }

    private static let app = """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p;
        -- @select glad  Whoever is glad.
        mood = 'glad';
        -- @action tier set  Sets it.
        -- @option tier: text
        -- @select glad
        -- @do
        update public.people set tier = :tier where id = any(:users);
        """

    /// The statements by which the clerk of that time did what he did and recorded it, a transaction each.
    private static let work: [[String]] = [
        [
            "update people set tier = 'paid' where id = 1",
            record(change, "change", #"{"target": "one@example.com", "users": ["1"], "arguments": {"tier": "paid"}}"#),
            changed(change, "1", "free", "paid"),
        ],
        [
            "update people set tier = 'gold' where id = 2",
            record(undone, "change", #"{"target": "Two@Example.com", "users": ["2"]}"#),
            changed(undone, "2", "paid", "gold"),
        ],
        [
            "update people set tier = 'paid' where id = 2",
            record(undo, "undo", #"{"target": "\#(undone)", "users": ["2"]}"#, undoes: undone),
            changed(undo, "2", "gold", "paid"),
        ],
        [record(bulk, "bulk", #"{"target": "--glad", "input": "ab", "total": 1, "now": "2026-01-01 00:00:00+00"}"#)],
        [
            "update people set tier = 'old' where id = 3",
            record(
                batch, "batch", #"{"users": ["3"], "cursor": "3", "number": 1, "done": 1, "refused": 0}"#, parent: bulk),
            "select usher.record_changes('\(batch)', 0, array['{\"table\": \"public.people\", \"key\": {\"id\": 3}, "
                + "\"before\": {\"tier\": null}, \"after\": {\"tier\": \"old\"}, \"rewritten\": []}']::jsonb[])",
        ],
        [record(id(7), "end", #"{"done": 1, "refused": 0}"#, parent: bulk)],
        [
            record(
                unfinished, "bulk", #"{"target": "--glad", "input": "cd", "total": 3, "now": "2026-01-01 00:00:00+00"}"#
            )
        ],
        [
            record(
                id(8), "batch", #"{"users": ["1"], "cursor": "1", "number": 1, "done": 1, "refused": 0}"#,
                parent: unfinished)
        ],
        [
            "select usher.record('\(id(9))', 'change', 'refused', 'tier set', 'lab', null, null, "
                + "'{\"target\": \"one@example.com\", \"because\": \"no\"}')"
        ],
    ]

    private static func record(
        _ id: String, _ kind: String, _ payload: String, parent: String? = nil, undoes: String? = nil
    ) -> String {
        func quoted(_ id: String?) -> String { id.map { "'\($0)'" } ?? "null" }
        let command = undoes == nil ? "tier set" : "audit undo"
        return "select usher.record('\(id)', '\(kind)', 'committed', '\(command)', 'lab', \(quoted(parent)), "
            + "\(quoted(undoes)), '\(payload)')"
    }

    private static func changed(_ operation: String, _ key: String, _ before: String, _ after: String) -> String {
        let payload =
            #"{"table": "public.people", "key": {"id": \#(key)}, "before": {"tier": "\#(before)"}, "#
            + #""after": {"tier": "\#(after)"}, "rewritten": []}"#
        return "select usher.record_changes('\(operation)', 0, array['\(payload)']::jsonb[])"
    }

    /// The database as it was left, and what installing it anew came to.
    private func upgraded() throws -> (lab: ChangeLab, report: InstallReport) {
        let database = try Lab().database
        try TestCluster.operatorRoles.get()
        try database.makeRole(Self.owner)
        try database.makeRole(Self.clerk, "in role usher_engineer")
        try database.run(
            "alter database \(database.name) owner to \(Self.owner)", "alter table people owner to \(Self.owner)")
        let owner = try database.connect(user: Self.owner)
        for statement in try Self.statements(of: "ledger-2.sql") { _ = try owner.execute(Query(unsafe: statement)) }
        _ = try owner.execute(LedgerSchema.mark("test"))
        for grant in [
            "grant select, insert, update on people to usher_support",
            "grant update (score) on people to usher_engineer",
            "grant delete on people to public",
        ] {
            _ = try owner.execute(Query(unsafe: grant))
        }
        let clerk = try database.connect(user: Self.clerk)
        for (number, part) in Self.work.enumerated() {
            for statement in ["begin"] + part + ["commit"] { _ = try clerk.execute(Query(unsafe: statement)) }
            // What comes last is sealed by the functions of today.
            if number < 5 { _ = try clerk.execute("select usher.seal()") }
        }
        #expect(try clerk.execute("select count(*) from usher.verify(null)").first?.values[0].text == "0")
        let app = try Lab.app(Self.app, header: "")
        let report = try Install(
            on: try database.connect(user: Self.owner), app: app, environment: nil, options: InquiryOptions(),
            elsewhere: database.elsewhere(user: Self.owner)
        ).run(reason: nil, isDryRun: false)
        return (try ChangeLab(database, app, role: Self.clerk), report)
    }

    @Test func whatIsThereStaysAndVerifies() throws {
        let (lab, report) = try upgraded()
        #expect(report.previousVersion == 2)
        #expect(report.environment.name == "test" && report.environment.doubt == nil)
        #expect(try lab.operations(where: "o.kind <> 'install'") == 9)
        #expect(try lab.value("select count(*) from usher.change") == "4")
        #expect(try lab.database.auditFindings() == [])
        _ = try lab.database.connect().execute("select usher.seal()")
        #expect(try lab.database.auditFindings() == [])
        #expect(try lab.database.auditFindings(user: Self.clerk) == [])
        let outcomes = [
            (Self.change, "committed"), (Self.undone, "undone"), (Self.bulk, "committed"), (Self.unfinished, "running"),
        ]
        for (operation, outcome) in outcomes {
            #expect(try lab.value("select usher.outcome('\(operation)')") == outcome)
        }
    }

    /// What version 3 installed and did, under the functions of today.
    @Test func theVersionBeforeIsBroughtUpToDate() throws {
        let database = try Lab().database
        try TestCluster.operatorRoles.get()
        try database.makeRole(Self.owner)
        for (login, role) in [(Self.clerk, "usher_engineer"), (Self.clerk + "_2", "usher_support")] {
            try database.makeRole(login, "in role \(role)")
        }
        try database.run(
            "alter database \(database.name) owner to \(Self.owner)", "alter table people owner to \(Self.owner)")
        let owner = try database.connect(user: Self.owner)
        for statement in try Self.statements(of: "ledger-3.sql") { _ = try owner.execute(Query(unsafe: statement)) }
        _ = try owner.execute(LedgerSchema.mark("test"))
        let app = try Lab.app(Self.app, header: "")
        // What installs acts today asks for more than was there then.
        for name in ["open_path", "refuse_open_path", "extensions", "registered"] {
            _ = try owner.execute(Query(unsafe: LedgerSchema.text(of: name)))
        }
        try InstalledApp.install(app, on: owner)
        let run =
            #"select usher.run('{"id": "\#(Self.change)", "app": "lab", "digest": "\#(app.digest)", "kind": "action", "#
            + #""name": "tier set", "keys": ["1"], "arguments": {"tier": "gold"}}') ->> 'outcome'"#
        let clerk = try database.connect(user: Self.clerk)
        _ = try clerk.execute("begin isolation level repeatable read")
        #expect(try clerk.execute(Query(unsafe: run)).first?.values[0].text == "done")
        _ = try clerk.execute("commit")
        _ = try clerk.execute("select usher.seal()")
        // What it cannot read yet is installed first.
        let early = try failure {
            _ = try FiledRequest.list(
                all: true, limit: 9, on: try database.connect(user: Self.clerk), options: InquiryOptions())
        }
        #expect(early.refusal.equals(LedgerRefusal.earlierLedger(version: 3, needed: Ledger.version)))
        let report = try Install(
            on: try database.connect(user: Self.owner), app: app, environment: nil, options: InquiryOptions(),
            elsewhere: database.elsewhere(user: Self.owner)
        ).run(reason: nil, isDryRun: false)
        #expect(report.previousVersion == 3)
        let lab = try ChangeLab(database, app, role: Self.clerk)
        #expect(try database.auditFindings() == [])
        try lab.undo(Self.change)
        #expect(try lab.value("select tier from people where id = 1") == "free")
        try database.run("grant select on people to usher_support")
        let other = try ChangeLab(database, app, role: Self.clerk + "_2")
        let asked = try other.ask(.action("tier", "set", on: "2", values: ["tier": "gold"]))
        #expect(asked.role == "usher_admin")
        let request = try #require(asked.request)
        #expect(try lab.run(try lab.filed(request).change(hasMoved: false)).request == request)
        #expect(try lab.value("select tier from people where id = 2") == "gold")
        #expect(try database.auditFindings() == [])
    }

    private static func statements(of fixture: String) throws -> [String] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Fixtures/\(fixture)")
        return SQLScript.statements(of: SourceFile(name: fixture, bytes: Array(try Data(contentsOf: file))))
    }

    @Test func whatWasDoneThenCanBeUndoneNow() throws {
        let (lab, _) = try upgraded()
        let people = "select string_agg(coalesce(tier, 'none'), ' ' order by id) from people"
        #expect(try lab.value(people) == "paid paid old")
        try lab.undo(Self.change)
        #expect(try lab.value(people) == "free paid old")
        // The undoing of then, and all of what was done to many.
        try lab.undo(Self.undo)
        #expect(try lab.value(people) == "free gold old")
        let bulk = try lab.bulk(ChangeRequest(.undo(operation: Self.bulk)))
        #expect(try bulk.run { _ in true }.progress.done == 1)
        #expect(try lab.value(people) == "free gold none")
        #expect(try lab.value("select usher.outcome('\(Self.bulk)')") == "undone")
        #expect(try lab.database.auditFindings() == [])
    }

    @Test func whatWasLeftUnfinishedIsRefused() throws {
        let (lab, _) = try upgraded()
        var request = ChangeRequest.action("tier", "set", values: ["tier": "new"])
        request.selections = ["glad"]
        request.resumes = Self.unfinished
        let before = try lab.everything()
        let refusal = try failure { _ = try lab.bulk(request).run { _ in true } }
        #expect(refusal.kind == .refused)
        #expect(refusal.named == "earlier_bulk")
        #expect(try lab.everything() == before)
    }

    @Test func nobodyRecordsOrWritesAnythingHimselfAnyMore() throws {
        // Somebody else lives by what everybody may.
        try TestCluster.emptyDatabase().makeRole("upgrade_app")
        let (lab, report) = try upgraded()
        for function in [
            "record(uuid, text, text, text, text, uuid, uuid, jsonb)", "record_changes(uuid, integer, jsonb[])",
            "forget(uuid, text[])", "verify(text)", "tally()",
        ] {
            #expect(try lab.value("select to_regprocedure('usher.\(function)')") == nil, "\(function)")
        }
        let held = """
            select string_agg(p.name, ' ' order by p.name) from unnest('{insert,update,delete,truncate}'::text[]) p (name)
             where has_table_privilege('\(Self.clerk)', 'people', p.name)
                or case when p.name in ('insert', 'update') then has_any_column_privilege('\(Self.clerk)', 'people', p.name) end
            """
        // What everybody has is not for this program to take away.
        #expect(try lab.value(held) == "delete")
        let remedy = "revoke insert, update, delete, truncate, references, trigger on public.people from public"
        #expect(report.remains.map(\.sql) == [remedy])
        #expect(
            report.remains.map(\.because) == [
                .held(HeldRight(role: "usher_support", subject: .table("public.people", ["delete"]), remedy: remedy))
            ])
        let found = try Audit.verify(head: nil, on: try lab.connect(), options: InquiryOptions())
        #expect(found.held.map(\.remedy) == [remedy])
        try lab.database.run(remedy)
        #expect(try lab.value(held) == nil)
    }
}
