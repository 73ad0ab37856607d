import AppFile
import Asking
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// `audit list` and `audit show` print operations with their outcomes.
@Suite struct AuditTests {
    private static let ada = "ada@example.com"

    private func list(_ lab: LedgerLab, _ filter: ListOptions = ListOptions(limit: 100)) throws -> [Row] {
        try Audit.list(
            filter, on: try lab.database.connect(user: LedgerLab.owner), candidates: [], options: InquiryOptions()
        ).rows
    }

    /// The outcome of each operation, by the last digit of its id, the latest first.
    private func outcomes(_ lab: LedgerLab) throws -> [String] {
        try list(lab).map { try String($0.text("id").suffix(1)) + " " + $0.text("outcome") }
    }

    private func record(
        _ lab: LedgerLab, _ number: Int, _ kind: Ledger.Entry.Kind = .change,
        _ outcome: Ledger.Entry.Outcome = .committed, parent: Int? = nil, undoes: Int? = nil, payload: String = "{}",
        changes: [String] = []
    ) throws {
        try lab.commit(
            Ledger.Entry(
                id: LedgerLab.id(number), kind: kind, outcome: outcome, command: "partner grant", app: "lab",
                parent: parent.map(LedgerLab.id), payload: payload),
            undoing: undoes.map(LedgerLab.id), changes: changes)
    }

    // MARK: Lists

    @Test func auditListKeepsItsJSONFields() throws {
        let lab = try LedgerLab()
        try record(
            lab, 1, payload: #"{"target": "ada@example.com", "users": ["17"], "reason": "because", "ticket": "T-1"}"#,
            changes: ["{}", "{}"])
        let row = try #require(try list(lab).first)
        #expect(
            row.columns.map(\.name) == [
                "id", "at", "operator", "command", "target", "outcome", "reason", "ticket", "changes",
                "erased_by",
            ])
        #expect(try row.text("operator") == LedgerLab.clerk)
        #expect(try row.text("command") == "partner grant")
        #expect(try row.text("target") == Self.ada)
        #expect(try row.text("reason") == "because")
        #expect(try row.text("ticket") == "T-1")
        #expect(try row.integer("changes") == 2)
    }

    @Test func auditListDerivesTheOutcomeOfAnOperation() throws {
        let lab = try LedgerLab()
        try record(lab, 1)
        try record(lab, 2, .change, .refused)
        try record(lab, 3, .change, .failed)
        try record(lab, 4, .change, .lost)
        #expect(try outcomes(lab) == ["4 lost", "3 failed", "2 refused", "1 committed"])
        try record(lab, 5, .undo, .refused, undoes: 1)
        #expect(try outcomes(lab).last == "1 committed", "a refused undo changes no outcome")
        try record(lab, 6, .undo, undoes: 1)
        #expect(try outcomes(lab).last == "1 undone")
        try record(lab, 7, .undo, undoes: 6)
        #expect(try outcomes(lab).last == "1 committed")
        #expect(try outcomes(lab).prefix(2) == ["7 committed", "6 undone"])
        try record(lab, 8, .undo, undoes: 7)
        #expect(try outcomes(lab).last == "1 undone")
    }

    @Test func timelineShowsARefusedAttempt() throws {
        let lab = try LedgerLab()
        _ = try lab.database.connect(user: LedgerLab.clerk).execute(
            Ledger.attempt(LedgerLab.entry(1, .change, .refused, payload: #"{"users": ["17"]}"#)))
        #expect(try outcomes(lab) == ["1 refused"])
        let query = Audit.query("timeline", ["17", nil, "9", nil])
        let event = try lab.database.connect(user: LedgerLab.owner).execute(query).only()
        #expect(try event.text("detail").hasPrefix("refused, by \(LedgerLab.clerk)"))
        #expect(try lab.findings() == [])
    }

    /// The audit log has 40,000 operations, and a user appears in them under several names.
    @Test func auditListOfAUserUsesAnIndex() throws {
        let lab = try LedgerLab()
        try lab.database.run(
            """
            insert into usher.operation (id, kind, outcome, command, root, subjects, digest, payload)
            select gen_random_uuid(), 'change', 'committed', 'trial extend', 'public.people', array[n::text], '',
                   jsonb_build_object('users', array[n::text], 'target', 'user' || n || '@example.com')
              from generate_series(1, 20000) n
            """,
            """
            insert into usher.operation (id, kind, outcome, command, digest, payload)
            select gen_random_uuid(), 'change', 'refused', 'trial extend', '', jsonb_build_object('users', array[n::text])
              from generate_series(1, 20000) n
            """, "analyze usher.operation")
        func plan(_ names: String?) throws -> String {
            let query = Audit.query("list", [nil, nil, names, "50", nil])
            return try lab.database.connect().execute(
                Query(unsafe: "explain (costs off) " + query.sql, query.parameters)
            ).rows.compactMap { $0.values[0].text }.joined(separator: "\n")
        }
        let ofOne = try plan("{11000,user11000@example.com}")
        for index in ["operation_subjects", "operation_users", "operation_target", "operation_part"] {
            #expect(ofOne.contains(index), "\(ofOne)")
        }
        #expect(!ofOne.contains("Seq Scan on operation"), "\(ofOne)")
        let ofAll = try plan(nil)
        #expect(ofAll.contains("operation_listed") && !ofAll.contains("Seq Scan on operation"), "\(ofAll)")
    }

    @Test func auditListShowsOperationsThatUndoEachOtherInACycle() throws {
        let lab = try LedgerLab()
        for number in 1...9 { try record(lab, number, .undo, undoes: number % 9 + 1) }
        #expect(try outcomes(lab).count == 9)
        try lab.database.run("analyze usher.operation")
        #expect(try outcomes(lab).count == 9)
    }

    @Test func auditListShowsABulkChangeOnceWithAllItsRows() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .bulk)
        try record(lab, 2, .batch, parent: 1, changes: ["{}", "{}"])
        #expect(try outcomes(lab) == ["1 running"])
        #expect(try list(lab).first?.integer("changes") == 2)
        try record(lab, 3, .end, .partial, parent: 1)
        #expect(try outcomes(lab) == ["1 partial"])
        try record(lab, 4, .batch, parent: 1, changes: ["{}"])
        try record(lab, 5, .end, .committed, parent: 1)
        #expect(try outcomes(lab) == ["1 committed"])
        #expect(try list(lab).first?.integer("changes") == 3)
        try record(lab, 6, .bulk, undoes: 1)
        try record(lab, 7, .batch, parent: 6, undoes: 4)
        #expect(try outcomes(lab) == ["6 running", "1 committed"], "only one of two batches is undone")
        try record(lab, 8, .batch, parent: 6, undoes: 2)
        #expect(try outcomes(lab) == ["6 running", "1 undone"])
        try record(lab, 9, .bulk, .refused)
        #expect(try outcomes(lab).first == "9 refused")
    }

    @Test func auditListFiltersByUserOperatorAndTime() throws {
        let lab = try LedgerLab()
        try record(lab, 1, payload: #"{"target": "Ada@Example.com", "users": ["17"]}"#)
        try record(lab, 2, payload: #"{"target": "3 users", "users": ["17", "18"]}"#)
        try record(lab, 3, .bulk)
        try record(lab, 4, .batch, parent: 3, payload: #"{"users": ["18"]}"#)
        try record(lab, 5, payload: #"{"target": "ada@example.com.au", "users": ["170"]}"#)
        func found(_ filter: ListOptions) throws -> String {
            try list(lab, filter).map { try String($0.text("id").suffix(1)) }.joined()
        }
        #expect(try found(ListOptions(limit: 100)) == "5321")
        #expect(try found(ListOptions(limit: 2)) == "53")
        #expect(try found(ListOptions(limit: 100, user: "17")) == "21")
        #expect(try found(ListOptions(limit: 100, user: "18")) == "32")
        #expect(try found(ListOptions(limit: 100, user: "ADA@example.com")) == "1")
        #expect(try found(ListOptions(limit: 100, operator: LedgerLab.clerk)) == "5321")
        #expect(try found(ListOptions(limit: 100, operator: "clerk")) == "")
        let second = try #require(try list(lab).first { $0.shown("id")?.text == LedgerLab.id(2) }?.shown("at")?.text)
        #expect(try found(ListOptions(limit: 100, since: second)) == "532")
        #expect(try found(ListOptions(limit: 100, since: "1h")) == found(ListOptions(limit: 100, since: "1h ago")))
        let mistake = try failure { _ = try list(lab, ListOptions(limit: 1, since: "yesterdayish")) }
        #expect(mistake.kind == .usage && mistake.message == "--since yesterdayish is not a time", "\(mistake)")
    }

    @Test func auditListFindsAUserUnderEveryNameOfTheUser() throws {
        let lab = try Lab()
        try lab.database.run("alter database \(lab.database.name) owner to current_user")
        let connection = try lab.database.connect()
        for statement in LedgerSchema.transaction + RecordFunctions.all { _ = try connection.execute(statement) }
        for (number, payload) in [#"{"users": ["1"]}"#, #"{"target": "ONE@example.com"}"#, #"{"target": "1"}"#]
            .enumerated()
        {
            _ = try connection.execute(Ledger.record(LedgerLab.entry(number, payload: payload)))
        }
        for name in ["1", "one@example.com", "ONE@example.com"] {
            let rows = try Audit.list(
                ListOptions(limit: 10, user: name), on: connection, candidates: [try Lab.app("")],
                options: InquiryOptions())
            #expect(rows.rows.count == 3, "\(name)")
        }
    }

    // MARK: One operation

    private func operation(_ lab: LedgerLab, _ text: String) throws -> AuditedOperation {
        try Audit.operation(text, on: try lab.database.connect(user: LedgerLab.owner), options: InquiryOptions())
    }

    private func changes(
        _ operation: AuditedOperation, _ shape: AuditedOperation.Shape, limit: Int? = nil
    ) throws -> [[String?]] {
        var rows: [[String?]] = []
        try operation.changes(as: shape, limit: limit) { row in rows.append(row.copy().values.map(\.text)) }
        return rows
    }

    @Test func auditShowListsEveryRowThatAnOperationChanged() throws {
        let lab = try LedgerLab()
        try record(
            lab, 1, payload: #"{"arguments": {"days": 7}, "because": "no", "hint": "do"}"#,
            changes: [
                #"{"table": "public.a", "key": {"id": 1, "b": "x"}, "before": {"n": 1, "t": null}, "after": {"n": 2, "t": "y"}, "user": "1"}"#,
                #"{"table": "public.b", "key": {"id": 2}, "before": null, "after": {"n": 1}, "user": null}"#,
                #"{"table": "public.c", "key": {"id": 3}, "before": {"n": 1}, "after": null}"#,
            ])
        let shown = try operation(lab, LedgerLab.id(1))
        #expect(shown.total == 3)
        #expect(try shown.summary.text("arguments") == #"{"days": 7}"#)
        #expect(try shown.summary.text("because") == "no")
        #expect(try shown.summary.optionalText("seal") == nil)
        #expect(
            try changes(shown, .columns) == [
                ["public.a", "b=x, id=1", "n", "1", "2", nil, nil],
                ["public.a", "b=x, id=1", "t", nil, "y", nil, nil],
                ["public.b", "id=2", "n", nil, "1", nil, nil], ["public.c", "id=3", "n", "1", nil, nil, nil],
            ])
        #expect(
            try changes(shown, .images, limit: 1) == [
                ["public.a", #"{"b": "x", "id": 1}"#, #"{"n": 1, "t": null}"#, #"{"n": 2, "t": "y"}"#, nil]
            ])
        try lab.seal()
        #expect(try operation(lab, LedgerLab.id(1)).summary.text("seal") == "1")
    }

    @Test func auditShowListsTheRowsOfAllBatchesOfABulkChange() throws {
        let lab = try LedgerLab()
        try record(lab, 1, .bulk)
        try record(lab, 2, .batch, parent: 1, changes: [#"{"table": "a"}"#, #"{"table": "b"}"#])
        try record(lab, 3, .batch, parent: 1, changes: [#"{"table": "c"}"#])
        let shown = try operation(lab, LedgerLab.id(1))
        #expect(shown.total == 3)
        #expect(try changes(shown, .images).map(\.[0]) == ["a", "b", "c"])
    }

    @Test func auditShowNamesTheDeletionThatErasedAnOperation() throws {
        let lab = try LedgerLab()
        try record(
            lab, 1, payload: #"{"target": "ada@example.com", "users": ["ada", "bob"]}"#,
            changes: [#"{"table": "a", "after": {"email": "ada@example.com"}}"#, #"{"table": "b", "after": {"n": 1}}"#])
        _ = try lab.forget(2)
        let shown = try operation(lab, LedgerLab.id(1))
        #expect(try shown.summary.text("erased_by") == LedgerLab.id(2))
        #expect(try shown.summary.optionalText("target") == nil)
        #expect(try changes(shown, .images).map { $0[$0.count - 1] } == [LedgerLab.id(2), nil])
        #expect(try changes(shown, .columns).map { $0[$0.count - 1] } == [LedgerLab.id(2), nil])
    }

    @Test func auditShowNamesTheCurrentUndoOfAnOperation() throws {
        let lab = try LedgerLab()
        try record(lab, 1)
        try record(lab, 2, .undo, undoes: 1)
        #expect(try operation(lab, LedgerLab.id(1)).summary.text("undone_by") == LedgerLab.id(2))
        #expect(try operation(lab, LedgerLab.id(2)).summary.text("undoes") == LedgerLab.id(1))
        try record(lab, 3, .undo, undoes: 2)
        #expect(try operation(lab, LedgerLab.id(1)).summary.optionalText("undone_by") == nil)
    }

    @Test func auditShowFindsAnOperationByAUniquePrefix() throws {
        let lab = try LedgerLab()
        let ids = [
            "abcdef01-0000-4000-8000-000000000001", "abcdef01-0000-4000-8000-100000000001",
            "abcdef02-0000-4000-8000-000000000001",
        ]
        for id in ids {
            try lab.commit(Ledger.Entry(id: id, kind: .change, outcome: .committed, command: "x"))
        }
        #expect(try operation(lab, "abcdef02").id == ids[2])
        #expect(try operation(lab, "ABCDEF02-0000").id == ids[2])
        #expect(try operation(lab, "abcdef01-0000-4000-8000-1").id == ids[1])
        #expect(try operation(lab, ids[0]).id == ids[0])
        let ambiguous = try failure { _ = try operation(lab, "abcdef01") }
        #expect(ambiguous.message == "the ids of 2 operations begin with abcdef01" && ambiguous.details.count == 2)
        for text in [
            "abcdef03", "abcdef0", "", "no id at all", "abcdef02%", String(repeating: "a", count: 33), "--------",
        ] {
            #expect(try failure { _ = try operation(lab, text) }.kind == .notFound, "\(text)")
        }
    }

    // MARK: Verifying

    @Test func auditVerifyReportsCountsAndNamesBrokenOperations() throws {
        let lab = try LedgerLab()
        try record(lab, 1, payload: #"{"target": "ada@example.com", "users": ["ada", "bob"]}"#, changes: ["{}", "{}"])
        _ = try lab.forget(2)
        let head = try #require(try lab.seal())
        try record(lab, 3)
        func verify(_ head: String? = nil) throws -> AuditVerification {
            try Audit.verify(head: head, on: try lab.database.connect(user: LedgerLab.owner), options: InquiryOptions())
        }
        let whole = try verify(head)
        #expect(whole.head == head)
        #expect(whole.operations == 3)
        #expect(whole.changes == 2)
        #expect(whole.unsealed == 1)
        #expect(whole.seals == 1)
        #expect(whole.erasures.map(\.operation) == [LedgerLab.id(2)])
        #expect(whole.erasures.map(\.rows) == [1])
        #expect(whole.problems.isEmpty)
        try lab.database.run("update usher.change set payload = '[]' where ordinal = 2")
        let broken = try #require(try verify().problems.first)
        #expect(broken.operation == LedgerLab.id(1))
        #expect(broken.detail.contains("change 2"))
        #expect(try verify(String(repeating: "0", count: 64)).problems.map(\.kind).contains("head"))
        for text in ["", "abc", String(repeating: "g", count: 64)] {
            #expect(try failure { _ = try verify(text) }.kind == .usage)
        }
    }

    // MARK: Without an audit log, or without the right to read it

    @Test func auditListSuggestsInstallIfThereIsNoAuditLog() throws {
        let database = try TestCluster.emptyDatabase()
        let connection = try database.connect()
        let refused = try failure {
            _ = try Audit.list(ListOptions(limit: 1), on: connection, candidates: [], options: InquiryOptions())
        }
        #expect(refused.code == Ledger.noLedger)
        #expect(
            try failure { _ = try Audit.operation("abcdef01", on: connection, options: InquiryOptions()) }.kind
                == .refused)
        #expect(
            try failure { _ = try Audit.verify(head: nil, on: connection, options: InquiryOptions()) }.kind == .refused)
    }

    @Test func auditListNeedsTheRightToReadTheAuditLog() throws {
        let lab = try LedgerLab()
        let connection = try lab.database.connect(user: LedgerLab.clerk)
        let forbidden = try failure {
            _ = try Audit.list(ListOptions(limit: 1), on: connection, candidates: [], options: InquiryOptions())
        }
        #expect(forbidden.kind == .forbidden)
    }

    @Test func usherNeverCallsFunctionsOfAForeignAuditLog() throws {
        let database = try TestCluster.emptyDatabase()
        try database.makeRole("trap_setter")
        try database.run("create schema usher authorization trap_setter", "create table trapped (by text)")
        let setter = try database.connect(user: "trap_setter")
        _ = try setter.execute("create table usher.operation (payload jsonb)")
        for signature in ["version() returns integer", "outcome(uuid) returns text"] {
            _ = try setter.execute(
                Query(
                    unsafe: "create function usher." + signature
                        + " language plpgsql as $$ begin raise exception 'trapped'; end $$"))
        }
        let connection = try database.connect()
        let refused = try failure {
            _ = try Audit.verify(head: nil, on: connection, options: InquiryOptions())
        }
        #expect(refused.kind == .refused)
        let findings = try Doctor.examine(connection, candidates: [], options: InquiryOptions()) { 0 }
        #expect(findings.contains { $0.topic == "audit" && $0.message.hasPrefix("not installed") })
    }

    // MARK: The timeline

    @Test func timelineShowsTheOperationsOnAUser() throws {
        let sample = try Sample()
        let key = try sample.ask("grace@example.com").user.key
        let connection = try sample.database.connect()
        for statement in RecordFunctions.all { _ = try connection.execute(statement) }
        let payload = #"{"users": ["\#(key)"], "reason": "asked for", "ticket": "T-9"}"#
        for entry in [
            LedgerLab.entry(1, payload: payload), LedgerLab.entry(2, payload: #"{"users": ["somebody"]}"#),
            LedgerLab.entry(3, .bulk),
        ] {
            _ = try connection.execute(Ledger.record(entry))
        }
        let batch = Ledger.Entry(
            id: LedgerLab.id(4), kind: .batch, outcome: .committed, command: "trial expire", parent: LedgerLab.id(3),
            payload: payload)
        _ = try connection.execute(Ledger.record(batch))
        func events(as role: String? = nil) throws -> TimelineReport {
            try Inquiry.open(
                on: try sample.database.connect(user: role), candidates: [sample.app], options: InquiryOptions(),
                for: .users
            ).timeline(of: "grace@example.com", since: nil, limit: 1000)
        }
        // A clone has another owner than its schema, so usher doesn't trust the audit log.
        #expect(try events().events.allSatisfy { $0.source != "usher" })
        try sample.database.run("alter schema usher owner to current_user")
        let why = try events().unavailable.map(\.reason)
        #expect(why.isEmpty, "\(why)")
        let operations = try events().events.filter { $0.source == "usher" }
        #expect(operations.map(\.kind.text) == ["bulk", "change"])
        let detail = try #require(operations.last?.detail.text)
        for part in ["committed", "asked for", "T-9", "operation " + LedgerLab.id(1).prefix(8)] {
            #expect(detail.contains(part), "\(part)")
        }
        #expect(try events(as: "operator").unavailable.isEmpty)
    }
}
