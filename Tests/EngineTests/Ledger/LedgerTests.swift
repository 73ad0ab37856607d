import Asking
import Inquiries
import Ledger
import PQ
import Support
import Testing

/// Only some roles can call the functions of the schema `usher`, which record operations.
///
/// `audit verify` finds tampering with the records.
@Suite struct LedgerTests {
    /// The functions contain only characters that exist in every encoding.
    @Test(arguments: ["LATIN1", "SQL_ASCII", "EUC_JP"])
    func usherSchemaCanBeInstalledInEveryEncoding(encoding: String) throws {
        let lab = try LedgerLab(encoding: encoding)
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["17"]}"#), changes: ["{}"])
        #expect(try lab.seal() != nil)
        #expect(try lab.findings() == [])
        let owner = try lab.database.connect(user: LedgerLab.owner)
        #expect(try owner.execute(Audit.query("timeline", ["17", nil, "9", nil])).rows.count == 1)
    }

    // MARK: Writing

    @Test func auditLogRecordsTheRoleTimeAndTransactionOfAnOperation() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, payload: #"{"target": "ada"}"#), changes: [#"{"table": "public.a"}"#, "{}"])
        #expect(try lab.value("select operator from usher.operation") == LedgerLab.clerk)
        #expect(try lab.value("select now() - at < interval '1 hour' from usher.operation") == "t")
        #expect(try lab.value("select pg_xact_status(transaction) from usher.operation") == "committed")
        #expect(try lab.value("select string_agg(ordinal::text, ',' order by ordinal) from usher.change") == "1,2")
        #expect(
            try lab.value(
                "select bool_and(digest = sha256(salt || convert_to(payload::text, 'UTF8'))) from usher.change") == "t")
        #expect(try lab.value("select count(distinct salt) from usher.change") == "2")
    }

    @Test func operatorsCanWriteTheAuditLogOnlyByFunctions() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1), changes: ["{}"])
        try lab.seal()
        let clerk = try lab.database.connect(user: LedgerLab.clerk)
        for table in ["operation", "change", "seal", "sealed", "environment", "erasure"] {
            for statement in [
                "delete from usher.\(table)", "truncate usher.\(table)", "insert into usher.\(table) default values",
            ] {
                let error = try #require(throws: PQError.self) { _ = try clerk.execute(Query(unsafe: statement)) }
                #expect(Failure(error).kind == .forbidden, "\(statement)")
            }
        }
        let stranger = "ledger_stranger"
        try lab.database.makeRole(stranger)
        let connection = try lab.database.connect(user: stranger)
        for call in [
            "attempt(null, null, null, null, null, null)", "seal()", "run(null)", "erase(null)",
            "record_deletion_step(null)",
        ] {
            let error = try #require(throws: PQError.self) {
                _ = try connection.execute(Query(unsafe: "select usher." + call))
            }
            #expect(Failure(error).kind == .forbidden, "\(call) \(error)")
        }
    }

    @Test func auditLogRefusalNamesTheRightThatTheRoleLacks() throws {
        let lab = try LedgerLab()
        let agent = "ledger_agent"
        try lab.database.makeRole(agent, "in role usher_support, usher_eraser")
        func refusal(_ use: Ledger.Use) throws -> String? {
            let answer = try lab.database.connect(user: agent).execute(Ledger.question)
            return try #require(try Ledger.installation(.success(answer))).refusal(for: use)?.message
        }
        for use in [Ledger.Use.changes, .accounts, .reading] { #expect(try refusal(use) == nil) }
        try lab.database.run(
            "revoke execute on function usher.run(jsonb) from usher_support",
            "revoke execute on function usher.erase(jsonb) from usher_eraser",
            "revoke select on usher.operation from usher_support, usher_eraser")
        try lab.database.run(
            "revoke select (payload) on usher.operation from usher_support, usher_eraser")
        #expect(try refusal(.changes) == "the role usher_support can't call usher.run, which this command needs")
        #expect(try refusal(.accounts) == "the role usher_eraser can't call usher.erase, which this command needs")
        #expect(try refusal(.reading) == "the role usher_support can't read usher.operation, which this command needs")
        try lab.database.run("revoke usage on schema usher from public, usher_support, usher_eraser")
        #expect(try refusal(.changes) == "the role usher_support can't use the schema usher, which this command needs")
        // From Postgres 16 on, each grant has its own inherit option.
        try lab.database.run(
            try lab.database.connect().serverVersion < 16_00_00
                ? "alter role \(agent) noinherit"
                : "grant usher_support, usher_eraser to \(agent) with inherit false")
        #expect(try refusal(.changes) == "your role is a member of usher_support, but doesn't inherit its rights")
        #expect(try refusal(.accounts) == "your role is a member of usher_eraser, but doesn't inherit its rights")
        try lab.database.run("grant usage on schema usher to public")
        let clerk = try lab.database.connect(user: LedgerLab.clerk).execute(Ledger.question)
        #expect(
            try Ledger.installation(.success(clerk))?.refusal(for: .changes)?.message
                == "you need the role usher_support, usher_admin or usher_engineer to run or undo actions")
    }

    @Test func operationIdCanBeRecordedOnlyOnce() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1))
        let error = try #require(throws: PQError.self) { try lab.commit(LedgerLab.entry(1)) }
        #expect(Failure(error).state?.rawValue == "23505")
    }

    @Test func auditEntryOfALostChangeBlocksItsLateCommit() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1))
        let connection = try lab.database.connect(user: LedgerLab.clerk)
        func lose(_ number: Int) throws -> Bool {
            let rows = try connection.execute(Ledger.attempt(LedgerLab.entry(number, .change, .lost)))
            return try rows.rows[0].boolean("recorded")
        }
        #expect(try !lose(1))
        #expect(try lose(2))
        #expect(throws: PQError.self) { try lab.commit(LedgerLab.entry(2)) }
        #expect(try lab.value("select outcome from usher.operation where id = \(LedgerLab.id(1))") == "committed")
    }

    @Test func attemptIsRecordedWithoutAPayloadThatIsTooLong() throws {
        let lab = try LedgerLab()
        let connection = try lab.database.connect(user: LedgerLab.clerk)
        for (number, length) in [Ledger.Entry.mostBytes - 20, Ledger.Entry.mostBytes * 3].enumerated() {
            let payload = #"{"because":"\#(String(repeating: "x", count: length))"}"#
            let entry = LedgerLab.entry(number, .change, .lost, payload: payload)
            #expect(try connection.execute(Ledger.attempt(entry)).rows[0].boolean("recorded"))
        }
        #expect(
            try lab.value("select string_agg((payload ? 'because')::text, ' ' order by at) from usher.operation")
                == "true false")
    }

    @Test func auditEntryOfALostChangeWaitsForItsRunningCommit() throws {
        let lab = try LedgerLab()
        let first = try lab.database.connect(user: LedgerLab.clerk)
        let second = try lab.database.connect(user: LedgerLab.clerk)
        _ = try first.execute("begin")
        _ = try first.execute(Ledger.record(LedgerLab.entry(1)))
        _ = try second.execute("set lock_timeout = '100ms'")
        let error = try #require(throws: PQError.self) {
            _ = try second.execute(Ledger.attempt(LedgerLab.entry(1, .change, .lost)))
        }
        #expect(Failure(error).state?.rawValue == "55P03")
        _ = try first.execute("commit")
        #expect(try !second.execute(Ledger.attempt(LedgerLab.entry(1, .change, .lost))).rows[0].boolean("recorded"))
    }

    @Test func changedRowsBelongToAnOperationOfTheSameTransaction() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1))
        let connection = try lab.database.connect(user: LedgerLab.clerk)
        for number in [1, 2] {
            let error = try #require(throws: PQError.self) {
                _ = try connection.execute(Ledger.recordChanges(of: LedgerLab.id(number), from: 1, payloads: ["{}"]))
            }
            #expect(Failure(error).kind == .forbidden)
        }
        // A savepoint has its own transaction id, but belongs to the same transaction.
        for query in [
            "begin", "savepoint s", Ledger.record(LedgerLab.entry(3)), "release s", "savepoint s",
            Ledger.recordChanges(of: LedgerLab.id(3), from: 1, payloads: ["{}"]),
            Ledger.recordChanges(of: LedgerLab.id(3), from: 2, payloads: ["{}", "{}"]), "commit",
        ] {
            _ = try connection.execute(query)
        }
        #expect(try lab.value("select string_agg(ordinal::text, ',' order by ordinal) from usher.change") == "1,2,3")
    }

    @Test(arguments: [#"[]"#, #""text""#, "null"])
    func payloadOfAnOperationMustBeAJSONObject(_ payload: String) throws {
        let lab = try LedgerLab()
        #expect(throws: PQError.self) { try lab.commit(LedgerLab.entry(1, payload: payload)) }
    }

    @Test func hostileSearchPathDoesNotAffectTheFunctionsOfUsher() throws {
        let lab = try LedgerLab()
        let connection = try lab.database.connect(user: LedgerLab.clerk)
        for query in [
            "create function pg_temp.sha256(bytea) returns bytea language sql as $$ select ''::bytea $$",
            "create temporary table operation (id uuid)", "set search_path = pg_temp, pg_catalog",
            Ledger.record(LedgerLab.entry(1)),
        ] as [Query] {
            _ = try connection.execute(query)
        }
        #expect(try lab.value("select length(digest) from usher.operation") == "32")
    }

    // MARK: Sealing

    @Test func sealingWaitsForEarlierOpenTransactions() throws {
        let lab = try LedgerLab()
        #expect(try lab.seal() == nil)
        try lab.commit(LedgerLab.entry(1), changes: ["{}"])
        let first = try #require(try lab.seal())
        #expect(first.utf8.count == 64)
        #expect(try lab.seal() == first, "without new operations the head stays the same")
        // A transaction that began earlier is still open, so later operations can't be sealed yet.
        let open = try lab.database.connect(user: LedgerLab.clerk)
        _ = try open.execute("begin")
        _ = try open.execute(Ledger.record(LedgerLab.entry(2)))
        try lab.commit(LedgerLab.entry(3))
        #expect(try lab.sealOnce() == first)
        _ = try open.execute("commit")
        #expect(try lab.seal() != first)
        let owner = try lab.database.connect(user: LedgerLab.owner)
        #expect(try Audit.verify(head: nil, on: owner, options: InquiryOptions()).unsealed == 0)
        #expect(try lab.problems() == [])
    }

    @Test func operatorCannotBlockSealingWithALock() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1))
        let other = try lab.database.connect(user: LedgerLab.clerk)
        _ = try other.execute("begin")
        _ = try other.execute("select pg_advisory_xact_lock(hashtextextended('usher.seal', 0))")
        #expect(try lab.seal() != nil)
        for mode in ["share", "share row exclusive", "exclusive"] {
            let error = try #require(throws: PQError.self) {
                _ = try lab.database.connect(user: LedgerLab.clerk).execute(
                    Query(unsafe: "do $$ begin lock table usher.seal in \(mode) mode; end $$"))
            }
            #expect(Failure(error).kind == .forbidden)
        }
    }

    /// `audit verify` names these sessions if an operation has been unsealed for some minutes.
    @Test func auditVerifyNamesSessionsThatBlockSealing() throws {
        let lab = try LedgerLab()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        func late() throws -> LateSealing? {
            try Audit.verify(head: nil, on: owner, options: InquiryOptions()).late
        }
        let open = try lab.database.connect(user: LedgerLab.clerk)
        _ = try open.execute("begin")
        _ = try open.execute("select pg_current_xact_id()")
        let session = try #require(try open.execute("select pg_backend_pid()").only().values[0].text)
        try lab.commit(LedgerLab.entry(1))
        _ = try lab.sealOnce()
        #expect(try late() == nil)
        try lab.database.run("update usher.operation set at = at - interval '6 minutes'")
        let blocker = "session \(session) of \(LedgerLab.clerk) has an open transaction"
        let found = try #require(try late())
        #expect(found.sentence.hasPrefix("1 operation ") && found.sentence.contains(blocker), "\(found)")
        let findings = try Doctor.examine(
            try lab.database.connect(), candidates: [], options: InquiryOptions()
        ) { 0 }
        #expect(findings.contains { $0.topic == "audit" && $0.message.contains(session) })
        // A session that seals and doesn't commit holds the lock.
        let sealing = try lab.database.connect(user: LedgerLab.clerk)
        _ = try sealing.execute("begin")
        _ = try sealing.execute("select usher.seal()")
        let holder = try #require(try sealing.execute("select pg_backend_pid()").only().values[0].text)
        #expect(try late()?.sentence.contains("session \(holder) of \(LedgerLab.clerk) has the lock") == true)
        _ = try sealing.execute("commit")
        _ = try open.execute("commit")
        try lab.seal()
        #expect(try late() == nil)
    }

    @Test func sealingReturnsThePreviousSealWhileAnotherSessionSeals() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1))
        let head = try lab.seal()
        try lab.commit(LedgerLab.entry(2))
        let sealing = try lab.database.connect(user: LedgerLab.clerk)
        _ = try sealing.execute("begin")
        // Transactions of other databases also delay sealing until they end.
        var next = head
        while next == head { next = try sealing.execute("select usher.seal() as head").first?.shown("head")?.text }
        #expect(try lab.sealOnce() == head)
        _ = try sealing.execute("commit")
        #expect(try lab.seal() == next)
    }

    @Test func sealingIsRefusedInARepeatableReadTransaction() throws {
        let lab = try LedgerLab()
        let connection = try lab.database.connect(user: LedgerLab.clerk)
        _ = try connection.execute("begin isolation level repeatable read")
        #expect(throws: PQError.self) { _ = try connection.execute("select usher.seal()") }
    }

    @Test func auditVerifyIgnoresTheSettingsOfTheSession() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, payload: #"{"n": 1.50, "t": "ä\u0022"}"#), changes: [#"{"a": 1e3}"#])
        try lab.seal()
        let connection = try lab.database.connect(user: LedgerLab.owner)
        for query in [
            "set timezone = 'Asia/Kathmandu'", "set datestyle = german", "set bytea_output = escape",
            "set extra_float_digits = -3",
        ]
            as [Query]
        {
            _ = try connection.execute(query)
        }
        #expect(try lab.problems(on: connection) == [])
    }

    // MARK: Tampering

    /// Statements of the owner on four sealed operations (2 undoes 1, 3 erased, 4 has two changes), and the findings.
    static let tamperings: [(statement: String, problems: [String])] = [
        ("update usher.operation set payload = '{\"reason\": \"other\"}' where id = $1", ["payload 4"]),
        ("update usher.change set payload = '{}' where operation = $1 and ordinal = 2", ["payload 4"]),
        ("update usher.change set payload = null, salt = null where operation = $1 and ordinal = 2", ["payload 4"]),
        ("update usher.operation set operator = 'the.ceo' where id = $1", ["operation 4"]),
        ("update usher.operation set at = at - interval '1 microsecond' where id = $1", ["operation 4"]),
        ("update usher.operation set kind = 'undo' where id = $1", ["operation 4", "undo 4"]),
        ("update usher.operation set outcome = 'failed' where id = $1", ["operation 4"]),
        ("update usher.operation set command = 'trial extend' where id = $1", ["operation 4"]),
        ("update usher.operation set app = null where id = $1", ["operation 4"]),
        ("update usher.operation set parent = $1 where id = $1", ["operation 4", "part 4"]),
        ("update usher.operation set undoes = $1 where id = $1", ["operation 4"]),
        ("update usher.operation set digest = sha256('') where id = $1", ["operation 4", "payload 4"]),
        ("update usher.operation set transaction = '3' where id = $1", ["operation 4"]),
        (
            """
            update usher.change set payload = '{}', digest = sha256(salt || '{}') where operation = $1 and ordinal = 2
            """, ["operation 4"]
        ),
        ("update usher.change set ordinal = 7 where operation = $1 and ordinal = 2", ["operation 4"]),
        ("delete from usher.change where operation = $1 and ordinal = 1", ["operation 4"]),
        ("delete from usher.operation where id = $1", ["change 4", "operation 4"]),
        ("insert into usher.change values ($1, 3, sha256('ab'), 'a', '\"b\"')", ["operation 4", "payload 4"]),
        ("insert into usher.change values ($1, 3, sha256('a{}'), 'a', '{}')", ["operation 4"]),
        (
            """
            insert into usher.operation (id, transaction, kind, outcome, command, digest, salt, payload)
            select '00000000-0000-4000-8000-000000000009', '3', 'change', 'committed', 'x', sha256('a{}'), 'a', '{}' where $1::uuid is not null
            """, ["operation 9"]
        ),
        // The seal covers the number of erased rows, so `audit verify` finds one more erased row.
        (
            """
            update usher.change set payload = null, salt = null, erased = '00000000-0000-4000-8000-000000000003'
             where operation = $1 and ordinal = 2
            """, ["operation 3"]
        ),
        ("delete from usher.seal where number = 1 and $1::uuid is not null", ["seal", "seal"]),
        ("delete from usher.seal where number = 2 and $1::uuid is not null", ["seal", "seal"]),
        ("delete from usher.seal where number = 3 and $1::uuid is not null", ["seal"]),
        ("update usher.seal set root = sha256('') where number = 1 and $1::uuid is not null", ["seal", "seal"]),
        ("update usher.seal set head = sha256('') where number = 1 and $1::uuid is not null", ["seal", "seal"]),
        ("update usher.seal set at = at - interval '1 s' where number = 2 and $1::uuid is not null", ["seal"]),
        ("update usher.seal set horizon = '3' where number = 2 and $1::uuid is not null", ["seal"]),
        ("update usher.sealed set leaf = sha256('') where operation = $1", ["operation 4", "seal"]),
        ("update usher.sealed set changes = 1 where operation = $1", ["operation 4", "seal"]),
        ("update usher.sealed set seal = 1 where operation = $1", ["seal", "seal"]),
        ("delete from usher.sealed where operation = $1", ["operation 4", "seal"]),
    ]

    @Test(arguments: sample(tamperings.indices)) func auditVerifyFindsTamperingByTheOwner(_ index: Int) throws {
        let (statement, problems) = Self.tamperings[index]
        let lab = try Self.sealedOnce.get().copy()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        #expect(try owner.execute(Query(unsafe: statement, [LedgerLab.id(4)])).affected == 1)
        #expect(try lab.problems(on: owner) == problems, "\(statement)")
    }

    @Test func auditVerifyWithAnEarlierSealFindsARewrittenAuditLog() throws {
        let lab = try Self.sealed()
        let head = try #require(try lab.seal())
        #expect(try lab.problems(head: head) == [])
        #expect(try lab.problems(head: head.uppercased()) == [])
        try lab.database.run(
            "update usher.operation set operator = 'the.ceo'", "delete from usher.sealed", "delete from usher.seal")
        try lab.seal()
        #expect(try lab.problems() == [], "the database alone doesn't show that the log was rewritten")
        #expect(try lab.problems(head: head) == ["head"])
    }

    @Test func auditVerifyAcceptsAnEarlierSealOfTheAuditLog() throws {
        let lab = try Self.sealed()
        let head = try #require(try lab.seal())
        try lab.commit(LedgerLab.entry(5))
        #expect(try lab.seal() != head)
        #expect(try lab.problems(head: head) == [])
    }

    private static let sealedOnce = Result { try sealed() }

    /// Four operations that three seals cover.
    private static func sealed() throws -> LedgerLab {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["ada@example.com"]}"#), changes: ["{}"])
        try lab.seal()
        try lab.commit(LedgerLab.entry(2))
        try lab.seal()
        #expect(try lab.forget(3, "ada@example.com") == 2)
        try lab.commit(LedgerLab.entry(4, payload: #"{"reason": "so"}"#), changes: [#"{"a": 1}"#, #"{"a": 2}"#])
        try lab.seal()
        #expect(try lab.problems() == [])
        return lab
    }
}
