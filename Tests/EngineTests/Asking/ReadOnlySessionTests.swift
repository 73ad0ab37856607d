import Accounts
import AppFile
import Asking
import Changes
import Grants
import Inquiries
import PQ
import Support
import Testing

/// usher changes nothing in a read-only session, not even for a dry run.
@Suite struct ReadOnlySessionTests {
    private static let app = """
        -- @action lab go  Does it.
        -- @do
        update public.people set tier = 'gold' where id = any(:users);

        -- @state paid  Pays.
        -- @do
        update public.people set tier = 'paid' where id = any(:users);

        -- @settings tiers  Tiers.
        -- @table public.people
        -- @key id
        -- @column tier: text

        -- @account
        -- @root public.people.id
        """

    /// Every call that would change something, by name.
    private func attempts(_ lab: ChangeLab, on connection: Connection, undoing operation: String) -> [(
        String, () throws -> Void
    )] {
        func change(_ what: ChangeRequest.What, _ subjects: [String] = ["1"], isDryRun: Bool = false) throws {
            var request = ChangeRequest(what)
            request.subjects = subjects
            request.isDryRun = isDryRun
            let session = try lab.session(request, on: connection)
            _ = try isDryRun ? session.plan() : session.run(as: nil)
        }
        func delete(isDryRun: Bool) throws {
            var request = DeletionRequest(
                AccountRequest(users: ["1"], root: "public.people"))
            request.isDryRun = isDryRun
            _ = try Deletion(
                request, on: connection, candidates: [lab.app], options: InquiryOptions()
            ) { () throws(Failure) in throw Failure(.connection, "the test needs no second connection") }.run()
        }
        return [
            ("action", { try change(.action(noun: "lab", verb: "go")) }),
            ("dry run", { try change(.action(noun: "lab", verb: "go"), isDryRun: true) }),
            ("state", { try change(.state("paid")) }),
            ("setting", { try change(.setting(table: "tiers", key: "1", column: "tier", value: "paid"), []) }),
            ("undo", { try change(.undo(operation: operation), []) }),
            ("deletion", { try delete(isDryRun: false) }),
            ("dry deletion", { try delete(isDryRun: true) }),
            (
                "installation",
                {
                    _ = try Install(on: connection, environment: nil, options: InquiryOptions()) {
                        () throws(Failure) in throw Failure(.connection, "the test needs no second connection")
                    }
                }
            ),
        ]
    }

    private func hold(_ lab: ChangeLab, _ connection: Connection, _ operation: String) throws {
        let before = try lab.everything()
        let operations = try lab.operations()
        let readOnly = Failure(.readOnly(.byDefault))
        for (name, attempt) in attempts(lab, on: connection, undoing: operation) {
            let refusal = try failure(of: attempt)
            #expect(refusal == readOnly, "\(name)")
        }
        #expect(try lab.everything() == before)
        #expect(try lab.operations() == operations)
        let roles = try failure {
            _ = try RoleGrants.derive(on: connection, candidates: [lab.app], options: InquiryOptions())
        }
        #expect(roles.kind == .refused && roles.hint == readOnly.hint)
        #expect(roles.message.contains("usher creates functions and rolls them back"))
        let findings = try Doctor.examine(connection, candidates: [lab.app], options: InquiryOptions()) { 0 }
        #expect(findings.filter { $0.topic == "server" }.map(\.remedy) == [readOnly.hint])
        // Reading commands still work.
        _ = try UserQuestion(user: "1", wantsEverything: true).ask(
            on: connection, candidates: [lab.app], options: InquiryOptions())
    }

    @Test func changeIsRefusedIfAnySettingMakesTheSessionReadOnly() throws {
        let lab = try ChangeLab(Self.app)
        let operation = try #require(try lab.run(.action("lab", "go", on: "2")).operation)
        func connect(_ more: String = "", user: String? = nil) throws -> Connection {
            try Connection(
                try Conninfo(lab.database.conninfo(user: user) + more), cancellation: Cancellation())
        }
        try hold(
            lab, try connect(" options='-c default_transaction_read_only=on'"), operation)
        try lab.database.makeRole("reads_only", "superuser")
        try lab.database.run("alter role reads_only set default_transaction_read_only = on")
        try hold(lab, try connect(user: "reads_only"), operation)
        try lab.database.run(
            "alter role reads_only reset default_transaction_read_only",
            "alter role reads_only in database \(lab.database.name) set default_transaction_read_only = on")
        try hold(lab, try connect(user: "reads_only"), operation)
        try lab.database.run("alter database \(lab.database.name) set default_transaction_read_only = on")
        try hold(lab, try connect(), operation)
        // A session that sets itself to read-write may change data.
        let writer = try connect(" options='-c default_transaction_read_only=off'")
        #expect(try lab.run(.action("lab", "go", on: "1"), on: writer).operation != nil)
    }
}
