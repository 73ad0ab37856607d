import Foundation
import PQ
import Support
import Testing

/// usher names every user whom a change affects: the given user, and all users who lose or receive something.
@Suite(.long) struct AffectedUsersTests {
    private static let purchase = "Tdc06ca99c6ef79"
    private static let (loser, winner) = ("annie@example.com", "linus@example.com")
    private static let move = ["purchase", "move", purchase, "--to", winner]

    /// The sample data in production, with a support agent and an admin.
    private func database() throws -> (support: String, admin: String, owner: TestDatabase) {
        let database = try MarkedDatabase.granted("xtablo", as: "production")
        for role in ["support", "admin"] { try database.makeRole("affected_\(role)", "in role usher_\(role)") }
        return (database.conninfo(user: "affected_support"), database.conninfo(user: "affected_admin"), database)
    }

    private func commands(_ words: [String], on database: String) throws -> [String] {
        try objects(try Usher.run(words + ["--json"], on: database).output).compactMap { $0["command"] as? String }
    }

    /// The preview of an undo, and of a request to undo, names all users that the operation affected.
    @Test func previewOfAnUndoShowsAllAffectedUsers() throws {
        let (support, admin, database) = try database()
        try database.run("update usher.environment set name = 'test'")
        let done = try Usher.run(Self.move + ["--confirm", Self.purchase, "--json"], on: admin)
        let act = try object(done.output)
        let id = try #require(act["operation"] as? String, "\(done.errors)")
        let forth = try #require(act["decisions"] as? [[String: Any]]).filter {
            $0["before"] as? String != $0["after"] as? String
        }
        let tried = try Usher.run(["audit", "undo", id, "-n", "--json"], on: admin)
        let back = try #require(try object(tried.output)["decisions"] as? [[String: Any]]).filter {
            $0["before"] as? String != $0["after"] as? String
        }
        func changes(_ decisions: [[String: Any]], _ from: String, _ to: String) -> Set<String> {
            Set(decisions.map { "\($0["user"] ?? "") \($0["name"] ?? ""): \($0[from] ?? "") \($0[to] ?? "")" })
        }
        #expect(
            !forth.isEmpty && changes(forth, "before", "after") == changes(back, "after", "before"), "\(tried.output)")
        let screen = try Usher.run(["audit", "undo", id, "-n"], on: admin).output
        #expect(screen.hasPrefix("audit undo  purchase move \(Self.purchase)  test"), "\(screen)")
        #expect(screen.contains(Self.winner), "\(screen)")
        let asked = try Usher.run(["audit", "undo", id, "--request", "-n"], on: support)
        #expect(asked.status == 0 && asked.output.contains(Self.winner), "\(asked.output)\(asked.errors)")
    }

    /// If a later operation changed the same rows, usher names that operation and offers to undo it first.
    ///
    /// Approvals of an undo name the operation, too.
    @Test func undoNamesTheLaterOperationThatBlocksIt() throws {
        let database = try MarkedDatabase.granted()
        for role in ["support", "admin"] { try database.makeRole("way_\(role)", "in role usher_\(role)") }
        let (support, admin) = (database.conninfo(user: "way_support"), database.conninfo(user: "way_admin"))
        func done(_ words: [String]) throws -> String {
            let done = try Usher.run(words + ["--yes", "--json"], on: admin)
            return try #require(try object(done.output)["operation"] as? String, "\(done.errors)")
        }
        let grant = try done(["partner", "grant", "dennis@example.com", "--source", "ambassador"])
        let asked = try Usher.run(["audit", "undo", grant, "--request", "--json"], on: support)
        let request = try #require(try object(asked.output)["request"] as? String, "\(asked.errors)")
        let revoke = try done(["partner", "revoke", "dennis@example.com"])
        // An operation that is already undone doesn't block the undo of an earlier operation.
        let again = try done(["partner", "grant", "dennis@example.com", "--source", "ambassador"])
        #expect(try Usher.run(["audit", "undo", again, "--yes"], on: admin).status == 0)
        let hint = "`usher undo \(revoke)` first"
        for (words, role) in [
            (["request", "approve", request, "--yes", "--moved"], admin), (["audit", "undo", grant, "--yes"], admin),
        ] {
            let refused = try Usher.run(words, on: role)
            #expect(refused.status == 3 && refused.errors.contains(hint), "\(words): \(refused.errors)")
        }
        #expect(try Usher.run(["request", "show", request], on: admin).output.contains(hint))
        #expect(try Usher.run(["request", "withdraw", request], on: support).status == 0)
        for operation in [revoke, grant] {
            #expect(try Usher.run(["audit", "undo", operation, "--yes"], on: admin).status == 0)
        }
        let list = try objects(try Usher.run(["audit", "list", "--json"], on: admin).output)
        #expect(list.prefix(2).allSatisfy { $0["command"] as? String == "audit undo" }, "\(list)")
    }

    @Test(.long) func requestToMoveAPurchaseAppearsForBothUsers() throws {
        let (support, admin, database) = try database()
        let asked = try object(
            try Usher.run(Self.move + ["--request", "--reason", "both agree", "--json"], on: support).output)
        let request = try #require(asked["request"] as? String)
        let preview = try #require(asked["decisions"] as? [[String: Any]])
        #expect(Set(preview.compactMap { $0["user"] as? String }).count == 2)
        for user in [Self.loser, Self.winner] {
            let card = try object(try Usher.run(["user", "show", user, "--json"], on: support).output)
            let waiting = try #require(card["requests"] as? [[String: Any]])
            #expect(waiting.map { $0["asks"] as? String } == ["purchase move \(Self.purchase) \(Self.winner)"])
        }
        let approve = ["request", "approve", request, "--confirm", Self.purchase, "--json"]
        let done = try Usher.run(approve, on: admin)
        #expect(done.status == 0, "\(done.errors)")
        for user in [Self.loser, Self.winner] {
            #expect(
                try commands(["audit", "list", "--user", user], on: admin) == [
                    "purchase move", "request purchase move",
                ])
            let timeline = try objects(
                try Usher.run(["user", "timeline", user, "--limit", "2", "--json"], on: admin).output)
            #expect(timeline.first?["title"] as? String == "purchase move")
        }
        let id = try #require(try object(done.output)["operation"] as? String)
        let undone = try Usher.run(["audit", "undo", id, "--yes", "--reason", "x"], on: admin)
        #expect(undone.status == 0, "\(undone.errors)")
        for user in [Self.loser, Self.winner] {
            #expect(try commands(["audit", "list", "--user", user], on: admin).first == "audit undo")
        }
        #expect(try Usher.run(["audit", "verify"], on: database.conninfo()).status == 0)
    }

    /// If usher refuses the change of an object, it doesn't list the object's user among the changed users.
    @Test(.long) func eventReplayDoesNotListTheUserOfARefusedEvent() throws {
        let database = try MarkedDatabase.granted().conninfo()
        let replay = ["event", "replay", "stuck-28375f61-172", "stuck-06094711-147", "--reason", "x", "--json"]
        for more in [["-n"], ["--yes"]] {
            let done = try Usher.run(replay + more, on: database)
            #expect(done.status == 7, "\(done.errors)")
            let decisions = try #require(try object(done.output)["decisions"] as? [[String: Any]])
            #expect(!decisions.isEmpty && decisions.allSatisfy { $0["after"] is String }, "\(decisions)")
            #expect(Set(decisions.compactMap { $0["user"] as? String }).count == 1)
        }
    }

    @Test func argumentsAndOptionsAcceptTheNamesOfUsersAndObjects() throws {
        let database = try MarkedDatabase.granted("xtablo").conninfo()
        for verb in ["members", "candidates"] {
            let found = try Usher.run(["organization", verb, "indigo theatre", "--json"], on: database)
            #expect(found.status == 0, "\(found.errors)")
            #expect(try !objects(found.output).isEmpty)
            #expect(try Usher.run(["organization", verb, "Nowhere"], on: database).status == 4)
        }
        let byNumber = ["purchase", "move", Self.purchase, "--to", "linus torvalds", "-n"]
        #expect(try Usher.run(byNumber, on: database).status == 0)
        #expect(
            try Usher.run(["purchase", "move", Self.purchase, "--to", "nobody@example.com"], on: database).status == 4)
    }

    @Test(arguments: [
        ("T63d924361bbc4a", "event"),
        ("00000000-0000-4000-a000-000000000404", "event"),
    ])
    func userFindAndUserShowReportAnObjectWithoutAnOwner(text: String, noun: String) throws {
        let database = try TestCluster.database(of: "xtablo").conninfo()
        let found = try Usher.run(["user", "find", text], on: database)
        #expect(found.status == 0)
        #expect(
            found.errors.contains("belongs to no user") && found.errors.contains("usher \(noun) show "),
            "\(found.errors)")
        let shown = try Usher.run(["user", "show", text], on: database)
        #expect(shown.status == 4)
        #expect(shown.errors.contains("belongs to no user") && shown.errors.contains("usher \(noun) show "))
    }

    @Test(.long) func organizationListWithTheUserOptionIncludesMemberships() throws {
        let database = try TestCluster.database(of: "xtablo").conninfo()
        let own = try Usher.run(["organization", "list", "--user", "vera.rossi@example.org", "--json"], on: database)
        #expect(try objects(own.output).map { $0["name"] as? String } == ["Harbour Bakery"])
    }
}
