import AppFile
import Acts
import Asking
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Operators call the functions for requests with SQL of their own.
@Suite struct RequestForgeryTests {
    private static let paid = #", "arguments": {"tier": "paid"}"#

    /// Requests an action as a role, and returns the id of the request.
    private func asked(
        _ forgery: ForgeryLab, _ role: String = "support", _ name: String = "tier set", keys: String = #"["1"]"#,
        _ rest: String = paid
    ) throws -> String {
        let request = forgery.request(name, keys: keys, rest)
        #expect(try forgery.result(role, inOne: ForgeryLab.ask("ask", request)) == "done")
        return try #require(
            try forgery.lab.value("select id from usher.operation where kind = 'request' order by at desc limit 1"))
    }

    private func answer(_ request: String, _ way: String) -> String {
        ForgeryLab.ask("answer", #"{"id": "\#(OtherID.make())", "request": "\#(request)", "answer": "\#(way)"}"#)
    }

    private func approve(
        _ forgery: ForgeryLab, _ request: String, _ name: String = "tier set", keys: String = #"["1"]"#,
        _ rest: String = paid
    ) -> String { forgery.run(name, keys: keys, rest + #", "request": "\#(request)""#) }

    // MARK: Visible columns

    @Test func requestDoesNotShowColumnsThatTheRequesterCannotRead() throws {
        let forgery = try ForgeryLab()
        try forgery.database.run("revoke select on people from usher_support")
        let request = forgery.request("tier set", #", "arguments": {"tier": "paid", "days": "7"}, "dry": true"#)
        let changes = """
            select string_agg(c ->> 'columns' || (c ->> 'secrets'), '')
              from jsonb_array_elements(usher.ask('\(request)') -> 'changes') c
            """
        #expect(try forgery.result("support", inOne: changes) == #"[]["tier", "score"]"#)
        try forgery.database.run("grant select (tier) on people to usher_support")
        #expect(try forgery.result("support", inOne: changes) == #"[["tier", 25, "free", "paid"]]["score"]"#)
        // The approval compares only the values that the requester saw.
        let days = #", "arguments": {"tier": "paid", "days": "7"}"#
        let asked = try asked(forgery, "support", "tier set", days)
        let hasMoved = forgery.request("tier set", days + #", "dry": true, "request": "\#(asked)""#)
        try forgery.database.run("update people set score = 3 where id = 1")
        #expect(try forgery.result("admin", inOne: "select usher.run('\(hasMoved)') ->> 'moved'") == "false")
        try forgery.database.run("update people set tier = 'gold' where id = 1")
        #expect(try forgery.result("admin", inOne: "select usher.run('\(hasMoved)') ->> 'moved'") == "true")
    }

    // MARK: Roles

    @Test func approverNeedsTheRoleOfTheAction() throws {
        let forgery = try ForgeryLab()
        let ask = ForgeryLab.ask("ask", forgery.request("tier set", Self.paid))
        for role in ["admin", "engineer"] { #expect(try forgery.result(role, inOne: ask) == "US003") }
        for role in ["eraser", "auditor", "nobody"] { #expect(try forgery.result(role, inOne: ask) == "42501") }
        let request = try asked(forgery)
        #expect(try forgery.result("support", inOne: approve(forgery, request)) == "US005")
        for role in ["eraser", "auditor", "nobody"] {
            #expect(try forgery.result(role, inOne: approve(forgery, request)) == "42501")
            // An eraser can only approve deletions.
            let refusal = role == "eraser" ? "US005" : "42501"
            #expect(try forgery.result(role, inOne: answer(request, "decline")) == refusal)
        }
        #expect(try forgery.result("support", inOne: answer(request, "decline")) == "US003")
        for role in ["admin", "engineer"] {
            #expect(try forgery.result(role, inOne: answer(request, "withdraw")) == "US005")
        }
        #expect(try forgery.lab.value("select tier from people where id = 1") == "free")
        #expect(try forgery.result("admin", inOne: approve(forgery, request)) == "done")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "paid")
        let done = "select operator, request, payload ->> 'asked_by' from usher.operation where kind = 'change'"
        #expect(
            try forgery.lab.rows(done) == [[ForgeryLab.login("admin"), request, ForgeryLab.login("support")]])
        // A request can be answered only once.
        #expect(try forgery.result("engineer", inOne: approve(forgery, request)) == "US006")
        #expect(try forgery.result("admin", inOne: answer(request, "decline")) == "US006")
        #expect(try forgery.result("support", inOne: answer(request, "withdraw")) == "US006")
        #expect(try forgery.lab.isIntact())
    }

    @Test func requesterCanWithdrawAndAnotherOperatorCanDeclineARequest() throws {
        let forgery = try ForgeryLab()
        let first = try asked(forgery)
        // A second request for the same change is refused until the first request is answered.
        let again = ForgeryLab.ask("ask", forgery.request("tier set", Self.paid))
        #expect(try forgery.result("support", inOne: again) == "US006")
        #expect(try forgery.result("support", inOne: answer(first, "withdraw")) == "done")
        let second = try asked(forgery)
        #expect(try forgery.result("engineer", inOne: answer(second, "decline")) == "done")
        for request in [first, second] {
            #expect(try forgery.result("admin", inOne: approve(forgery, request)) == "US006")
        }
        for way in ["approve", "", "null"] {
            #expect(try forgery.result("admin", inOne: answer(second, way)) == "US002")
        }
        #expect(try forgery.result("admin", inOne: answer(LedgerLab.id(1), "decline")) == "US004")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "free")
        #expect(try forgery.lab.isIntact())
    }

    @Test func approvalIsRefusedIfTheChangeDiffersFromTheRequest() throws {
        let forgery = try ForgeryLab()
        let request = try asked(forgery)
        let before = try forgery.lab.everything()
        for other in [
            approve(forgery, request, "tier set", #", "arguments": {"tier": "free"}"#),
            approve(forgery, request, "tier set", #", "arguments": {"tier": "paid", "days": "7"}"#),
            approve(forgery, request, keys: #"["2"]"#), approve(forgery, request, keys: #"["1", "2"]"#),
            approve(forgery, request, "score raise", ""), approve(forgery, request, "tier give"),
            approve(forgery, request, keys: "[]"),
        ] {
            let state = try forgery.result("admin", inOne: other)
            #expect(state == "US003", "\(other): \(state ?? "done")")
        }
        #expect(try forgery.result("admin", inOne: approve(forgery, LedgerLab.id(3))) == "US004")
        #expect(try forgery.lab.everything() == before)
        // The request can't be used for more users or for an undo.
        let many = forgery.request("tier set", keys: #"["1", "2"]"#, Self.paid + #", "request": "\#(request)""#)
        #expect(try forgery.result("admin", inOne: ForgeryLab.ask("begin", many)) == "US003")
        let other = try forgery.done("admin", "tier set", Self.paid)
        let undo = #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(other)", "request": "\#(request)"}"#
        #expect(try forgery.result("admin", inOne: ForgeryLab.ask("undo", undo)) == "US003")
        #expect(try forgery.lab.value("select answer is null from usher.request") == "t")
    }

    @Test func requestIsRefusedIfTheChangeIsImpossible() throws {
        let forgery = try ForgeryLab()
        for (request, state) in [
            (forgery.request("tier set", #", "arguments": {"tier": "staff"}"#), "US002"),
            (forgery.request("tier set", keys: #"["4"]"#, Self.paid), "US004"),
            (forgery.request("tier set", keys: #"["99"]"#, Self.paid), "US004"),
            (forgery.request("tier set", keys: "[]", Self.paid), "US002"),
            (forgery.request("tier wipe", Self.paid), "US008"),
            (forgery.request("tier set", Self.paid + #", "digest": "00""#), "US008"),
        ] {
            #expect(try forgery.result("support", inOne: ForgeryLab.ask("ask", request)) == state, "\(request)")
        }
        #expect(try forgery.lab.operations() == 0)
        // Requesting must be the first write of the transaction, like the action itself.
        let late = "select pg_current_xact_id()"
        let ask = ForgeryLab.ask("ask", forgery.request("tier set", Self.paid))
        #expect(try forgery.result("support", inOne: late, ask) == "25000")
        #expect(try forgery.result("support", "begin", ask) == "25000")
    }

    // MARK: Two people

    @Test func productionActionNeedsTwoPeople() throws {
        let forgery = try ForgeryLab(environment: "production")
        let alone = forgery.run("tier give", Self.paid)
        let tried = forgery.run("tier give", Self.paid + #", "dry": true"#)
        for role in ["support", "admin", "engineer"] {
            #expect(try forgery.result(role, inOne: alone) == "US003", "\(role)")
            #expect(
                try forgery.result(role, inOne: ForgeryLab.ask("begin", forgery.request("tier give", Self.paid)))
                    == "US003")
            #expect(try forgery.result(role, inOne: tried) == "planned", "\(role)")
            // Only a bulk change that continues has this member; each of its batches checks the second person.
            for resumed in ["x", OtherID.make()] {
                let again = forgery.run("tier give", Self.paid + #", "resumes": "\#(resumed)""#)
                #expect(try forgery.result(role, inOne: again) == "US003", "\(role)")
            }
        }
        // The requester can't approve the request, even with another role; another admin can.
        let request = try asked(forgery, "admin", "tier give")
        #expect(try forgery.result("admin", inOne: approve(forgery, request, "tier give")) == "US003")
        let played = "set local role usher_support"
        #expect(try forgery.result("admin", inOne: played, approve(forgery, request, "tier give")) == "US003")
        #expect(try forgery.result("support", inOne: approve(forgery, request, "tier give")) == "US005")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "free")
        #expect(try forgery.result("engineer", inOne: approve(forgery, request, "tier give")) == "done")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "paid")
        #expect(try forgery.lab.isIntact())
        // One person can undo the change, but undoing the undo needs two people again.
        let change = try #require(try forgery.lab.value("select id from usher.operation where kind = 'change'"))
        func undo(_ number: Int, _ operation: String) -> String {
            ForgeryLab.ask(
                "undo", #"{"id": "\#(LedgerLab.id(number))", "operation": "\#(operation)", "reason": "no"}"#)
        }
        #expect(try forgery.result("support", inOne: undo(7, change)) == "done")
        for role in ["support", "admin", "engineer"] {
            #expect(try forgery.result(role, inOne: undo(8, LedgerLab.id(7))) == "US003", "\(role)")
        }
        let redo = #"{"id": "\#(LedgerLab.id(9))", "operation": "\#(LedgerLab.id(7))", "reason": "yes"}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("ask", redo)) == "done")
        let answered =
            #"{"id": "\#(LedgerLab.id(8))", "operation": "\#(LedgerLab.id(7))", "reason": "yes", "#
            + #""request": "\#(LedgerLab.id(9))"}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("undo", answered)) == "US005")
        #expect(try forgery.result("admin", inOne: ForgeryLab.ask("undo", answered)) == "done")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "paid")
        #expect(try forgery.lab.isIntact())
    }

    /// The app file can change after the request.
    ///
    /// The approver needs the role of the earlier file and the role of the current file.
    @Test(arguments: [("admin", "engineer"), ("engineer", "admin")])
    func approverNeedsTheRoleOfTheCurrentAppFile(_ first: String, _ second: String) throws {
        let lab = try ForgeryLab(environment: "production")
        let owner = try lab.database.connect(user: ForgeryLab.owner)
        func install(_ role: String) throws -> ForgeryLab {
            let file = try Lab.app(
                ForgeryLab.app.replacing(
                    "needs two people.\n-- @role support\n-- @approve admin",
                    with: "needs two people.\n-- @role support\n-- @approve \(role)"), header: "")
            try InstalledApp.install(file, on: owner)
            return ForgeryLab(lab: ChangeLab(installed: file, on: lab.database))
        }
        let request = try asked(try install(first), "support", "tier give")
        let forgery = try install(second)
        let moved = forgery.run("tier give", Self.paid + #", "request": "\#(request)", "moved": true"#)
        #expect(try forgery.result("admin", inOne: moved) == "US005")
        #expect(try forgery.result("admin", inOne: answer(request, "decline")) == "US005")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "free")
        #expect(try forgery.result("engineer", inOne: moved) == "done")
    }

    /// A request for more than a hundred users contains no digest of the data, but its action may not change.
    @Test func approvalIsRefusedIfTheStatementsOfTheActionChanged() throws {
        let lab = try ForgeryLab()
        try lab.database.run(
            "insert into people select n, n || '@example.org', 'free' from generate_series(1001, 1120) n")
        let keys = "[" + (1001...1120).map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        let request = try asked(lab, keys: keys)
        let changed = try Lab.app(
            ForgeryLab.app.replacing("set tier = :tier, score =", with: "set tier = upper(:tier), score ="), header: "")
        try InstalledApp.install(changed, on: try lab.database.connect(user: ForgeryLab.owner))
        let forgery = ForgeryLab(lab: ChangeLab(installed: changed, on: lab.database))
        #expect(try forgery.result("admin", inOne: approve(forgery, request, keys: keys)) == "US006")
        #expect(try forgery.lab.value("select count(*) from people where tier = 'PAID'") == "0")
        let accepted = forgery.run("tier set", keys: keys, Self.paid + #", "request": "\#(request)", "moved": true"#)
        #expect(try forgery.result("admin", inOne: accepted) == "done")
    }

    /// The approver of a changed action must accept the change, also if it sets the same values.
    @Test(arguments: ["-- @select free", "-- @refuse The tier is gold.\ntier = 'gold';", "-- @expect mood glad"])
    func approvalIsRefusedIfTheActionChanged(added: String) throws {
        let users = "select p.* from public.people p where p.tier is distinct from 'staff';"
        let text = ForgeryLab.app.replacing(
            users,
            with: """
                \(users)
                -- @select free  Free users.
                tier = 'free';
                -- @decision mood  Is the user glad?
                -- @rule glad  The mood is {mood}.
                mood = 'glad';
                -- @rule other  The mood is {mood}.
                true;
                """)
        let lab = try ForgeryLab()
        func install(_ text: String) throws -> ForgeryLab {
            let app = try Lab.app(text, header: "")
            try InstalledApp.install(app, on: try lab.database.connect(user: ForgeryLab.owner))
            return ForgeryLab(lab: ChangeLab(installed: app, on: lab.database))
        }
        let request = try asked(try install(text))
        let option = "-- @option days?: int 1..365\n"
        let forgery = try install(text.replacing(option, with: option + added + "\n"))
        #expect(try forgery.result("admin", inOne: approve(forgery, request)) == "US006")
        #expect(try forgery.lab.value("select tier from people where id = 1") == "free")
        let accepted = forgery.run("tier set", Self.paid + #", "request": "\#(request)", "moved": true"#)
        #expect(try forgery.result("admin", inOne: accepted) == "done")
    }

    /// The approval of a relative date must not write another date on another day.
    @Test func requestRecordsARelativeDateAsACalendarDate() throws {
        let option = "-- @option days?: int 1..365\n"
        let text = ForgeryLab.app
            .replacing(option, with: option + "-- @option until?: date\n")
            .replacing(
                "score = coalesce(:days, score) where", with: "score = coalesce(:days, score), seen = :until where")
        let lab = try ForgeryLab()
        let app = try Lab.app(text, header: "")
        try InstalledApp.install(app, on: try lab.database.connect(user: ForgeryLab.owner))
        let forgery = ForgeryLab(lab: ChangeLab(installed: app, on: lab.database))
        let tomorrow = #", "arguments": {"tier": "paid", "until": "tomorrow"}"#
        let request = try asked(forgery, "support", "tier set", tomorrow)
        let date = try #require(try forgery.lab.value("select (now() at time zone 'UTC')::date + 1"))
        #expect(
            try forgery.lab.value(
                "select payload -> 'asks' -> 'arguments' ->> 'until' from usher.operation where kind = 'request'")
                == date)
        let same = #", "arguments": {"tier": "paid", "until": "\#(date)"}"#
        #expect(try forgery.result("admin", inOne: approve(forgery, request, "tier set", same)) == "done")
    }

    /// The undo of an undo runs the action again, so its request needs the role that approves the action now.
    @Test func requestToUndoAnUndoNeedsTheApprovingRoleOfTheInstalledAction() throws {
        let lab = try ForgeryLab(environment: "production")
        let first = try asked(lab, "admin", "tier give")
        #expect(try lab.result("engineer", inOne: approve(lab, first, "tier give")) == "done")
        let change = try #require(try lab.lab.value("select id from usher.operation where kind = 'change'"))
        let undo = #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(change)", "reason": "no"}"#
        #expect(try lab.result("support", inOne: ForgeryLab.ask("undo", undo)) == "done")
        let app = try Lab.app(
            ForgeryLab.app.replacing(
                "-- @role support\n-- @approve admin", with: "-- @role support\n-- @approve engineer"), header: "")
        try InstalledApp.install(app, on: try lab.database.connect(user: ForgeryLab.owner))
        let redo = #"{"id": "\#(LedgerLab.id(9))", "operation": "\#(LedgerLab.id(7))", "reason": "yes"}"#
        #expect(try lab.result("support", inOne: ForgeryLab.ask("ask", redo)) == "done")
        #expect(try lab.lab.value("select role from usher.request where answer is null") == "usher_engineer")
        try lab.database.makeRole(ForgeryLab.login("helper"), "in role usher_support")
        for (role, result) in [("helper", "US005"), ("admin", "US005"), ("engineer", "done")] {
            #expect(try lab.result(role, inOne: answer(LedgerLab.id(9), "decline")) == result, "\(role)")
        }
    }

    @Test func deletionRequestWithANullKeyIsRefused() throws {
        let forgery = try ForgeryLab()
        for keys in ["[null]", #"[null, "77"]"#] {
            let request =
                #"{"id": "\#(OtherID.make())", "kind": "deletion", "app": "lab", "keys": \#(keys), "reason": "why not"}"#
            #expect(try forgery.result("support", inOne: ForgeryLab.ask("ask", request)) != "done", "\(keys)")
        }
        #expect(try forgery.lab.value("select count(*) from usher.request") == "0")
    }

    /// A reason needs a visible letter or digit.
    @Test func changeInProductionNeedsAVisibleReason() throws {
        let forgery = try ForgeryLab(environment: "production")
        for letter in ["\u{3164}", "\u{115F}", "\u{1160}", "\u{FFA0}", "\u{200B}", " "] {
            let run = forgery.run("score raise", #", "reason": "\#(letter)""#)
            #expect(try forgery.result("support", inOne: run) == "US003", "\(letter.unicodeScalars)")
        }
    }

    @Test func actionOutsideProductionNeedsOnePerson() throws {
        let forgery = try ForgeryLab()
        #expect(try forgery.result("support", inOne: forgery.run("tier give", Self.paid)) == "done")
        let ask = ForgeryLab.ask("ask", forgery.request("tier give", Self.paid))
        #expect(try forgery.result("support", inOne: ask) == "US003")
    }

    @Test func requestInProductionNeedsAReason() throws {
        let forgery = try ForgeryLab(environment: "production")
        let ask = ForgeryLab.ask("ask", forgery.request("tier set", Self.paid + #", "reason": " ""#))
        #expect(try forgery.result("support", inOne: ask) == "US003")
        let state = ForgeryLab.ask("ask", forgery.request("broke", kind: "state"))
        #expect(try forgery.result("support", inOne: state) == "US003")
        #expect(try forgery.lab.operations() == 0)
    }

    // MARK: Forged requests

    @Test func auditVerifyFindsAForgedRequest() throws {
        let forgery = try ForgeryLab(environment: "production")
        let request = try asked(forgery, "support", "tier give")
        let open = try asked(forgery, "support", "tier set", keys: #"["2"]"#)
        #expect(try forgery.result("admin", inOne: approve(forgery, request, "tier give")) == "done")
        #expect(try forgery.lab.isIntact())
        let change = "(select id from usher.operation where kind = 'change')"
        for (statements, count) in [
            ("update usher.request set answer = null where operation = '\(request)'", 1),
            ("update usher.request set answer = \(change) where operation = '\(open)'", 1),
            ("update usher.request set role = 'usher_support' where operation = '\(open)'", 1),
            ("update usher.request set of_two = false where operation = '\(request)'", 1),
            ("delete from usher.request where operation = '\(open)'", 1),
            ("insert into usher.request values (gen_random_uuid(), 'usher_admin', false, null)", 1),
            ("insert into usher.note values (gen_random_uuid(), 'public.people', '1')", 1),
            ("update usher.operation set request = null where id = \(change)", 2),
            (
                "update usher.operation set operator = (select operator from usher.operation where id = '\(request)') "
                    + "where id = \(change)", 1
            ),
            (
                "update usher.operation set payload = jsonb_set(payload, '{asks,arguments,tier}', '\"free\"') "
                    + "where id = '\(open)'", 1
            ),
        ] {
            let connection = try forgery.database.connect()
            _ = try connection.execute("begin")
            _ = try connection.execute(Query(unsafe: statements))
            _ = try connection.execute("commit")
            let found = try forgery.database.auditFindings()
            #expect(found.count >= count, "\(statements): \(found)")
            try restore(forgery, request: request, open: open)
            #expect(try forgery.database.auditFindings() == [], "\(statements)")
        }
    }

    /// Restores everything that the test above has changed.
    private func restore(_ forgery: ForgeryLab, request: String, open: String) throws {
        let (admin, change) = (ForgeryLab.login("admin"), "(select id from usher.operation where kind = 'change')")
        try forgery.database.run(
            "delete from usher.request where operation not in ('\(request)', '\(open)')", "delete from usher.note",
            "insert into usher.request values ('\(open)', 'usher_admin', false, null) on conflict do nothing",
            "update usher.request set answer = \(change), of_two = true, role = 'usher_admin' where operation = '\(request)'",
            "update usher.request set answer = null, role = 'usher_admin' where operation = '\(open)'",
            "update usher.operation set request = '\(request)', operator = '\(admin)' where id = \(change)",
            "update usher.operation set payload = jsonb_set(payload, '{asks,arguments,tier}', '\"paid\"') where id = '\(open)'"
        )
    }
}

/// Ids for requests that no test reads again.
enum OtherID {
    static func make() -> String {
        var digits = String(UInt64.random(in: .min ... .max), radix: 16)
        digits = String(repeating: "0", count: 16 - digits.count) + digits
        return "00000000-0000-4000-8000-\(digits.prefix(12))"
    }
}
