import AppFile
import Asking
import EmbeddedSQL
import Foundation
import PQ
import Support
import Testing

/// A function ignores the members of a request that it doesn't know.
///
/// The functions share code, and some of it reads members that only usher itself may set. So each call gets every member that any
/// function reads and that this call doesn't know. Its answer, its error and its records must stay the same.
@Suite(.waiting) struct RequestMemberTests {
    private struct Call {
        let function: String
        let request: String
        /// The members that this call may read.
        let known: Set<String>

        init(_ function: String, _ request: String, known: String) {
            (self.function, self.request) = (function, request)
            self.known = Set(known.split(separator: " ").map(String.init)).union(["reason", "ticket", "arguments"])
        }

        var takesTwo: Bool { request.contains("tier give") }

        func statement(adding members: some Sequence<String>, as value: String) -> Query {
            let added = members.map { "\"\($0)\": \(value), " }.joined()
            return Query(unsafe: "select to_jsonb(a) from usher.\(function)('{\(added)\(request)}') a")
        }
    }

    /// The members that the functions read, from any JSON.
    private static let members: Set<String> = {
        let files = EmbeddedSQL.paths(below: "usher/").map { EmbeddedSQL.text(of: $0) }
        return files.reduce(into: []) { members, text in
            for match in text.matches(of: #/(?:->>?|\?) '(\w+)'/#) { members.insert(String(match.1)) }
            for match in text.matches(of: #/(?:#>>?|-) '\{([\w,]+)\}'/#) {
                members.formUnion(match.1.split(separator: ",").map(String.init))
            }
        }
    }()

    /// What the transaction of a call recorded.
    private static let records: Query = """
        with own as (select o.id from usher.operation o where o.transaction = pg_current_xact_id_if_assigned())
        select concat_ws(
            ' ', (select jsonb_agg(jsonb_build_array(o.kind, o.outcome, o.command, o.app, o.parent, o.undoes, o.request, o.root,
                                                     o.subjects, o.payload) order by o.kind, o.id)
                    from usher.operation o where o.id in (select id from own)),
            (select jsonb_agg(c.payload order by c.ordinal) from usher.change c where c.operation in (select id from own)),
            (select jsonb_agg(s.key order by s.ordinal) from usher.subject s where s.operation in (select id from own)),
            (select jsonb_agg(to_jsonb(r) order by r.operation) from usher.request r),
            (select jsonb_agg(to_jsonb(n) order by n.operation) from usher.note n),
            (select jsonb_agg(jsonb_build_array(e.operation, e.root, e.standing, e.gone, e.back) order by e.operation)
               from usher.erasure e),
            (select count(*) from usher.operation o where o.payload is null))
        """

    @Test(arguments: sample(["test", "production"])) func callIgnoresMembersOfOtherCalls(environment: String) throws {
        let forgery = try ForgeryLab(environment: environment)
        let calls = try calls(in: forgery)
        #expect(
            Self.members.isSuperset(of: ["asked", "guarded", "parent", "position", "resumes", "selections", "tolerant"])
        )
        var answers: [String: Set<String>] = [:]
        for call in calls {
            var errors: [String]? = []
            for role in ForgeryLab.roles + ["nobody"] {
                let alone = try answer(to: call, as: role, in: forgery)
                // Nil after a call that succeeds.
                errors = alone.prefixMatch(of: #/[0-9A-Z]{5} /#) == nil ? nil : errors.map { $0 + [alone] }
                answers[call.function, default: []].insert(String(alone.prefix(5)))
                let added = Self.members.subtracting(call.known).sorted()
                for value in values(in: forgery).prefix(isDeep ? .max : 1) {
                    if try answer(to: call, as: role, in: forgery, adding: added, value) == alone { continue }
                    let guilty = try added.filter {
                        try answer(to: call, as: role, in: forgery, adding: [$0], value) != alone
                    }
                    Issue.record("\(call.function) \(call.request) as \(role) reads \(guilty) if they are \(value)")
                }
            }
            // An action that needs two people can be requested only in production, and run at once only elsewhere.
            let isRefused = call.takesTwo && (environment == "production") != (call.function == "ask")
            #expect((errors != nil) == isRefused, "\(call.function) \(call.request): \(errors?.first ?? "")")
        }
        // Each function refuses a role without rights.
        #expect(answers.allSatisfy { $0.value.contains { $0.hasPrefix("42501") } && $0.value.count > 1 }, "\(answers)")
    }

    private func values(in forgery: ForgeryLab) -> [String] {
        let inner = Self.members.sorted().map { "\"\($0)\": \"1\"" }.joined(separator: ", ")
        return [
            "true", "1", #""1""#, #"["1"]"#, #""deletion""#, #""state""#, "\"\(LedgerLab.id(1))\"", "{\(inner)}",
            #"{"plan": "x:y", "changed": true, "usual": ["score"]}"#,
        ]
    }

    /// The answer and the records of a call that is rolled back, or its error.
    private func answer(
        to call: Call, as role: String, in forgery: ForgeryLab, adding members: [String] = [], _ value: String = "null"
    ) throws -> String {
        let answer = try forgery.database.session(user: ForgeryLab.login(role)) { connection in
            var answer = ""
            for _ in 0..<20 {
                do throws(PQError) {
                    _ = try connection.execute(Query(unsafe: ForgeryLab.begin))
                    answer = ""
                    for statement in [call.statement(adding: members, as: value), Self.records] {
                        answer += try connection.execute(statement).rows.first?.values.first?.text ?? "nothing"
                    }
                } catch {
                    answer = "\(Failure(error).state?.rawValue ?? "") \(error)"
                }
                _ = try connection.execute("rollback")
                if !answer.hasPrefix("40001") { break }
            }
            return answer
        }
        // Times and random digests differ in each call.
        return
            answer
            .replacing(#/\d{4}-\d\d-\d\d[ T]\d\d:\d\d:[\d.]+\+00(:00)?/#, with: "TIME")
            .replacing(#/"(fingerprint|plan|claim|secret)": "[^"]*"/#, with: "RANDOM")
            .replacing(#/"digests": \{[^}]*\}/#, with: "RANDOM")
    }

    private static let why = #""reason": "why not""#
    private static let root = #""app": "lab", "root": {"schema": "public", "table": "people", "key": "id"}"#

    private static func own(_ number: Int) -> String { "\"id\": \"\(LedgerLab.id(number))\", \(why)" }

    /// The id and the reason of the next operation.
    private static let next = own(9)

    private func app(in forgery: ForgeryLab) -> String {
        #""app": "lab", "digest": "\#(forgery.lab.app.digest)", "kind": "action""#
    }

    private func paid(in forgery: ForgeryLab) -> String {
        #"\#(app(in: forgery)), "name": "tier set", "keys": ["2"], "arguments": {"tier": "paid"}"#
    }

    /// A call of each function that changes data, with the operations and requests that it needs.
    private func calls(in forgery: ForgeryLab) throws -> [Call] {
        try forgery.database.run("grant select, insert, delete on people to usher_eraser")
        let app = app(in: forgery)
        func committed(_ role: String, _ function: String, _ request: String) throws {
            #expect(try forgery.result(role, inOne: ForgeryLab.ask(function, "{\(request)}")) != nil)
        }
        try committed("support", "run", #"\#(Self.own(1)), \#(app), "name": "score raise", "keys": ["1"]"#)
        try committed("support", "begin", #"\#(Self.own(2)), \#(app), "name": "score raise", "keys": ["2", "1"]"#)
        try committed("support", "batch", #"\#(Self.own(3)), "operation": "\#(LedgerLab.id(2))", "size": 1"#)
        try committed("support", "ask", Self.own(4) + ", " + paid(in: forgery))
        try committed(
            "admin", "run",
            #"\#(Self.own(6)), \#(app), "name": "tier set", "keys": ["1"], "arguments": {"tier": "paid"}"#)
        let erase =
            #"select claim from usher.erase('{"operation": "\#(LedgerLab.id(5))", \#(Self.root), "keys": ["3"], \#(Self.why)}')"#
        let claim = try #require(try forgery.result("eraser", inOne: erase, "delete from people where id = 3"))
        return actionCalls(in: forgery) + requestCalls(in: forgery) + deletionCalls(restoring: claim)
    }

    private func actionCalls(in forgery: ForgeryLab) -> [Call] {
        let (app, paid) = (app(in: forgery), paid(in: forgery))
        let action = "id app digest kind name keys now dry request moved "
        let undo = "id now dry request moved keys "
        return [
            Call(
                "run", #"\#(Self.next), \#(app), "name": "score raise", "keys": ["1"]"#,
                known: action + "plan confirmed tolerant"),
            Call("run", Self.next + ", " + paid, known: action + "plan confirmed tolerant"),
            Call(
                "run", #"\#(Self.next), "request": "\#(LedgerLab.id(4))", \#(paid)"#,
                known: action + "plan confirmed tolerant"),
            Call(
                "run", #"\#(Self.next), \#(app), "name": "tier give", "keys": ["1"], "arguments": {"tier": "paid"}"#,
                known: action + "plan confirmed tolerant"),
            Call(
                "undo", #"\#(Self.next), "operation": "\#(LedgerLab.id(1))""#,
                known: undo + "operation except plan confirmed tolerant"),
            Call(
                "undo", #"\#(Self.next), "operation": "\#(LedgerLab.id(3))""#,
                known: undo + "operation except plan confirmed tolerant"),
            Call(
                "begin",
                #"\#(Self.next), \#(app), "name": "tier set", "keys": ["1", "2"], "arguments": {"tier": "paid"}"#,
                known: action + "selections missing undoes resumes"),
            Call(
                "begin",
                #"\#(Self.next), \#(app), "name": "tier give", "keys": ["1", "2"], "arguments": {"tier": "paid"}"#,
                known: action + "selections missing undoes resumes"),
            Call(
                "begin", #"\#(Self.next), \#(app), "name": "score raise", "resumes": "\#(LedgerLab.id(2))""#,
                known: action + "selections missing undoes resumes"),
            Call("begin", #"\#(Self.next), "undoes": "\#(LedgerLab.id(2))""#, known: undo + "undoes missing resumes"),
            Call(
                "batch", #"\#(Self.next), "operation": "\#(LedgerLab.id(2))", "size": 1"#,
                known: "id operation size secrets"),
        ]
    }

    private func requestCalls(in forgery: ForgeryLab) -> [Call] {
        let app = app(in: forgery)
        return [
            Call(
                "ask", #"\#(Self.next), \#(app), "name": "tier set", "keys": ["1"], "arguments": {"tier": "paid"}"#,
                known: "id app digest kind name keys selections dry operation"),
            Call(
                "ask", #"\#(Self.next), \#(app), "name": "tier give", "keys": ["1"], "arguments": {"tier": "paid"}"#,
                known: "id app digest kind name keys selections dry operation"),
            Call(
                "ask", #"\#(Self.next), "operation": "\#(LedgerLab.id(6))""#,
                known: "id operation except kind keys dry"),
            Call(
                "ask", #"\#(Self.next), "app": "lab", "kind": "deletion", "keys": ["1"]"#,
                known: "id app kind keys dry"),
            Call(
                "answer", #"\#(Self.next), "request": "\#(LedgerLab.id(4))", "answer": "decline""#,
                known: "id request answer"),
            Call(
                "answer", #"\#(Self.next), "request": "\#(LedgerLab.id(4))", "answer": "withdraw""#,
                known: "id request answer"),
            Call("note", #"\#(Self.next), "app": "lab", "key": "1", "text": "called""#, known: "id app key text"),
        ]
    }

    private func deletionCalls(restoring claim: String) -> [Call] {
        let reported = " operation parent app root keys target total plan because deletion archive"
        return [
            Call(
                "erase", #""operation": "\#(LedgerLab.id(9))", \#(Self.root), "keys": ["1"], \#(Self.why)"#,
                known: reported),
            Call(
                "restore", #""operation": "\#(LedgerLab.id(9))", "app": "lab", "claim": \#(claim), \#(Self.why)"#,
                known: reported + " claim"),
            Call(
                "record_deletion_step",
                #""part": "begin", "operation": "\#(LedgerLab.id(9))", \#(Self.root), "keys": ["1"], \#(Self.why)"#,
                known: reported + " part outcome"),
        ]
    }
}
