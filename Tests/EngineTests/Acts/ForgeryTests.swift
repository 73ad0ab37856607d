import Acts
import AppFile
import Asking
import Changes
import Foundation
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Operators call usher's functions with SQL of their own: each role can run its own actions and nothing else.
@Suite(.waiting) struct ForgeryTests {
    // MARK: Undoing

    @Test func lowerRoleCannotUndoAChangeOfAHigherRole() throws {
        let forgery = try ForgeryLab()
        let lab = forgery.lab
        for (role, name, lower, rest) in [
            ("admin", "tier set", ["support"], #", "arguments": {"tier": "paid"}"#),
            ("engineer", "score clear", ["support", "admin"], ""),
        ] {
            let operation = try forgery.done(role, name, rest)
            let undo = ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(operation)"}"#)
            for other in lower {
                #expect(try forgery.result(other, inOne: undo) == "US005", "\(other)")
                // Invented members in the call, such as the parent operation, don't change the refusal.
                let rest = #""operation": "\#(operation)", "parent": "\#(operation)", "tolerant": true, "dry": true}"#
                #expect(
                    try forgery.result(other, inOne: ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(7))", "# + rest))
                        == "US005")
            }
            for other in ["eraser", "auditor", "nobody"] {
                #expect(try forgery.result(other, inOne: undo) == "42501", "\(other)")
            }
            #expect(try lab.value("select usher.outcome('\(operation)')") == "committed")
            #expect(try forgery.result(role, inOne: undo) == "done")
            #expect(try lab.value("select usher.outcome('\(operation)')") == "undone")
            // Undoing the undo needs the same role.
            let again = ForgeryLab.ask(
                "undo", #"{"id": "\#(LedgerLab.id(8))", "operation": "\#(LedgerLab.id(7))"}"#)
            for other in lower { #expect(try forgery.result(other, inOne: again) == "US005") }
            try lab.database.run("delete from usher.change", "delete from usher.operation")
        }
    }

    @Test func lowerRoleCannotContinueABulkChangeOfAHigherRole() throws {
        let forgery = try ForgeryLab()
        let lab = forgery.lab
        let whole = forgery.request("tier set", keys: "[1, 2]", #", "arguments": {"tier": "paid"}"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "US005")
        #expect(try forgery.result("admin", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        let bulk = try #require(try lab.value("select id from usher.operation where kind = 'bulk'"))
        let part = ForgeryLab.ask(
            "batch", #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(bulk)", "size": 1}"#)
        #expect(try forgery.result("support", inOne: part) == "US005")
        #expect(try forgery.result("admin", inOne: part) == "done")
        let undo = #"{"id": "\#(LedgerLab.id(9))", "undoes": "\#(bulk)", "reason": "no"}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", undo)) == "US005")
        #expect(
            try forgery.result(
                "support",
                inOne: ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(9))", "operation": "\#(LedgerLab.id(7))"}"#))
                == "US005")
        #expect(try lab.operations() == 2)
    }

    @Test func undoOfAnOperationWithADeletedUserNeedsTheRoleOfItsAction() throws {
        let forgery = try ForgeryLab()
        let operation = try forgery.done(
            "admin", "tier set", #", "arguments": {"tier": "paid"}, "keys": ["1", "2"]"#)
        let erase = #"""
            select usher.erase('{"operation": "\#(LedgerLab.id(5))", "app": "lab", "reason": "asked", "keys": ["2"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}')
            """#
        try forgery.database.run("grant select, delete on people to usher_eraser")
        #expect(try forgery.result("eraser", inOne: erase, "delete from people where id = 2") != nil)
        #expect(try forgery.lab.operations(where: "o.id = '\(operation)' and o.payload is null") == 1)
        let undo = ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(operation)"}"#)
        #expect(try forgery.result("support", inOne: undo) == "US005")
        #expect(try forgery.result("admin", inOne: undo) == "done")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "free")
        #expect(try forgery.lab.isIntact())
    }

    // MARK: Recording

    @Test func operatorCannotRecordAnAttemptAsSuccessful() throws {
        let forgery = try ForgeryLab()
        let operation = try forgery.done("admin", "tier set", #", "arguments": {"tier": "paid"}"#)
        func attempt(_ id: String, _ kind: String, _ outcome: String, payload: String = "{}") throws -> String? {
            try forgery.result(
                "support",
                "select usher.attempt('\(id)', '\(kind)', '\(outcome)', 'tier set', 'lab', '\(payload)')")
        }
        for outcome in ["committed", "partial", "running", "undone", ""] {
            #expect(try attempt(LedgerLab.id(5), "undo", outcome) == "US002", "\(outcome)")
        }
        for kind in ["", "x"] {
            #expect(try attempt(LedgerLab.id(5), kind, "failed") == "US002", "\(kind)")
        }
        #expect(
            try forgery.result("support", "select usher.attempt('\(LedgerLab.id(5))', null, null, 'x', null, null)")
                == "23502")
        // A long text can't fill the audit log.
        let long = String(repeating: "x", count: Ledger.Entry.mostBytes + 1)
        #expect(try attempt(LedgerLab.id(5), "undo", "failed", payload: #"{"because": "\#(long)"}"#) == "US002")
        #expect(
            try forgery.result(
                "support", "select usher.attempt('\(LedgerLab.id(5))', 'undo', 'failed', '\(long)', '\(long)', null)")
                == "US002")
        // An attempt can't replace or block a recorded operation.
        #expect(try attempt(operation, "change", "failed") == "23505")
        #expect(try attempt(operation, "change", "lost") == "f")
        let undoing = #"{"undoes": "\#(operation)", "attempt": false, "users": ["1"], "final": true, "done": 5}"#
        let kinds = [
            "undo", "change", "bulk", "batch", "end", "erasure", "restore", "request", "answer", "note",
        ]
        for (number, kind) in kinds.enumerated() {
            #expect(try attempt(LedgerLab.id(10 + number), kind, "failed", payload: undoing) == "t", "\(kind)")
        }
        #expect(try forgery.lab.value("select usher.outcome('\(operation)')") == "committed")
        #expect(try forgery.lab.operations(where: "o.payload -> 'attempt' = 'true'") == kinds.count)
        #expect(
            try forgery.lab.operations(
                where: "o.payload -> 'attempt' = 'true' and num_nonnulls(o.undoes, o.parent) > 0")
                == 0)
        #expect(
            try forgery.result(
                "admin", inOne: ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(operation)"}"#))
                == "done")
        #expect(try forgery.lab.isIntact())
    }

    /// A deletion never erases the records of installations, so an attempt to install can't contain users.
    @Test(arguments: [("install", false), ("change", true)])
    func attemptToInstallRecordsNoUsers(_ kind: String, _ hasUsers: Bool) throws {
        let forgery = try ForgeryLab()
        let payload = #"{"users": ["1"], "target": "one@example.com", "reason": "why not"}"#
        let attempt = "select usher.attempt(gen_random_uuid(), '\(kind)', 'failed', 'install', 'lab', '\(payload)')"
        #expect(try forgery.result("support", attempt) == "t")
        #expect(
            try forgery.lab.rows(
                "select payload ? 'users', payload ? 'target', payload ->> 'reason' from usher.operation")
                == [[hasUsers ? "t" : "f", hasUsers ? "t" : "f", "why not"]])
    }

    @Test(arguments: ForgeryLab.roles + ["nobody"]) func operatorCannotWriteTablesOfUsher(_ role: String) throws {
        let forgery = try ForgeryLab()
        _ = try forgery.done("admin", "tier set", #", "arguments": {"tier": "paid"}"#)
        let tables = try forgery.lab.rows(
            """
            select c.relname, min(a.attname)
              from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
             where c.relnamespace = 'usher'::regnamespace and c.relkind = 'r' group by 1
            """)
        #expect(tables.count == 11)
        for row in tables {
            let (table, column) = (try #require(row[0]), try #require(row[1]))
            for statement in [
                "insert into usher.\(table) default values", "update usher.\(table) set \(column) = null",
                "delete from usher.\(table)", "truncate usher.\(table)",
                "do $$ begin lock usher.\(table) in exclusive mode; end $$",
                "select 1 from usher.\(table) for update", "alter table usher.\(table) disable trigger all",
                "drop table usher.\(table)",
                "create trigger mine before insert on usher.\(table) execute function suppress_redundant_updates_trigger()",
                "create table pg_temp.mine (k text references usher.\(table))",
            ] {
                let state = try forgery.result(role, statement)
                #expect(state == "42501" || state == "42P16", "\(statement): \(state ?? "done")")
            }
        }
        for statement in [
            "create table usher.mine ()", "create function usher.mine() returns int language sql as 'select 1'",
            "alter function usher.version() owner to current_user", "drop function usher.run(jsonb)",
            "create or replace function usher.version() returns integer language sql immutable as 'select 9'",
        ] {
            #expect(try forgery.result(role, statement) == "42501", "\(statement)")
        }
    }

    // MARK: Roles, production and arguments

    @Test func roleCanRunOnlyItsOwnActions() throws {
        let forgery = try ForgeryLab()
        let before = try forgery.lab.everything()
        let tier = forgery.run("tier set", #", "arguments": {"tier": "paid"}"#)
        #expect(try forgery.result("support", inOne: tier) == "US005")
        #expect(try forgery.result("admin", inOne: forgery.run("score clear")) == "US005")
        #expect(try forgery.result("admin", inOne: forgery.run("broke", kind: "state")) == "US005")
        for role in ["eraser", "auditor", "nobody"] {
            #expect(try forgery.result(role, inOne: forgery.run("score raise")) == "42501")
        }
        #expect(try forgery.lab.everything() == before)
        #expect(try forgery.lab.operations() == 0)
        // The login must have the role; a role that the session has set doesn't count.
        #expect(
            try forgery.result("engineer", inOne: "set local role usher_support", forgery.run("broke", kind: "state"))
                == "done")
        #expect(try forgery.lab.value("select operator from usher.operation") == ForgeryLab.login("engineer"))
    }

    /// A batch in one statement passes SQL in `at_once`; the SQL of a caller would run as the owner.
    @Test func requestCannotContainTheTermsOfABatch() throws {
        let forgery = try ForgeryLab()
        let terms = #"""
            , "at_once": {"usual": ["score"], "operation": "\#(OtherID.make())", "shape": {"name": "public.people",
              "oid": "0", "sql": "no SQL", "columns": [{"name": "id", "sql": "no SQL", "in_key": true}]}},
              "guarded": {}
            """#
        let id = try forgery.done("support", "score raise", terms)
        #expect(try forgery.lab.value("select score from people where id = 1") == "11")
        let undo = #"{"id": "\#(OtherID.make())", "operation": "\#(id)"\#(terms)}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("undo", undo)) == "done")
        #expect(try forgery.lab.value("select score from people where id = 1") == "10")
        #expect(try forgery.lab.isIntact())
    }

    @Test func reportNamesUsersWithAnErrorAndRefusedUsers() throws {
        let acts = """

            -- @action each go  Fails for each user.
            -- @role support
            -- @each id
            -- @refuse The tier is paid.
            tier = 'paid';
            -- @do
            update public.people set score = 1 / (score - score) where id = :user;
            """
        let forgery = try ForgeryLab(acts: acts, tables: [], "update people set tier = 'paid', score = 1 where id = 2")
        let request = forgery.request("each go", keys: #"["1", "2"]"#)
        let both = #"[{"key": "1"}, {"key": "2"}]"#
        let run = "select usher.run('\(request)') -> 'refused' @> '\(both)'"
        #expect(try forgery.result("support", inOne: run) == "t")
    }

    @Test func actionOfAnotherVersionIsRefused() throws {
        let forgery = try ForgeryLab()
        try forgery.database.run(
            "alter table usher.act disable trigger user",
            """
            update usher.act set definition = jsonb_set(definition, '{judgement}', '"select 1::text, array[0], null::jsonb"')
             where name = 'word check'
            """)
        #expect(try forgery.result("support", inOne: forgery.run("word check")) == "US008")
    }

    @Test func productionRefusesTestStatesAndRequiresReasons() throws {
        let forgery = try ForgeryLab(environment: "production")
        let before = try forgery.lab.everything()
        #expect(try forgery.result("engineer", inOne: forgery.run("broke", kind: "state")) == "US003")
        #expect(
            try forgery.result("engineer", inOne: forgery.run("broke", kind: "state", #", "dry": true"#)) == "US003")
        for reason in ["null", #""""#, #"" ""#, #""\t\n""#, #"".""#, #""\u00a0\u200b""#] {
            #expect(
                try forgery.result("support", inOne: forgery.run("score raise", #", "reason": \#(reason)"#)) == "US003")
        }
        #expect(try forgery.lab.everything() == before)
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "done")
    }

    /// In production, undoing the undo of a test state doesn't force the test state again.
    @Test(arguments: ["[\"1\"]", "[\"1\", \"2\"]"]) func undoInProductionDoesNotRestoreATestState(_ keys: String) throws
    {
        let forgery = try ForgeryLab()
        let isMany = keys.contains(",")
        func all(_ function: String, _ request: String) throws -> String? {
            let answer = try forgery.result("engineer", inOne: ForgeryLab.ask(function, request))
            guard answer == "begun" else { return answer }
            let whole = try #require(
                try forgery.lab.value("select id from usher.operation where kind = 'bulk' order by at desc limit 1"))
            for _ in 1...3 {
                let part = #"{"id": "\#(UUID().uuidString.lowercased())", "operation": "\#(whole)", "size": 9}"#
                let answer = try forgery.result("engineer", inOne: ForgeryLab.ask("batch", part))
                if answer != "done" { return answer }
            }
            return nil
        }
        func undo() throws -> String? {
            let last = try forgery.lab.value(
                "select id from usher.operation where kind in ('bulk', 'change', 'undo') order by at desc limit 1")
            let id = UUID().uuidString.lowercased()
            let name = isMany ? "undoes" : "operation"
            return try all(
                isMany ? "begin" : "undo",
                #"{"id": "\#(id)", "\#(name)": "\#(try #require(last))", "reason": "why not"}"#)
        }
        func broke() throws -> String? { try forgery.lab.value("select count(*) from people where tier = 'broke'") }
        let done = isMany ? "exhausted" : "done"
        #expect(
            try all(isMany ? "begin" : "run", forgery.request("broke", kind: "state", keys: keys)) == done)
        #expect(try undo() == done)
        #expect(try undo() == done)
        #expect(try broke() == (isMany ? "2" : "1"))
        try forgery.database.run("update usher.environment set name = 'production'")
        #expect(try undo() == done)
        #expect(try undo() == "US003")
        #expect(try broke() == "0")
    }

    @Test func approvalMustCoverAllUsersOfTheRequest() throws {
        let forgery = try ForgeryLab(environment: "production")
        let rest = #", "arguments": {"tier": "paid"}"#
        let asked = forgery.request("tier give", keys: #"["1", "2"]"#, rest)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("ask", asked)) == "done")
        let id = try #require(try forgery.lab.value("select operation from usher.request"))
        for keys in [#"["1"]"#, "[]", #"["1", "2", "3"]"#] {
            for function in ["run", "begin"] {
                for moved in ["true", "false"] {
                    let part = forgery.request(
                        "tier give", keys: keys, rest + #", "request": "\#(id)", "moved": \#(moved)"#)
                    let answer = try forgery.result("admin", inOne: ForgeryLab.ask(function, part))
                    #expect(["US002", "US003"].contains(answer), "\(function) \(keys) \(answer ?? "nothing")")
                }
            }
        }
        #expect(try forgery.lab.value("select answer from usher.request") == nil)
        let whole = forgery.request("tier give", keys: #"["2", "1"]"#, rest + #", "request": "\#(id)""#)
        #expect(try forgery.result("admin", inOne: ForgeryLab.ask("run", whole)) == "done")
    }

    @Test func columnDefaultDoesNotChangeTheRecordedOperator() throws {
        let forgery = try ForgeryLab()
        try forgery.database.run(
            "alter table usher.operation alter operator set default 'somebody', alter at set default 'infinity'")
        let operation = try forgery.done("support", "score raise")
        #expect(
            try forgery.lab.value("select operator from usher.operation where id = '\(operation)' and at <= now()")
                == ForgeryLab.login("support"))
    }

    @Test func bulkChangeBatchAndUndoNeedTheRoleOfTheCurrentAppFile() throws {
        let forgery = try ForgeryLab()
        let whole = forgery.request("score raise", keys: #"["1", "2"]"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        let operation = try forgery.done("support", "score raise", #", "keys": ["3"]"#)
        let changed = ForgeryLab.app.replacing("One more.\n-- @role support", with: "One more.\n-- @role admin")
        try InstalledApp.install(
            try Lab.app(changed, header: ""), on: try forgery.database.connect(user: ForgeryLab.owner))
        func id() -> String { UUID().uuidString.lowercased() }
        let part = ForgeryLab.ask("batch", #"{"id": "\#(id())", "operation": "\#(bulk)", "size": 1}"#)
        let undo = ForgeryLab.ask("undo", #"{"id": "\#(id())", "operation": "\#(operation)"}"#)
        for act in [part, undo] {
            #expect(try forgery.result("support", inOne: act) == "US005")
            #expect(try forgery.result("admin", inOne: act) == "done")
        }
    }

    /// A bulk change continues only if the caller could still start it.
    @Test(arguments: ["production", "a second person", "no action", "its role"])
    func bulkChangeContinuesOnlyWithCurrentRights(_ change: String) throws {
        let forgery = try ForgeryLab(environment: change == "a second person" ? "production" : "test")
        let isGiven = change == "production"
        let whole = forgery.request(
            isGiven ? "tier give" : "score raise", keys: #"["1", "2"]"#,
            isGiven ? #", "arguments": {"tier": "paid"}"# : "")
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        func part() -> String {
            ForgeryLab.ask("batch", #"{"id": "\#(UUID().uuidString)", "operation": "\#(bulk)", "size": 1}"#)
        }
        #expect(try forgery.result("support", inOne: part()) == "done")
        let before = try forgery.lab.everything()
        let head = "-- @action score raise  One more.\n-- @role support"
        let other =
            switch change {
            case "a second person": head + "\n-- @approve admin"
            case "no action": head.replacing("raise", with: "add")
            default: head.replacing("support", with: "admin")
            }
        if isGiven {
            try forgery.database.run("update usher.environment set name = 'production'")
        } else {
            try InstalledApp.install(
                try Lab.app(ForgeryLab.app.replacing(head, with: other), header: ""),
                on: try forgery.database.connect(user: ForgeryLab.owner))
        }
        let refusal = ["no action": "US008", "its role": "US005"][change] ?? "US003"
        #expect(try forgery.result("support", inOne: part()) == refusal)
        #expect(try forgery.lab.everything() == before)
    }

    // MARK: Limits

    @Test func changeRefusesTextsThatAreTooLong() throws {
        let forgery = try ForgeryLab()
        func long(_ count: Int) -> String { "\"" + String(repeating: "x", count: count) + "\"" }
        let id = try forgery.done("support", "score raise")
        let own = #""id": "\#(LedgerLab.id(7))""#
        for (rest, state) in [
            (#", "reason": \#(long(2_001))"#, "US003"), (#", "ticket": \#(long(201))"#, "US003"),
            (#", "reason": ["why"]"#, "US002"), (#", "ticket": {"a": 1}"#, "US002"), (#", "arguments": []"#, "US002"),
        ] {
            for call in [
                forgery.run("score raise", rest),
                ForgeryLab.ask("begin", forgery.request("score raise", rest)),
                ForgeryLab.ask("ask", forgery.request("tier set", rest)),
                ForgeryLab.ask("undo", #"{\#(own), "operation": "\#(id)"\#(rest)}"#),
                ForgeryLab.ask("answer", #"{\#(own), "answer": "decline"\#(rest)}"#),
                ForgeryLab.ask("note", #"{\#(own), "app": "lab", "key": "1", "text": "x"\#(rest)}"#),
            ] {
                #expect(try forgery.result("support", inOne: call) == state, "\(call.prefix(80))")
            }
        }
        let text = forgery.run("note write", #", "arguments": {"note": \#(long(262_144))}"#)
        #expect(try forgery.result("support", inOne: text) == "US003")
        #expect(try forgery.lab.operations() == 1)
        let most =
            #", "reason": \#(long(2_000)), "ticket": \#(long(200)), "arguments": {"note": \#(long(10_000))}"#
        #expect(try forgery.result("support", inOne: forgery.run("note write", most)) == "done")
    }

    /// Undos can undo each other in a long chain, and the outcome of the first operation depends on the whole chain.
    @Test(arguments: [999, 1000]) func outcomeOfAnOperationDependsOnAWholeChainOfUndos(_ count: Int) throws {
        let forgery = try ForgeryLab()
        let id = try forgery.done("support", "score raise")
        try forgery.database.run(
            """
            insert into usher.operation (id, at, kind, outcome, command, undoes, digest)
            select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid,
                   clock_timestamp() + n * interval '1 second', 'undo', 'committed', 'audit undo',
                   case n when 1 then '\(id)'
                          else ('00000000-0000-4000-8000-' || lpad((n - 1)::text, 12, '0'))::uuid end, ''
              from generate_series(1, \(count)) n
            """)
        let connection = try forgery.database.connect()
        _ = try connection.execute("set max_stack_depth = '200kB'")
        let outcome = try connection.execute(Query(unsafe: "select usher.outcome('\(id)')")).first?.values[0].text
        #expect(outcome == (count % 2 == 0 ? "committed" : "undone"))
    }

    @Test func actionWithoutAKeyTypeRefusesUserKeys() throws {
        let forgery = try ForgeryLab()
        try forgery.database.run(
            "update usher.act set definition = definition - 'key_type' where name = 'score raise'")
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "US002")
    }

    @Test func operatorCanRunOnlyInstalledActions() throws {
        let forgery = try ForgeryLab()
        let before = try forgery.lab.everything()
        let digest = #", "digest": "\#(String(forgery.lab.app.digest.reversed()))""#
        for request in [
            forgery.run("score wipe"), forgery.run("score raise", kind: "state"), forgery.run("", kind: "app"),
            forgery.run("score raise", #", "app": "other""#), forgery.run("score raise", digest),
            forgery.run("score raise", #", "digest": null"#), forgery.run("score raise", #", "kind": null"#),
            ForgeryLab.ask("begin", forgery.request("score raise", digest)),
        ] {
            #expect(try forgery.result("engineer", inOne: request) == "US008", "\(request)")
        }
        // A retired action doesn't run.
        try forgery.database.run("update usher.act set retired_at = now() where name = 'score raise'")
        #expect(try forgery.result("engineer", inOne: forgery.run("score raise")) == "US008")
        #expect(try forgery.lab.everything() == before)
        #expect(try forgery.lab.operations() == 0)
    }

    @Test func changeWithAnEditedAppFileIsRefused() throws {
        let forgery = try ForgeryLab()
        let lab = forgery.lab
        let edited = try Lab.app(ForgeryLab.app.replacing("+ 1 where", with: "+ 1000 where"), header: "")
        #expect(edited.digest != lab.app.digest)
        let connection = try forgery.database.connect(user: ForgeryLab.login("support"))
        // `roles sql` grants support the right to read users.
        try forgery.database.run("grant select on people, events to usher_support")
        let refusal = try failure {
            guard
                case .one(let session) = try OpenedChange.open(
                    .action("score", "raise", on: "1"),
                    in: Inquiry.open(on: connection, candidates: [edited], options: InquiryOptions(), for: .change),
                    limits: ChangeLimits(), elsewhere: forgery.database.elsewhere(user: ForgeryLab.login("support")))
            else { return }
            _ = try session.run(as: nil)
        }
        #expect(refusal.state?.rawValue == "US008", "\(refusal)")
        #expect(try lab.value("select score from people where id = 1") == "10")
        #expect(try lab.operations(where: "outcome = 'committed'") == 0)
    }

    @Test(arguments: [
        #"{"tier": "staff"}"#, "{}", "null", #"{"tier": null}"#, #"{"tier": "paid", "days": "0"}"#,
        #"{"tier": "paid", "days": 366}"#, #"{"tier": "paid", "days": "NaN"}"#, #"{"tier": "paid", "days": "1; drop"}"#,
        #"{"tier": "paid", "other": "1"}"#, #"{"tier": ["paid"]}"#, #"{"tier": "paid ' or true"}"#,
    ]) func actionRefusesUndeclaredOrInvalidArguments(_ arguments: String) throws {
        let forgery = try ForgeryLab()
        let request = forgery.run("tier set", #", "arguments": \#(arguments.replacing("'", with: "''"))"#)
        #expect(try forgery.result("admin", inOne: request) == "US002")
        #expect(try forgery.lab.operations() == 0)
    }

    @Test func actionRefusesATimeOutsideTheLastFiveMinutes() throws {
        let forgery = try ForgeryLab()
        let early = try #require(try forgery.lab.value("select now() - interval '5 minutes 10 seconds'"))
        for now in ["yesterday", "tomorrow", "infinity", "-infinity", "2000-01-01", early] {
            #expect(try forgery.result("support", inOne: forgery.run("score raise", #", "now": "\#(now)""#)) == "US002")
        }
        #expect(try forgery.result("support", inOne: forgery.run("score raise", #", "now": "now""#)) == "done")
    }

    @Test func actionCountsAKeyInTwoSpellingsOnce() throws {
        let forgery = try ForgeryLab()
        let keys = #"["\#(ForgeryLab.event)", "\#(ForgeryLab.eventAgain)"]"#
        let counted = ForgeryLab.ask("run", forgery.request("event weigh", keys: keys))
            .replacing("->> 'outcome'", with: "-> 'subjects'")
        #expect(try forgery.result("support", inOne: counted) == #"["\#(ForgeryLab.event)"]"#)
        #expect(try forgery.lab.value("select count(*) from usher.change") == "1")
        #expect(try forgery.lab.value("select weight from events") == "0.30000000000000004")
        #expect(
            try forgery.result("support", inOne: ForgeryLab.ask("begin", forgery.request("event weigh", keys: keys)))
                == "begun")
        #expect(try forgery.lab.value("select count(*) from usher.subject") == "1")
    }

    @Test(arguments: ["[4]", "[1, 4]", "[99]", "[3, 99]", #"["4 or true"]"#, "[null]"])
    func changeRefusesKeysThatDoNotMatchAUser(
        _ keys: String
    ) throws {
        let forgery = try ForgeryLab()
        let before = try forgery.lab.everything()
        for function in ["run", "begin"] {
            let state = try forgery.result(
                "support", inOne: ForgeryLab.ask(function, forgery.request("score raise", keys: keys)))
            #expect(["US004", "22P02"].contains(state), "\(function)")
        }
        #expect(try forgery.lab.everything() == before)
        #expect(try forgery.lab.operations() == 0)
    }

    // MARK: Locks

    @Test func changeSeesRowsThatWereCommittedWhileItWaitedForALock() throws {
        let forgery = try ForgeryLab()
        try forgery.database.run(
            "insert into letters (person) values (1), (1)", "grant select on people, events, letters to usher_support")
        let other = try forgery.database.connect()
        _ = try other.execute("begin")
        _ = try other.execute("select pg_advisory_xact_lock(hashtextextended('usher public.people 1', 0))")
        let lab = ChangeLab(installed: forgery.lab.app, on: forgery.database, role: ForgeryLab.login("support"))
        let change = BackgroundTask { try failure { try lab.run(.action("letter", "add", on: "1")) } }
        try eventually("the change waits for a lock") { try lab.waiting() == 1 }
        _ = try other.execute("insert into letters (person) values (1)")
        _ = try other.execute("commit")
        let refusal = try change.value()
        #expect(refusal.kind == .refused)
        #expect(refusal.message.hasSuffix(": There are three."))
        #expect(try lab.value("select count(*) from letters") == "3")
    }

    @Test(arguments: ["run", "batch", "begin"]) func changeFailsOnASnapshotFromBeforeTheLastCommit(_ function: String)
        throws
    {
        let forgery = try ForgeryLab()
        try forgery.database.run("insert into letters (person) values (1), (1)")
        let add = forgery.request("letter add")
        var asked = ForgeryLab.ask("run", add)
        var meanwhile = forgery.run("letter add")
        if function == "batch" {
            #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", add)) == "begun")
            let bulk = try #require(try forgery.lab.value("select id from usher.operation"))
            asked = ForgeryLab.ask("batch", #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(bulk)", "size": 1}"#)
        } else if function == "begin" {
            asked = ForgeryLab.ask("begin", forgery.request("letter add"))
            meanwhile = ForgeryLab.ask("begin", add)
        }
        let early = try forgery.database.connect(user: ForgeryLab.login("support"))
        _ = try early.execute(Query(unsafe: ForgeryLab.begin))
        _ = try early.execute("select 1")
        #expect(try forgery.result("support", inOne: meanwhile) == (function == "begin" ? "begun" : "done"))
        let collision = try #require(throws: PQError.self) { _ = try early.execute(Query(unsafe: asked)) }
        #expect(Failure(collision).state == .serializationFailure)
        _ = try early.execute("rollback")
        #expect(try forgery.lab.value("select count(*) from letters") == (function == "begin" ? "2" : "3"))
        // A second attempt reports the actual reason for the refusal.
        #expect(
            try forgery.result("support", inOne: asked) == (function == "begin" ? "US006" : "refused"))
    }

    /// Another session holds the old snapshot, and sealing the operations since doesn't make the snapshot valid.
    @Test func actionRefusesAnImportedSnapshot() throws {
        let forgery = try ForgeryLab()
        try forgery.database.run("insert into letters (person) values (1), (1)")
        let holder = try forgery.database.connect(user: ForgeryLab.login("nobody"))
        _ = try holder.execute(Query(unsafe: ForgeryLab.begin))
        let snapshot = try #require(try holder.execute("select pg_export_snapshot()").only().values[0].text)
        #expect(try forgery.result("support", inOne: forgery.run("letter add")) == "done")
        // Sealing waits for every older transaction of the server, also for transactions of other tests.
        try eventually("the operations are sealed") { try forgery.result("support", "select usher.seal()") != nil }
        #expect(
            try forgery.result("support", inOne: "set transaction snapshot '\(snapshot)'", forgery.run("letter add"))
                == "40001")
        #expect(try forgery.lab.value("select count(*) from letters") == "3")
    }

    @Test func changeDoesNotStartWhileAnotherSessionLocksTheUser() throws {
        let forgery = try ForgeryLab()
        let other = try forgery.database.connect()
        _ = try other.execute("begin")
        _ = try other.execute("select pg_advisory_xact_lock(hashtextextended('usher public.people 1', 0))")
        #expect(try forgery.result("support", inOne: forgery.run("score raise")) == "locked")
        #expect(try forgery.lab.operations() == 0)
    }
}
