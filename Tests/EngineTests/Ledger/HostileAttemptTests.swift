import Accounts
import Asking
import Catalog
import Changes
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Operators can write any payload into an attempt, and everybody can still read the audit log.
@Suite(.waiting) struct HostileAttemptTests {
    private static let kinds = [
        "change", "undo", "erasure", "restore", "bulk", "batch", "end", "install", "request", "answer",
        "note",
    ]
    /// The JSON members of a payload that queries on the audit log read.
    private static let keys = [
        "acts", "answered", "archive", "arguments", "asked_by", "asks", "at", "attempt", "because", "changed", "claim",
        "decisions", "deletion", "done", "environment", "erased", "files", "final", "hint", "kind", "last",
        "list", "listed", "missing", "name", "now", "objects", "others", "preview", "reason", "refused", "remains",
        "selections", "target", "text", "ticket", "total", "unasked", "user", "users", "words", "written",
    ]
    /// The members that these queries read inside another member.
    private static let inner = [
        "arguments", "before", "bytes", "command", "decision", "digests", "keys", "kind", "name", "outcomes", "rows",
        "selections", "size", "undoes", "user",
    ]
    private static let outer = ["answered", "arguments", "asks", "decisions", "files", "list", "preview", "written"]
    private static let shapes = [
        "null", "true", "5", "1.5", "-1", "0", "1e300", "123456789012345678901234567890", #""""#, #""x""#, #""1""#,
        #""\u001b[2J\u202e""#, "[]", "[1]", #"["a", null]"#, "[[[]]]", "{}", #"{"a": 1}"#, #"{"": null, "a": [{}]}"#,
    ]

    /// Records attempts as an earlier version did, without checking the payload.
    private func record(_ payloads: String, in lab: RequestLab) throws {
        try lab.database.run(
            """
            insert into usher.operation (id, kind, outcome, command, app, digest, salt, payload)
            select md5(p.kind || p.payload::text)::uuid, p.kind,
                   (array['refused', 'declined', 'failed', 'lost'])[1 + abs(hashtext(p.payload::text)::bigint) % 4],
                   'tier set', 'lab', sha256(s.salt || convert_to(p.payload::text, 'UTF8')), s.salt, p.payload
              from (\(payloads)) p (kind, payload)
             cross join (select uuid_send(gen_random_uuid()) as salt) s
                on conflict do nothing
            """)
    }

    /// Runs every query on the audit log for a user whom all attempts name.
    private func readAll(_ lab: RequestLab, shown: String) throws {
        for member in [lab.owner, lab.support] {
            func connect() throws -> Connection { try member.connect() }
            let verification = try Audit.verify(head: nil, on: try connect(), options: InquiryOptions())
            #expect(verification.problems.map(\.detail) == [])
            for user in [nil, "1"] {
                let filter = ListOptions(limit: 1_000_000, user: user)
                let listed = try Audit.list(
                    filter, on: try connect(), candidates: [lab.owner.app], options: InquiryOptions())
                #expect(listed.rows.count > 100)
            }
            let timeline = try Inquiry.open(
                on: try connect(), candidates: [lab.owner.app], options: InquiryOptions(), for: .users
            ).timeline(of: "1", since: nil, limit: 1_000_000)
            #expect(timeline.unavailable.map { "\($0.source): \($0.reason.sentence)" } == [])
            #expect(timeline.events.count > 100)
            let report = try UserQuestion(user: "1", wantsEverything: true)
                .ask(on: try connect(), candidates: [lab.owner.app], options: InquiryOptions())
            #expect(report.inbox?.unavailable.map { "\($0.name): \($0.reason.sentence)" } ?? [] == [])
            _ = try report.desk?.get()
            _ = try FiledRequest.list(
                all: true, about: ["1"], limit: 1000, on: try connect(), options: InquiryOptions())
            let connection = try connect()
            for id in try lab.owner.rows(shown).compactMap({ $0[0] }) {
                let operation = try Audit.operation(id, on: connection, options: InquiryOptions())
                try operation.changes(as: .columns) { _ in }
                let undoing = try failure { try member.undo(id) }
                #expect(undoing.kind != .failed, "\(id): \(undoing)")
            }
        }
        // A deletion of the user also erases attempts.
        let owner = try lab.owner.connect()
        _ = try owner.execute("begin")
        _ = try owner.execute(
            """
            select usher.erase('{"operation": "\(unsafe: LedgerLab.id(1))", "app": "lab", "reason": "asked", "keys": ["1"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}')
            """)
        _ = try owner.execute("rollback")
    }

    @Test func auditQueriesReadEveryKindOfRecordedAttempt() throws {
        let lab = try RequestLab()
        let about = #"{"attempt": true, "users": ["1"], "target": "one@example.com"}"#
        try record(
            """
            select k.kind, '\(about)'::jsonb || jsonb_build_object(m.name, s.shape::jsonb)
              from unnest(\(arrayLiteral(Self.kinds).quoted)::text[]) k (kind)
             cross join unnest(\(arrayLiteral(Self.keys).quoted)::text[]) m (name)
             cross join unnest(\(arrayLiteral(Self.shapes).quoted)::text[]) s (shape)
            """, in: lab)
        try record(
            """
            select (\(arrayLiteral(Self.kinds).quoted)::text[])[1 + abs(hashtext(o.name || i.name || s.shape)::bigint) % \(Self.kinds.count)],
                   '\(about)'::jsonb || jsonb_build_object(o.name, case when w.in_list then jsonb_build_array(v.value) else v.value end)
              from unnest(\(arrayLiteral(Self.outer).quoted)::text[]) o (name)
             cross join unnest(\(arrayLiteral(Self.inner).quoted)::text[]) i (name)
             cross join unnest(\(arrayLiteral(sample(Self.shapes)).quoted)::text[]) s (shape)
             cross join (values (true), (false)) w (in_list)
             cross join lateral (select jsonb_build_object('user', '1', i.name, s.shape::jsonb) as value) v
            """, in: lab)
        let bare = Self.shapes + [#"["users"]"#, #"["users", "listed", "list", "target"]"#]
        try record(
            """
            select k.kind, s.shape::jsonb || '{"attempt": true}'
              from unnest(\(arrayLiteral(Self.kinds).quoted)::text[]) k (kind)
             cross join unnest(\(arrayLiteral(bare).quoted)::text[]) s (shape)
            """, in: lab)
        try readAll(
            lab, shown: "select id from usher.operation order by md5(id::text) limit \(isDeep ? 300 : 15)")
    }

    /// `usher.attempt` records only known members, and only values of the expected types.
    @Test func recordedAttemptContainsOnlyKnownFields() throws {
        let lab = try RequestLab()
        let support = try lab.support.connect()
        let odd =
            #"{"listed": 1.5, "list": {"size": 0}, "users": [1], "arguments": {"a": [1]}, "total": "1", "final": 1}"#
        let expected =
            #"{"users": ["1"], "arguments": {"a": "1"}, "total": 5, "final": true, "target": "x", "cut": false}"#
        for (number, payload) in ([odd, expected, "5", "null", #"["users"]"#] + Self.shapes).enumerated() {
            _ = try support.execute(
                """
                select usher.attempt(\(LedgerLab.id(number + 1))::uuid, 'bulk', 'refused', 'trial expire', 'lab',
                                     \(payload)::jsonb)
                """)
        }
        let recorded = try lab.owner.rows("select payload from usher.operation order by id").map { $0[0] ?? "" }
        let bare = #"{"attempt": true}"#
        #expect(recorded.filter { $0 == bare }.count == recorded.count - 1)
        #expect(
            recorded[1]
                == #"{"cut": false, "final": true, "total": 5, "users": ["1"], "target": "x", "attempt": true, "#
                + #""arguments": {"a": "1"}}"#)
        #expect(try lab.owner.isIntact())
    }

    /// A text with invalid bytes would block the sealing of all operations.
    @Test func attemptWithInvalidBytesIsNotRecorded() throws {
        let lab = try LedgerLab(encoding: "SQL_ASCII")
        let clerk = try lab.database.connect(user: LedgerLab.clerk)
        for (command, app) in [(#"E'\xff'"#, "'lab'"), ("'x'", #"E'\xff'"#)] {
            let attempt: Query = """
                select usher.attempt(gen_random_uuid(), 'change', 'failed', \(unsafe: command), \(unsafe: app), null)
                """
            let error = try #require(throws: PQError.self) { _ = try clerk.execute(attempt) }
            #expect(Failure(error).state == .characterNotInRepertoire)
        }
        _ = try clerk.execute("select usher.attempt(gen_random_uuid(), 'change', 'failed', 'x', 'lab', null)")
        #expect(try lab.seal() != nil)
        #expect(try lab.findings() == [])
    }

    /// The owner can write any row: `audit verify` names an unreadable row, and verifies the other rows.
    @Test func auditVerifyContinuesAfterAnUnreadableRow() throws {
        let lab = try LedgerLab(encoding: "SQL_ASCII")
        try lab.database.run(
            """
            insert into usher.operation (id, kind, outcome, command, digest)
            values ('\(LedgerLab.id(1))', 'change', 'failed', E'\\xff', '')
            """,
            """
            insert into usher.operation (id, kind, outcome, command, digest, payload)
            select ('\(LedgerLab.id(2).dropLast())' || p.number)::uuid, 'bulk', 'committed', 'x', '', p.payload::jsonb
              from (values (2, '{"listed": 1.5}'), (3, '{"listed": "many"}'), (4, '{"list": 5}'),
                           (5, '{"list": {"size": 0, "digests": {}}}'), (6, '{"list": {"size": "x", "digests": {"1": "2"}}}'))
                   p (number, payload)
            """)
        let problems = try lab.problems()
        #expect(problems.filter { $0 == "unreadable" }.count == 1)
        #expect(problems.filter { $0.hasPrefix("bulk") } == ["bulk 2", "bulk 3", "bulk 4", "bulk 6"])
        #expect(problems.contains("payload 1"))
    }

    /// The client reports the result of each batch of a deletion; any report must be readable.
    @Test func unfinishedDeletionIsFoundDespiteInvalidBatchEntries() throws {
        let lab = try RequestLab()
        try lab.database.run(
            """
            insert into usher.operation (id, kind, outcome, command, digest, root, subjects, payload)
            values ('\(LedgerLab.id(1))', 'bulk', 'committed', 'account delete', '', 'public.people', '{1}', '{"arguments": 5}')
            """,
            """
            insert into usher.operation (id, kind, outcome, command, digest, parent, payload)
            select md5(m.name || s.shape || w.in_list)::uuid, 'batch', 'committed', 'account delete', '', '\(LedgerLab.id(1))',
                   jsonb_build_object(m.name, case when w.in_list then jsonb_build_array(v.value) else v.value end)
              from (values ('arguments', '{delete public.people,suspected}'::text[]), ('written', '{table,rows,removed}')) m (name, members)
             cross join unnest(m.members) n (name)
             cross join unnest(\(arrayLiteral(Self.shapes).quoted)::text[]) s (shape)
             cross join (values (true), (false)) w (in_list)
             cross join lateral (values (s.shape::jsonb), (jsonb_build_object(n.name, s.shape::jsonb))) v (value)
                on conflict do nothing
            """)
        let connection = try lab.owner.connect()
        let unfinished: [BoundValue] = [BoundValue(["1"]), .text("people"), .text("public")]
        let found = try connection.execute(Query(file: "catalog/deletion_unfinished.sql", values: unfinished))
        #expect(try found.rows.map { try $0.text("id") }.contains(LedgerLab.id(1)))
    }

    /// Attempts with several random members; a seed determines the members.
    @Test(.long) func auditQueriesReadAttemptsWithRandomJSONPayloads() throws {
        let lab = try RequestLab()
        for seed in 1...300 as ClosedRange<UInt64> {
            var random = SplitMix(state: seed)
            let payload = object(&random, depth: 0)
            let kind = Self.kinds.randomElement(using: &random) ?? "change"
            try record("values ('\(kind)', '\(payload.quotedInside)'::jsonb)", in: lab)
        }
        try readAll(lab, shown: "select id from usher.operation order by md5(id::text) limit \(isDeep ? 300 : 15)")
    }

    private func object(_ random: inout SplitMix, depth: Int) -> String {
        let names = depth == 0 ? Self.keys : Self.keys + Self.inner
        var members = (0..<Int.random(in: 1...6, using: &random)).map { _ in
            "\"\(names.randomElement(using: &random) ?? "")\": \(value(&random, depth: depth + 1))"
        }
        if depth == 0 { members.append(#""attempt": true"#) }
        if depth == 0, Bool.random(using: &random) { members += [#""users": ["1"]"#, #""target": "one@example.com""#] }
        return "{\(members.joined(separator: ", "))}"
    }

    private func value(_ random: inout SplitMix, depth: Int) -> String {
        switch depth < 4 ? Int.random(in: 0...3, using: &random) : 3 {
        case 0: object(&random, depth: depth)
        case 1:
            "["
                + (0..<Int.random(in: 0...3, using: &random)).map { _ in value(&random, depth: depth + 1) }
                .joined(separator: ", ") + "]"
        default: Self.shapes.randomElement(using: &random) ?? "null"
        }
    }
}

extension String {
    fileprivate var quotedInside: String { replacing("'", with: "''") }
    fileprivate var quoted: String { "'\(quotedInside)'" }
}
