import AppFile
import Asking
import Changes
import Foundation
import Ledger
import PQ
import Support
import Testing

/// Operators call functions with the snapshot of an older session.
@Suite(.waiting) struct SnapshotTests {
    /// Statements that begin a transaction with the snapshot that a session without a role holds.
    private struct Held {
        private let holder: Connection
        let begin: [String]

        /// If `isYoung`, the snapshot counts as fresh for three seconds, despite later commits.
        init(in forgery: ForgeryLab, isYoung: Bool = false) throws {
            if isYoung {
                _ = try forgery.result("support", "select usher.advance_clock()")
            } else {
                try forgery.database.run("select setval('usher.snapshot_clock', 1)")
            }
            holder = try forgery.database.connect(user: ForgeryLab.login("nobody"))
            _ = try holder.execute(Query(unsafe: ForgeryLab.begin))
            let name = try #require(try holder.execute("select pg_export_snapshot()").only().values[0].text)
            begin = [ForgeryLab.begin, "set transaction snapshot '\(name)'"]
        }
    }

    private static let paid = #", "arguments": {"tier": "paid"}"#

    /// A call of every function that changes something for an operator.
    private func calls(_ forgery: ForgeryLab) throws -> [String: String] {
        let operation = try forgery.done("support", "score raise")
        let many = forgery.request("score raise", keys: #"["2", "3"]"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", many)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        #expect(
            try forgery.result("support", inOne: ForgeryLab.ask("ask", forgery.request("tier set", Self.paid)))
                == "done")
        let request = try #require(try forgery.lab.value("select operation from usher.request"))
        func id() -> String { UUID().uuidString.lowercased() }
        return [
            "run": forgery.run("score raise"),
            "undo": ForgeryLab.ask("undo", #"{"id": "\#(id())", "operation": "\#(operation)", "reason": "no"}"#),
            "begin": ForgeryLab.ask("begin", forgery.request("word check", keys: #"["2", "3"]"#)),
            "batch": ForgeryLab.ask("batch", #"{"id": "\#(id())", "operation": "\#(bulk)", "size": 1}"#),
            "ask": ForgeryLab.ask("ask", forgery.request("tier set", keys: #"["2"]"#, Self.paid)),
            "answer": ForgeryLab.ask(
                "answer", #"{"id": "\#(id())", "request": "\#(request)", "answer": "withdraw", "reason": "no"}"#),
            "note": ForgeryLab.ask("note", #"{"id": "\#(id())", "app": "lab", "key": "1", "text": "x"}"#),
        ]
    }

    @Test func everyChangingFunctionRefusesASnapshotFromBeforeTheLastCommit() throws {
        let forgery = try ForgeryLab()
        let calls = try calls(forgery)
        let held = try Held(in: forgery)
        try forgery.database.run("update people set score = 7 where id = 3")
        let before = try forgery.lab.everything()
        for (function, call) in calls {
            #expect(try forgery.result("support", held.begin + [call, "commit"]) == "40001", "\(function)")
        }
        #expect(try forgery.lab.everything() == before)
        // A transaction with its own snapshot still works.
        for (function, call) in calls { #expect(try forgery.result("support", inOne: call) != "40001", "\(function)") }
    }

    @Test func actionSucceedsIfRetriedAfterAConcurrentCommit() throws {
        let forgery = try ForgeryLab()
        let connection = try forgery.database.connect(user: ForgeryLab.login("support"))
        func run() throws -> String? {
            try connection.execute(Query(unsafe: forgery.run("score raise"))).rows.first?.values.first?.text
        }
        _ = try connection.execute(Query(unsafe: ForgeryLab.begin))
        _ = try connection.execute("select 1")
        try forgery.database.run("update people set score = 7 where id = 3")
        let error = try #require(throws: PQError.self) { _ = try run() }
        #expect(Failure(error).state?.rawValue == "40001")
        // The failed call has advanced the snapshot clock, so commits of other sessions no longer matter.
        _ = try connection.execute("rollback")
        _ = try connection.execute(Query(unsafe: ForgeryLab.begin))
        _ = try connection.execute("select 1")
        try forgery.database.run("update people set score = 8 where id = 3")
        #expect(try run() == "done")
        _ = try connection.execute("commit")
    }

    /// If a transaction could have an id before it advances the clock, an old snapshot would look fresh.
    @Test func snapshotClockCannotAdvanceInATransactionWithAnIdAndCannotBeReset() throws {
        let forgery = try ForgeryLab()
        for before in ["select pg_current_xact_id()", "create temporary table mine ()"] {
            #expect(try forgery.result("support", "begin", before, "select usher.advance_clock()", "commit") == "25000")
        }
        for statement in [
            "select setval('usher.snapshot_clock', 1)", "select nextval('usher.snapshot_clock')",
            "alter sequence usher.snapshot_clock restart",
        ] {
            #expect(try forgery.result("engineer", statement) == "42501", "\(statement)")
        }
    }

    // MARK: Checks under an old snapshot

    @Test(arguments: [false, true]) func changeUnderAnOldSnapshotIsRefusedIfTheEnvironmentChanged(isYoung: Bool) throws
    {
        let forgery = try ForgeryLab()
        let held = try Held(in: forgery, isYoung: isYoung)
        try forgery.database.run("update usher.environment set name = 'production'")
        let before = try forgery.lab.everything()
        for (role, call) in [
            ("engineer", forgery.run("broke", kind: "state")), ("support", forgery.run("tier give", Self.paid)),
            ("support", forgery.run("score raise", #", "reason": null"#)),
            ("support", ForgeryLab.ask("begin", forgery.request("tier give", keys: #"["1", "2"]"#, Self.paid))),
        ] {
            #expect(try forgery.result(role, held.begin + [call, "commit"]) == "40001", "\(call)")
        }
        #expect(try forgery.lab.everything() == before)
        #expect(try forgery.lab.operations() == 0)
    }

    /// In each pair, the second app file takes a right away from support.
    private static let files = [
        "the action": ("-- @action score raise  One more.", "-- @action score add  One more."),
        "the role": ("One more.\n-- @role support", "One more.\n-- @role admin"),
        "doing it alone": ("One more.\n-- @role support", "One more.\n-- @role support\n-- @approve admin"),
    ]

    @Test(arguments: files.keys.sorted(), [false, true])
    func changeUnderAnOldSnapshotCannotUseAnEarlierAppFile(_ taken: String, isYoung: Bool) throws {
        let forgery = try ForgeryLab(environment: "production")
        let many = forgery.request("score raise", keys: #"["2", "3"]"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", many)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        let held = try Held(in: forgery, isYoung: isYoung)
        let (old, new) = try #require(Self.files[taken])
        try InstalledApp.install(
            try Lab.app(ForgeryLab.app.replacing(old, with: new), header: ""),
            on: try forgery.database.connect(user: ForgeryLab.owner))
        let before = try forgery.lab.everything()
        let part = #"{"id": "\#(UUID().uuidString)", "operation": "\#(bulk)", "size": 1}"#
        for call in [
            forgery.run("score raise"), ForgeryLab.ask("begin", forgery.request("score raise", keys: #"["1", "2"]"#)),
            ForgeryLab.ask("batch", part),
        ] {
            #expect(try forgery.result("support", held.begin + [call, "commit"]) == "40001", "\(call)")
        }
        #expect(try forgery.lab.everything() == before)
    }

    /// usher finds temporary objects under any snapshot, and doesn't drop them.
    @Test(
        arguments: [
            "create domain pg_temp.text as pg_catalog.text", "create temporary table letters (person integer)",
            "create function pg_temp.lower(pg_catalog.text) returns pg_catalog.text language sql as 'select $1'",
        ], [false, true])
    func changeUnderAnOldSnapshotIsRefusedIfTemporaryObjectsExist(_ planted: String, isYoung: Bool) throws {
        let forgery = try ForgeryLab()
        let calls = try calls(forgery)
        let held = try Held(in: forgery, isYoung: isYoung)
        let before = try forgery.lab.everything()
        let still = "select count(*) from pg_depend where refobjid = pg_my_temp_schema() and deptype = 'n'"
        for (function, call) in calls {
            #expect(
                try forgery.result("support", [planted] + held.begin + [call, "commit"]) == "US003", "\(function)")
        }
        #expect(try forgery.lab.everything() == before)
        #expect(try forgery.result("support", planted, ForgeryLab.begin, still) != "0")
    }

    @Test(
        arguments: [
            "grant create on schema public to public", "grant create on schema public to usher_eraser",
            "grant create on schema public to forger_support", "alter schema public owner to forger_support",
        ], [false, true]
    ) func changeUnderAnOldSnapshotIsRefusedIfTheSearchPathBecameWritable(_ grant: String, isYoung: Bool) throws {
        let forgery = try ForgeryLab()
        var calls = try calls(forgery)
        // The functions `answer` and `note` look up no names of the app.
        for function in ["answer", "note"] { calls[function] = nil }
        let held = try Held(in: forgery, isYoung: isYoung)
        try forgery.database.run(grant)
        let before = try forgery.lab.everything()
        for (function, call) in calls {
            let answer = try forgery.result("support", held.begin + [call, "commit"])
            #expect(["40001", "US003"].contains(answer), "\(function): \(answer ?? "done")")
        }
        #expect(try forgery.lab.everything() == before)
    }

    @Test func changeUnderAnOldSnapshotIsRefusedIfANewPolicyHidesRows() throws {
        let forgery = try ForgeryLab(
            "alter table people enable row level security", "alter table people force row level security",
            "create policy all_of_them on people using (true)")
        let held = try Held(in: forgery)
        try forgery.database.run(
            "drop policy all_of_them on people", "create policy others on people using (id <> 1)")
        let call = ForgeryLab.ask("run", forgery.request("score raise", keys: #"["1", "2"]"#))
        #expect(try forgery.result("support", held.begin + [call, "commit"]) == "40001")
        #expect(try forgery.lab.operations() == 0)
    }
}
