import Asking
import Foundation
import PQ
import Support
import Testing

/// Users are deleted while a bulk change runs or after it ended, and operators undo parts of a bulk change.
@Suite(.waiting) struct BulkErasureTests {
    private let forgery: ForgeryLab

    /// Creates the users 101 to 109, and an item for each of the users 101 to 104.
    init() throws {
        let acts = """
            -- @object item  Items.
            -- @key id
            -- @user owner
            select i.* from public.items i;

            -- @action item bump  One more.
            -- @on item
            -- @role support
            -- @do
            update public.items set n = n + 1 where id = any(:keys);

            -- @action score give  One more, from a donor.
            -- @role support
            -- @arg donor: user
            -- @do
            update public.people set score = score + 1 where id = any(:users) and :donor > 0;

            -- @action score count  One more, and counts them.
            -- @role support
            -- @do
            update public.people set score = score + 1 where id = any(:users);
            -- @do
            update public.counters c set n = n + 1 from public.people p where p.id = any(:users);

            -- @action code swap  Changes the codes.
            -- @role support
            -- @do
            update public.codes set code = code || 'x' where person = any(:users);

            -- @action visit record  A row without a foreign key.
            -- @role support
            -- @do
            insert into public.visits (person) select unnest(:users);

            -- @action score wipe  Refused for users with a tier.
            -- @role support
            -- @refuse The user has a tier.
            tier is not null;
            -- @do
            update public.people set score = score + 1 where id = any(:users);

            """
        forgery = try ForgeryLab(
            acts: acts,
            tables: [
                "create table items (id integer primary key, owner integer references people on delete cascade, n integer)",
                "create table counters (id integer primary key, n integer)", "insert into counters values (1, 0)",
                "create table visits (id serial primary key, person integer)",
                "create table codes (code text primary key, person integer references people on delete cascade, v integer)",
            ],
            "insert into people (id, email, score) select n, 'p' || n || '@example.com', 0 from generate_series(101, 109) n",
            "insert into items select n, n + 100, 0 from generate_series(1, 4) n",
            "insert into codes select 'c' || n, n, 0 from generate_series(101, 102) n")
    }

    /// Begins a bulk change, and returns its id.
    private func begin(_ name: String, _ keys: ClosedRange<Int>, _ rest: String = "") throws -> String {
        let list = keys.map { "\"\($0)\"" }.joined(separator: ", ")
        let request = forgery.request(name, keys: "[\(list)]", rest)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", request)) == "begun")
        return try #require(
            try forgery.lab.value("select id from usher.operation where kind = 'bulk' order by at desc limit 1"))
    }

    private func id() -> String { UUID().uuidString.lowercased() }

    private func batch(_ bulk: String, size: Int = 2) throws -> String? {
        try forgery.result(
            "support",
            inOne: ForgeryLab.ask("batch", #"{"id": "\#(id())", "operation": "\#(bulk)", "size": \#(size)}"#))
    }

    /// Runs the remaining batches.
    private func finish(_ bulk: String) throws {
        for _ in 0..<20 where try batch(bulk) == "exhausted" { return }
        Issue.record("the bulk change does not end")
    }

    /// Undoes a bulk change, and returns the id of the undo.
    @discardableResult
    private func undo(_ bulk: String) throws -> String {
        let id = id()
        let request = #"{"id": "\#(id)", "undoes": "\#(bulk)"}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", request)) == "begun")
        try finish(id)
        return id
    }

    private func delete(_ user: Int) throws {
        let erase = """
            select usher.erase('{"operation": "\(id())", "app": "lab", "reason": "asked", "keys": ["\(user)"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}')
            """
        let last = try forgery.result("eraser", "begin", erase, "delete from people where id = \(user)", "commit")
        #expect(last?.count != 5, "the deletion failed: \(last ?? "")")
    }

    private func scores() throws -> String? {
        try forgery.lab.value("select string_agg(id || ' ' || score, ', ' order by id) from people where id > 100")
    }

    private func outcome(_ operation: String) throws -> String? {
        try forgery.lab.value("select usher.outcome('\(operation)')")
    }

    private func verify() throws { #expect(try forgery.lab.isIntact()) }

    @Test func bulkChangeOfObjectsContinuesAfterTheDeletionOfAnOwner() throws {
        let bulk = try begin("item bump", 1...4)
        #expect(try batch(bulk) == "done")
        try delete(101)
        try finish(bulk)
        #expect(
            try forgery.lab.value("select string_agg(id || ' ' || n, ', ' order by id) from items") == "2 1, 3 1, 4 1")
        try verify()
    }

    /// The record of each batch contains the donor, who is at the end of the list.
    @Test func bulkChangeContinuesAfterTheDeletionOfAUserIfAnArgumentIsOnTheList() throws {
        let bulk = try begin("score give", 101...109, #", "arguments": {"donor": "109"}"#)
        #expect(try batch(bulk) == "done")
        try delete(101)
        #expect(try batch(bulk) == "done")
        try delete(103)
        try finish(bulk)
        #expect(try scores() == "102 1, 104 1, 105 1, 106 1, 107 1, 108 1, 109 1")
        try verify()
    }

    /// Such an action takes one lock for all users, because the server's lock table is small.
    @Test func deletionDoesNotRunBesideAnActionOnMoreThanAHundredUsers() throws {
        try forgery.database.run("insert into people (id, score) select n, 0 from generate_series(201, 301) n")
        let keys = (201...301).map { "\"\($0)\"" }.joined(separator: ", ")
        let run = forgery.run("visit record", keys: "[\(keys)]")
        func erase(_ user: Int) -> String {
            """
            select coalesce(e.emptied::text, 'locked')
              from usher.erase('{"operation": "\(id())", "app": "lab", "reason": "asked", "keys": ["\(user)"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}') e
            """
        }
        let early = try forgery.database.connect(user: ForgeryLab.login("eraser"))
        for statement in [ForgeryLab.begin, "select count(*) from people"] {
            _ = try early.execute(Query(unsafe: statement))
        }
        let support = try forgery.database.connect(user: ForgeryLab.login("support"))
        for statement in ["select usher.advance_clock()", ForgeryLab.begin, run] {
            _ = try support.execute(Query(unsafe: statement))
        }
        #expect(try forgery.result("eraser", "begin", erase(201), "rollback") == "locked")
        _ = try support.execute("commit")
        let conflict = #expect(throws: PQError.self) { _ = try early.execute(Query(unsafe: erase(201))) }
        #expect(conflict.flatMap { Failure($0).state } == .serializationFailure)
        try forgery.database.run("grant select, delete on people to usher_eraser")
        let eraser = try forgery.database.connect(user: ForgeryLab.login("eraser"))
        for statement in ["select usher.advance_clock()", ForgeryLab.begin, "select count(*) from usher.operation"] {
            _ = try support.execute(Query(unsafe: statement))
        }
        for statement in ["begin", erase(202)] { _ = try eraser.execute(Query(unsafe: statement)) }
        #expect(try forgery.result("support", ForgeryLab.begin, run, "rollback") == "locked")
        #expect(try forgery.result("eraser", "begin", erase(102), "rollback") == "locked")
        for statement in ["delete from people where id = 202", "commit"] {
            _ = try eraser.execute(Query(unsafe: statement))
        }
        // The snapshot is older than the deletion.
        let late = #expect(throws: PQError.self) { _ = try support.execute(Query(unsafe: run)) }
        #expect(late.flatMap { Failure($0).state } == .serializationFailure)
    }

    /// Otherwise the record would keep the key or the email of the deleted user.
    @Test func deletionDoesNotRunBesideARecordAboutTheUser() throws {
        let operation = try forgery.done("admin", "tier set", #", "keys": ["102"], "arguments": {"tier": "paid"}"#)
        let again = #"{"id": "\#(id())", "operation": "\#(operation)", "reason": "no"}"#
        #expect(
            try forgery.result(
                "support",
                inOne: ForgeryLab.ask(
                    "ask", forgery.request("tier set", keys: #"["102"]"#, #", "arguments": {"tier": "paid"}"#)))
                == "done")
        let asked = try #require(try forgery.lab.value("select operation from usher.request"))
        let answer = #"{"id": "\#(id())", "request": "\#(asked)", "answer": "withdraw", "reason": "no"}"#
        let list = forgery.request("score raise", keys: #"["101", "102"]"#)
        let erase = """
            select coalesce(e.emptied::text, 'locked')
              from usher.erase('{"operation": "\(id())", "app": "lab", "reason": "asked", "keys": ["102"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}') e
            """
        for (function, request) in [("ask", again), ("answer", answer), ("begin", list)] {
            let support = try forgery.database.connect(user: ForgeryLab.login("support"))
            for statement in [
                "select usher.advance_clock()", ForgeryLab.begin, ForgeryLab.ask(function, request),
            ] {
                _ = try support.execute(Query(unsafe: statement))
            }
            #expect(try forgery.result("eraser", "begin", erase, "rollback") == "locked", "\(function)")
            _ = try support.execute("rollback")
        }
    }

    /// Every operator can read the record of a bulk change, and could guess the keys in a digest without a salt.
    @Test func recordOfABulkChangeHasNoDigestOfItsUsers() throws {
        let records = try ["[\"101\", \"102\"]", "[\"103\", \"104\"]"].map { keys in
            let request = forgery.request("score raise", keys: keys)
            #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", request)) == "begun")
            return try forgery.lab.value(
                "select payload - '{list,now}'::text[] from usher.operation where kind = 'bulk' order by at desc limit 1"
            )
        }
        #expect(records[0] == records[1])
    }

    @Test func refusedUserOfTheLastBatchCountsAsProcessedAfterADeletion() throws {
        try forgery.database.run("update people set tier = 'paid' where id = 102")
        let bulk = try begin("score wipe", 101...102)
        try finish(bulk)
        try verify()
        try delete(101)
        try verify()
    }

    /// The deletion of a user erases the record of a bulk change if its reason names the user.
    @Test func bulkChangeWithAnErasedRecordEnds() throws {
        let request = #", "reason": "asked by p101@example.com""#
        let bulk = try begin("score raise", 101...104, request)
        #expect(try batch(bulk) == "done")
        #expect(try outcome(bulk) == "running")
        try delete(101)
        #expect(try outcome(bulk) == "partial")
        #expect(try batch(bulk) == "US003")
        #expect(try scores()?.hasPrefix("102 1, 103 0, 104 0") == true)
        try verify()
    }

    /// A second undo restores only rows that the first undo skipped, although the other rows have the same values again.
    @Test func undoOfABulkUndoWorksAlthoughALaterUndoChangedNothing() throws {
        let bulk = try begin("score raise", 101...103)
        try finish(bulk)
        try forgery.database.run("update people set score = 50 where id = 103")
        let first = try undo(bulk)
        try undo(bulk)
        #expect(try scores()?.hasPrefix("101 0, 102 0, 103 50") == true)
        try undo(first)
        #expect(try scores()?.hasPrefix("101 1, 102 1, 103 50") == true)
        try verify()
    }

    /// A row that belongs to no user is left over from the first undo.
    @Test func secondUndoRestoresARowWithoutAnOwner() throws {
        let bulk = try begin("score count", 104...105)
        try finish(bulk)
        try forgery.database.run("update counters set n = n + 10")
        for total in [11, 0] {
            try undo(bulk)
            #expect(try forgery.lab.value("select n from counters") == String(total))
            try forgery.database.run("update counters set n = n - 10 where n > 10")
        }
        #expect(try outcome(bulk) == "undone")
        try verify()
    }

    /// The record of a change of a key is a deleted and an inserted row.
    @Test func undoOfABulkChangeDoesNotInsertARowWhoseKeyChangedTwice() throws {
        let bulk = try begin("code swap", 101...102)
        try finish(bulk)
        try forgery.database.run("update codes set v = 5 where code = 'c101x'")
        try undo(bulk)
        #expect(
            try forgery.lab.value("select string_agg(code || ' ' || v, ', ' order by code) from codes")
                == "c101x 5, c102x 0")
        try verify()
    }

    @Test func undoOfABulkChangeSkipsRowsOfAnEarlierUndo() throws {
        let bulk = try begin("score raise", 107...108)
        try finish(bulk)
        let part = try #require(
            try forgery.lab.value("select id from usher.operation where kind = 'batch' and parent = '\(bulk)'"))
        let except = #"{"id": "\#(id())", "operation": "\#(part)", "except": ["108"]}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("undo", except)) == "done")
        #expect(try forgery.result("support", inOne: forgery.run("score raise", keys: #"["107"]"#)) == "done")
        try undo(bulk)
        #expect(try scores()?.hasSuffix("107 1, 108 0, 109 0") == true)
        #expect(try outcome(bulk) == "undone")
        try verify()
    }
}
