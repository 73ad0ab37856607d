import Asking
import Changes
import Foundation
import PQ
import Support
import Testing

/// An action and its undo lock all affected users.
///
/// Different spellings of a key lock the same user.
@Suite(.waiting) struct UserLockTests {
    private static let acts = """
        -- @object letter  Letters.
        -- @key id
        -- @user person
        select l.* from public.letters l;

        -- @action letter stamp  Write the owner on a letter.
        -- @on letter
        -- @role support
        -- @do
        update public.letters set note = 'for ' || person where id = any(:keys);

        -- @action letter send  Give a letter to a user.
        -- @on letter
        -- @role support
        -- @option to: user
        -- @do
        update public.letters set person = :to where id = any(:keys);

        -- @action letter return  Give a letter to its first owner.
        -- @on letter
        -- @role support
        -- @do
        update public.letters set person = 1 where id = any(:keys);

        -- @action event pin  Names one.
        -- @role admin
        -- @option event: event
        -- @do
        update public.people set score = 7 where id = any(:users) and :event is not null;

        """

    private func lab() throws -> ForgeryLab {
        let forgery = try ForgeryLab(
            acts: Self.acts, "alter table letters add note text", "insert into letters (person) values (2), (3)")
        return forgery
    }

    /// Runs a statement while an admin's note on a user is uncommitted, and again with a snapshot from before the note.
    private func resultsDuringANote(_ forgery: ForgeryLab, about key: String, _ statement: String) throws -> [String?] {
        let note = ForgeryLab.ask(
            "note", #"{"id": "\#(UUID().uuidString)", "app": "lab", "key": "\#(key)", "text": "hm", "reason": "why"}"#)
        let admin = try forgery.database.connect(user: ForgeryLab.login("admin"))
        let early = try forgery.database.connect(user: ForgeryLab.login("support"))
        for statement in [ForgeryLab.begin, "select count(*) from usher.operation"] {
            _ = try early.execute(Query(unsafe: statement))
        }
        for statement in ["select usher.advance_clock()", ForgeryLab.begin, note] {
            _ = try admin.execute(Query(unsafe: statement))
        }
        var results = [try forgery.result("support", ForgeryLab.begin, statement, "rollback")]
        _ = try admin.execute("commit")
        do {
            results.append(try early.execute(Query(unsafe: statement)).rows.first?.values.first?.text)
        } catch {
            results.append(Failure(error).state?.rawValue ?? "\(error)")
        }
        return results
    }

    @Test func actionOnAnObjectLocksItsUsers() throws {
        let forgery = try lab()
        for (key, name, rest) in [
            ("2", "letter stamp", ""), ("2", "letter send", #", "arguments": {"to": "3"}"#),
            ("3", "letter send", #", "arguments": {"to": " 3"}"#), ("1", "letter return", ""),
        ] {
            #expect(
                try resultsDuringANote(forgery, about: key, forgery.run(name, keys: "[1]", rest)) == [
                    "locked", "40001",
                ],
                "\(name) \(key)")
        }
        #expect(try resultsDuringANote(forgery, about: "3", forgery.run("letter stamp", keys: "[1]")).first == "done")
    }

    @Test func undoTakesTheSameLocksAsItsAction() throws {
        let forgery = try lab()
        #expect(
            try forgery.result(
                "support", inOne: forgery.run("letter send", keys: "[1]", #", "arguments": {"to": "3"}"#))
                == "done")
        let operation = try #require(
            try forgery.lab.value("select id from usher.operation where command = 'letter send'"))
        let undo = ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(7))", "operation": "\#(operation)"}"#)
        for key in ["2", "3"] {
            #expect(try resultsDuringANote(forgery, about: key, undo) == ["locked", "40001"], "\(key)")
        }
        // Another session is changing the same letter.
        let other = try forgery.database.connect(user: ForgeryLab.login("admin"))
        for statement in ["select usher.advance_clock()", ForgeryLab.begin, forgery.run("letter stamp", keys: "[1]")] {
            _ = try other.execute(Query(unsafe: statement))
        }
        #expect(try forgery.result("support", ForgeryLab.begin, undo, "rollback") == "locked")
        _ = try other.execute("rollback")
        #expect(try forgery.result("support", inOne: undo) == "done")
        // Undoing the undo takes the same locks.
        let again = ForgeryLab.ask("undo", #"{"id": "\#(LedgerLab.id(8))", "operation": "\#(LedgerLab.id(7))"}"#)
        #expect(try resultsDuringANote(forgery, about: "2", again) == ["locked", "40001"])
        #expect(
            try forgery.lab.value("select payload -> 'objects' from usher.operation where kind = 'undo'") == #"["1"]"#)
        #expect(try forgery.result("support", inOne: again) == "done")
        #expect(try forgery.lab.isIntact())
    }

    /// A fixed order of the locks prevents deadlocks.
    @Test func actionTakesItsLocksInAFixedOrder() throws {
        let forgery = try lab()
        func locks(_ keys: String, _ to: String) throws -> [Int64] {
            let admin = try forgery.database.connect(user: ForgeryLab.login("admin"))
            for statement in [
                "select usher.advance_clock()", ForgeryLab.begin,
                forgery.run("letter send", keys: "[1, 2]", #", "arguments": {"to": "1"}"#),
            ] {
                _ = try admin.execute(Query(unsafe: statement))
            }
            let run = forgery.run("letter send", keys: keys, #", "arguments": {"to": "\#(to)"}"#)
                .replacing("->> 'outcome'", with: "->> 'locks'")
            let results = try #require(try forgery.result("support", ForgeryLab.begin, run, "rollback"))
            _ = try admin.execute("rollback")
            return try JSONDecoder().decode([Int64].self, from: Data(results.utf8))
        }
        let (one, other) = (try locks("[1, 2]", "1"), try locks("[2, 1]", " 01"))
        #expect(one.count == 5, "two letters and three people")
        #expect(one == other && one == one.sorted())
    }

    @Test func requestConvertsAKeyInAnArgumentToItsUsualSpelling() throws {
        let forgery = try lab()
        func ask(_ event: String) throws -> String? {
            try forgery.result(
                "support",
                inOne: ForgeryLab.ask("ask", forgery.request("event pin", #", "arguments": {"event": "\#(event)"}"#)))
        }
        #expect(try ask(ForgeryLab.event) == "done")
        #expect(try ask(ForgeryLab.eventAgain) == "US006", "there is already a request for the same change")
        #expect(
            try forgery.lab.value("select payload -> 'asks' -> 'arguments' ->> 'event' from usher.operation")
                == ForgeryLab.event)
        let pin = forgery.run("event pin", #", "arguments": {"event": "\#(ForgeryLab.eventAgain)"}"#)
        #expect(try forgery.result("admin", inOne: pin) == "done")
        #expect(
            try forgery.lab.value(
                "select payload -> 'arguments' ->> 'event' from usher.operation where kind = 'change'")
                == ForgeryLab.event)
    }
}
