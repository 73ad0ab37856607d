import Asking
import Ledger
import PQ
import Support
import Testing

/// `usher.restore` undoes a deletion only together with the rows of the deleted user.
@Suite struct RestoreGuardTests: EraserTests {
    let lab: LedgerLab

    init() throws { lab = try .withEraser() }

    /// An archive of another database names a deletion that this audit log doesn't have.
    @Test func restoreRefusesADeletionThatIsNotInTheAuditLog() throws {
        let claim = try delete().replacing(LedgerLab.id(3), with: LedgerLab.id(8))
        #expect(try refusal(["begin", restore(4, claim)])?.state?.rawValue == "US005")
        #expect(try lab.value("select count(*) from usher.operation where kind = 'restore'") == "0")
    }

    private var undone: String? {
        get throws { try lab.value("select count(*) from usher.operation where undoes = \(LedgerLab.id(3))") }
    }

    @Test func restoreThatInsertsTheUserUndoesTheDeletion() throws {
        let claim = try delete()
        #expect(try refusal(["begin", restore(4, claim), Self.inserting(), "commit"]) == nil)
        #expect(try undone == "1")
        #expect(
            try lab.value(
                "select concat_ws(' ', root, gone, back, standing, keys::text) from usher.erasure where back is not null"
            )
                == "public.people f t 0")
        #expect(
            try lab.value("select payload ->> 'target' from usher.operation where id = \(LedgerLab.id(4))")
                == "an archive")
        try lab.seal()
        #expect(try lab.problems() == [])
    }

    /// Attempts to restore a deletion without its rows.
    ///
    /// The statements run between the start of the restore and its commit.
    static let pretences: [[Query]] = [
        [], [inserting("eve")], [inserting(), deleting()],
        [inserting(), "set constraints all immediate", deleting()],
        ["savepoint s", inserting(), "set constraints usher.erasure_guard immediate", "rollback to s"],
        [inserting(), "set constraints usher.erasure_asks_operator immediate", deleting()],
    ]

    @Test(arguments: pretences.indices, [false, true])
    func restoreIsRefusedIfItDoesNotInsertTheUser(_ index: Int, _ isSpread: Bool) throws {
        guard try !isSpread || spreads() else { return }
        let claim = try delete()
        let failure = try refusal(["begin", restore(4, claim)] + Self.pretences[index] + ["commit"])
        #expect(["23001", "25006"].contains(failure?.state?.rawValue), "\(String(describing: failure))")
        #expect(try undone == "0")
        #expect(try lab.value("select count(*) from people") == "1")
    }

    @Test func restoreIsRefusedIfItsArchiveDoesNotMatchTheDeletion() throws {
        let claim = try delete()
        for other in [
            claim.replacing("\"ada\"", with: "\"bob\""), claim.replacing("\"secret\"", with: "\"forgotten\""),
            #"{"deletion": "\#(LedgerLab.id(3))", "root": {"schema": "public", "table": "people", "key": "id"}, "keys": []}"#,
            claim.replacing(LedgerLab.id(3), with: LedgerLab.id(1)),
        ] {
            #expect(try refusal(["begin", restore(4, other), Self.inserting(), "commit"])?.kind == .forbidden)
        }
        // A restore is refused if the user was never deleted.
        _ = try connect().execute(Self.inserting())
        #expect(try refusal(["begin", restore(4, claim), "commit"])?.state?.rawValue == "23001")
        #expect(try undone == "0")
        let step = #"{"part": "restore", "operation": "\#(LedgerLab.id(5))", "undoes": "\#(LedgerLab.id(3))"}"#
        #expect(try refusal([part(step)]) != nil)
    }

    /// A second restore is refused, whether the rows are there or not.
    @Test func deletionCanBeRestoredOnlyOnce() throws {
        let claim = try delete()
        let again = ["begin", restore(5, claim), Self.inserting(), "commit"] as [Query]
        #expect(try refusal(["begin", restore(4, claim), Self.inserting(), "commit"]) == nil)
        for gone in [[], [Self.deleting()]] as [[Query]] {
            #expect(try refusal(gone + again)?.state?.rawValue == "US006")
        }
        #expect(try undone == "1")
    }

    @Test func restoreRefusesAnArchiveWithoutUsers() throws {
        let connection = try connect()
        let claim = try connection.execute(LedgerLab.erase(3, "eve")).rows[0].text("claim")
        #expect(try refusal([restore(4, claim)])?.state?.rawValue == "22023")
        for claim in [
            #"{"keys": [], "root": {"schema": "public", "table": "people", "key": "id"}}"#,
            #"{"keys": [null], "root": {"schema": "public", "table": "people", "key": "id"}}"#,
        ] {
            #expect(try refusal([restore(4, claim)])?.state?.rawValue == "US005")
        }
        #expect(try undone == "0")
    }

    /// The owner records a restore without calling the function, and `audit verify` finds the record.
    @Test func auditVerifyFindsARestoreThatSkippedItsCheck() throws {
        _ = try delete()
        try lab.database.run(
            """
            select usher.record('\(LedgerLab.id(4))', 'restore', 'committed', 'account restore', null, null, null,
                               '\(LedgerLab.id(3))', 'public.users', null, '{}')
            """)
        try lab.seal()
        #expect(try lab.problems() == ["restore 4", "restore 4"])
    }
}
