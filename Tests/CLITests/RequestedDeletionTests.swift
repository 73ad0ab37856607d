import Foundation
import Ledger
import PQ
import Support
import Testing

/// A support agent requests the deletion of an account, and an eraser approves it.
@Suite(.waiting) struct RequestedDeletionTests {
    private static let reason = ["--reason", "by mail", "--ticket", "T-9"]

    /// A production database with a support agent and an eraser.
    private func database(_ name: String) throws -> (database: TestDatabase, support: String, eraser: String) {
        let database = try MarkedDatabase.granted()
        try database.run("update usher.environment set name = 'production'")
        try database.run("create role \(name)_desk login in role usher_support")
        try database.run("create role \(name)_eraser login in role usher_eraser")
        return (database, database.conninfo(user: "\(name)_desk"), database.conninfo(user: "\(name)_eraser"))
    }

    private func ask(_ user: String, on support: String) throws -> String {
        let asked = try Usher.run(["account", "delete", user, "--request", "--json"] + Self.reason, on: support)
        #expect(asked.status == 0, "\(asked.errors)")
        return try #require(try object(asked.output)["request"] as? String)
    }

    @Test func deletionWithoutTheRoleSuggestsARequest() throws {
        let (_, support, _) = try database("way")
        let export = try Usher.run(["user", "export", "ada@example.com"], on: support)
        #expect(export.status == 5)
        #expect(export.errors.contains("usher: this command needs the whole account, but your role can't read"))
        // usher does not advise a deletion to an agent who wants an export.
        #expect(!export.errors.contains("account delete"), "\(export.errors)")
        let plan = try Usher.run(["account", "plan", "ada@example.com"], on: support)
        #expect(plan.output.contains("rows in ") && plan.output.contains("Blocked by 1 problem"), "\(plan)")
        let shown = try object(try Usher.run(["user", "show", "ada@example.com", "--json"], on: support).output)
        let id = (shown["user"] as? [String: Any])?["id"] as? String ?? ""
        #expect(plan.output.contains("`usher account delete \(id) --request`"), "\(plan)")
        let refused = try Usher.run(["account", "delete", "ada@example.com"] + Self.reason, on: support)
        #expect(
            refused.status == 5 && refused.errors.contains("`usher account delete ada@example.com --request`"),
            "\(refused.errors)")
    }

    @Test func eraserCanApproveADeletionThatSupportRequested() throws {
        let (database, support, eraser) = try database("doing")
        let asked = try Usher.run(["account", "delete", "ada@example.com", "--request"] + Self.reason, on: support)
        #expect(asked.output.contains("account delete  ada@example.com  production"), "\(asked.output)\(asked.errors)")
        // The role can read the keys that the plan counts, and no other column of these tables.
        #expect(asked.output.contains("  owned ") && asked.output.contains("auth.refresh_tokens"), "\(asked.output)")
        #expect(!asked.output.contains("Blocked") && !asked.output.contains("can't delete"), "\(asked.output)")
        for column in ["token", "created_at"] {
            let error = #expect(throws: PQError.self) {
                _ = try database.connect(user: "doing_desk").execute(
                    Query(unsafe: "select \(column) from auth.refresh_tokens"))
            }
            #expect(error.map { "\($0)" }?.contains("permission denied") == true)
        }
        #expect(asked.output.contains("Requested. usher_eraser can approve the request."))
        let list = try objects(try Usher.run(["request", "list", "--json"], on: eraser).output)
        #expect(list.map { $0["command"] as? String } == ["account delete"])
        #expect(list.map { $0["target"] as? String } == ["ada@example.com"])
        let card = try Usher.run(["user", "show", "ada@example.com"], on: support).output
        #expect(card.contains("account delete") && card.contains("T-9"), "\(card)")
        let id = try #require(list.first?["id"] as? String)
        let shown = try Usher.run(["request", "show", id], on: eraser)
        #expect(shown.output.contains("owned"), "\(shown.output)\(shown.errors)")
        for words in [["request", "approve", id], ["request", "approve", id, "-n"]] {
            let own = try Usher.run(words, on: support)
            #expect(own.status == 5 && !(own.output + own.errors).contains("--request"), "\(own)")
        }
        let unconfirmed = try Usher.run(["request", "approve", id], on: eraser)
        #expect(
            unconfirmed.status == 3 && unconfirmed.errors.contains("--confirm ada@example.com"), "\(unconfirmed.errors)"
        )
        let done = try Usher.run(["request", "approve", id, "--confirm", "ada@example.com"], on: eraser)
        #expect(done.output.contains("Deleted"), "\(done.output)\(done.errors)")
        #expect(
            try database.connect().execute("select count(*) from profiles where email = 'ada@example.com'").only()
                .integer("count") == 0)
        let erasure = try database.connect().execute(
            "select request::text, payload ->> 'reason' as reason, payload ->> 'ticket' as ticket from usher.operation where kind = 'erasure' and outcome = 'committed'"
        ).only()
        #expect(try erasure.text("request") == id)
        #expect(try erasure.text("reason") == "by mail" && erasure.text("ticket") == "T-9")
        let all = try objects(try Usher.run(["request", "list", "--all", "--json"], on: eraser).output)
        #expect(all.map { $0["state"] as? String } == ["approved"])
        #expect(all.map { $0["target"] is NSNull } == [true], "the request no longer names the deleted user")
        let audit = try Usher.console(["audit", "list"], on: database.conninfo(), columns: 160)
        #expect(try audit.end() == 0)
        let line = String(decoding: audit.picture, as: UTF8.self).split(separator: "\r\n").first {
            $0.contains("request ")
        }
        #expect(line?.contains("(forgotten with the account)") == true, "\(line ?? "")")
        #expect(try Usher.run(["audit", "verify"], on: database.conninfo()).status == 0)
    }

    @Test func usherRefusesNeedlessAndDuplicateDeletionRequests() throws {
        let (database, support, eraser) = try database("twice")
        try database.run("grant usher_support to twice_eraser")
        let own = try Usher.run(["account", "delete", "alan@example.com", "--request"] + Self.reason, on: eraser)
        #expect(own.status == 3 && own.errors.contains("you can run `account delete` yourself"), "\(own.errors)")
        let id = try ask("alan@example.com", on: support)
        let again = try Usher.run(["account", "delete", "alan@example.com", "--request"] + Self.reason, on: support)
        #expect(again.status == 6 && again.errors.contains(id), "\(again.errors)")
        let tried = try Usher.run(["account", "delete", "grace@example.com", "--request", "-n"], on: support)
        #expect(tried.status == 0 && tried.output.contains("Not requested: this was a preview."), "\(tried.errors)")
        let nobody = try Usher.run(["account", "delete", "nobody@example.com", "--request"] + Self.reason, on: support)
        #expect(nobody.status == 4)
        let declined = try Usher.run(["request", "decline", id, "--reason", "pays until May"], on: eraser)
        #expect(declined.status == 0, "\(declined.errors)")
        let late = try Usher.run(["request", "approve", id, "--confirm", "alan@example.com"], on: eraser)
        #expect(late.status == 6, "\(late.errors)")
    }

    @Test func approverOfADeletionDecidesAboutSharedRows() throws {
        let (database, support, eraser) = try database("sharing")
        try database.run(
            """
            create table public.pairs (
                one uuid references public.profiles on delete cascade, other uuid references public.profiles on delete cascade)
            """,
            "create index on public.pairs (one)", "create index on public.pairs (other)",
            """
            insert into public.pairs
            select a.id, b.id from public.profiles a, public.profiles b
             where a.email = 'ada@example.com' and b.email = 'alan@example.com'
            """,
            "grant select, update, delete on public.pairs to usher_eraser",
            "grant select on public.pairs to usher_support")
        let id = try ask("ada@example.com", on: support)
        let approve = ["request", "approve", id, "--confirm", "ada@example.com"]
        let open = try Usher.run(approve, on: eraser)
        #expect(open.status == 3 && open.errors.contains("--shared"), "\(open.errors)")
        let done = try Usher.run(approve + ["--shared", "delete"], on: eraser)
        // Only the storage API can delete the user's files, so the deletion exits with 7.
        #expect(done.status == 7 && done.output.contains("Deleted"), "\(done.output)\(done.errors)")
        #expect(try database.connect().execute("select count(*) from public.pairs").only().integer("count") == 0)
        let grant =
            ["partner", "grant", "alan@example.com", "--source", "marketing", "--request", "--json"] + Self.reason
        let other = try #require(try object(try Usher.run(grant, on: support).output)["request"] as? String)
        let misplaced = try Usher.run(["request", "approve", other, "--shared", "delete", "-n"], on: eraser)
        #expect(misplaced.status == 2 && misplaced.errors.contains("--shared"), "\(misplaced.errors)")
    }

    /// The approver can use the deletion's options, such as --archive.
    @Test(.long) func approverOfADeletionCanWriteAnArchive() throws {
        let (_, support, eraser) = try database("keeping")
        let id = try ask("alan@example.com", on: support)
        let scratch = try Scratch()
        let file = scratch.folder.appendingPathComponent("alan.ndjson")
        let done = try Usher.run(
            ["request", "approve", id, "--confirm", "alan@example.com", "--archive", file.path], on: eraser)
        #expect(done.output.contains("`usher account restore ") && done.output.contains("Deleted"), "\(done.errors)")
        #expect(try Data(contentsOf: file).count > 0)
        let grant =
            ["partner", "grant", "ada@example.com", "--source", "marketing", "--request", "--json"] + Self.reason
        let other = try #require(try object(try Usher.run(grant, on: support).output)["request"] as? String)
        let misplaced = try Usher.run(["request", "approve", other, "--build-indexes", "-n"], on: eraser)
        #expect(misplaced.status == 2 && misplaced.errors.contains("--build-indexes"), "\(misplaced.errors)")
    }

    /// A request doesn't need a confirmation, even in a fleet.
    @Test(.long) func deletionInAFleetCanBeRequested() throws {
        let scratch = try Scratch()
        let members = try ["left", "right"].map { name in "[\(name)]\ndb=\(try database(name).support)" }
        let fleet = try scratch.path(of: "fleet.conf", holding: members.joined(separator: "\n"))
        let asked = try Usher.run(
            ["--fleet", fleet, "account", "delete", "ada@example.com", "--request", "--json"] + Self.reason)
        #expect(asked.status == 0, "\(asked.errors)")
        let list = try objects(try Usher.run(["--fleet", fleet, "request", "list", "--json"]).output)
        #expect(Set(list.compactMap { $0["database"] as? String }) == ["left", "right"])
    }

    /// A deletion without a request id also approves an open request for it, and removes the user's other requests.
    @Test func accountDeleteApprovesAnOpenRequestForTheDeletion() throws {
        let (database, support, eraser) = try database("itself")
        let id = try ask("ada@example.com", on: support)
        let grant =
            ["partner", "grant", "ada@example.com", "--source", "marketing", "--request", "--json"] + Self.reason
        let other = try #require(try object(try Usher.run(grant, on: support).output)["request"] as? String)
        let done = try Usher.run(
            ["account", "delete", "ada@example.com", "--confirm", "ada@example.com"] + Self.reason, on: eraser)
        #expect(done.output.contains("Deleted"), "\(done.output)\(done.errors)")
        let all = try objects(try Usher.run(["request", "list", "--all", "--json"], on: database.conninfo()).output)
        let states = Dictionary(uniqueKeysWithValues: all.map { ($0["id"] as? String ?? "", $0["state"] as? String) })
        #expect(states == [id: "approved", other: "forgotten"])
    }
}
