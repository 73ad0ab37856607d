import Foundation
import Support
import Testing

/// `undo` undoes the last change, all changes of an operator since a time, or a change for all users except one.
@Suite struct UndoCommandTests {
    private let database: String

    init() throws { database = try MarkedDatabase.granted().conninfo() }

    private func usher(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, on: database) }

    private func grant(_ users: String...) throws {
        let result = try Usher.run(["partner", "grant"] + users + ["--source", "influencer", "-y"], on: database)
        #expect(result.status == 0, "\(result.errors)")
    }

    private func lastChange(of user: String) throws -> String? {
        let shown = try object(try usher("user", "show", user, "--json").output)
        return (shown["last_change"] as? [String: Any])?["command"] as? String
    }

    private var partners: Set<String> {
        get throws {
            let listed = try objects(try usher("user", "list", "--where", "partners", "--json").output)
            return Set(listed.compactMap { $0["email"] as? String })
        }
    }

    @Test func undoLastSkipsOperationsThatAreAlreadyUndone() throws {
        let before = try partners
        try grant("ada@example.com")
        try grant("dennis@example.com")
        let first = try usher("undo", "last", "-y")
        #expect(first.status == 0, "\(first.errors)")
        #expect(try partners == before.union(["ada@example.com"]))
        #expect(try usher("undo", "last", "-y").status == 0)
        #expect(try partners == before)
    }

    @Test func undoOfAQuotaNamesTheCommandOfTheOperator() throws {
        #expect(try usher("quota", "set", "trial", "impulse_limit", "5", "-y").status == 0)
        let undone = try usher("undo", "last", "-y")
        #expect(undone.output.hasPrefix("audit undo  quota set trial impulse_limit  test"), "\(undone)")
    }

    @Test func undoWithOperatorAndSinceUndoesEachOperationOfTheOperator() throws {
        let before = try partners
        try grant("ada@example.com")
        try grant("dennis@example.com")
        let listed = try objects(try usher("audit", "list", "--json").output)
        let name = try #require(listed.first?["operator"] as? String)
        let result = try usher("audit", "undo", "--operator", name, "--since", "2020-01-01", "-y")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try partners == before)
        let nothing = try usher("audit", "undo", "--operator", "nobody", "--since", "2020-01-01", "-y")
        #expect(nothing.status == 4)
        #expect(try usher("audit", "undo", "--operator", name, "-y").status == 2)
        // To resume the undo of a bulk change, the operator repeats its id.
        #expect(try usher("audit", "undo", "--resume", "0190aaaa", "-y").status == 2)
    }

    @Test func undoWithExceptSkipsAUser() throws {
        let before = try partners
        try grant("ada@example.com", "dennis@example.com")
        let stranger = try usher("undo", "last", "--except", "grace@example.com", "-y")
        #expect(stranger.status == 4, "\(stranger.errors)")
        let result = try usher("undo", "last", "--except", "ada@example.com", "-y", "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try object(result.output)["users"] as? Int == 1)
        #expect(try partners == before.union(["ada@example.com"]))
        #expect(try lastChange(of: "ada@example.com") == "partner grant")
        #expect(try lastChange(of: "dennis@example.com") == "audit undo")
        #expect(try usher("audit", "verify").status == 0)
    }

    @Test func secondUndoAfterExceptRestoresTheSkippedUser() throws {
        let before = try partners
        try grant("ada@example.com", "dennis@example.com")
        let listed = try objects(try usher("audit", "list", "--json").output)
        let id = try #require(listed.first?["id"] as? String)
        #expect(try usher("audit", "undo", id, "--except", "ada@example.com", "-y").status == 0)
        let result = try usher("audit", "undo", id, "-y", "--json")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try partners == before)
        let undo = try #require(try object(result.output)["operation"] as? String)
        let shown = try object(try usher("audit", "show", undo, "--json").output)
        #expect(shown["target"] as? String == "ada@example.com")
        #expect(try lastChange(of: "ada@example.com") == "audit undo")
        let again = try usher("audit", "undo", id, "-y")
        #expect(again.status == 3, "\(again.errors)")
        #expect(try usher("audit", "verify").status == 0)
    }

    @Test func undoOfSeveralOperationsWithExceptSkipsAUserOfOneOperation() throws {
        let before = try partners
        try grant("ada@example.com")
        try grant("dennis@example.com")
        let listed = try objects(try usher("audit", "list", "--json").output)
        let name = try #require(listed.first?["operator"] as? String)
        let words = ["--operator", name, "--since", "2020-01-01", "--except", "ada@example.com", "-y"]
        let result = try Usher.run(["audit", "undo"] + words, on: database)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try partners == before.union(["ada@example.com"]))
    }
}
