import Changes
import Foundation
import PQ
import Support
import Testing

/// If the owner writes contradictory entries with SQL, `audit verify` finds them.
@Suite struct OwnerForgeryTests {
    /// Runs statements as the owner, and returns the findings.
    private func findings(_ forgery: ForgeryLab, _ statements: String...) throws -> [String] {
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        for statement in statements { _ = try owner.execute(Query(unsafe: statement)) }
        return try forgery.database.auditFindings(user: ForgeryLab.owner)
    }

    /// The SQL that copies an operation under another id.
    private func copy(_ number: Int, of source: String, _ values: String) -> String {
        """
        insert into usher.operation select (jsonb_populate_record(o, '{"id": "\(LedgerLab.id(number))", \(values)}')).*
          from usher.operation o where o.id = '\(source)'
        """
    }

    /// Begins a bulk change, and runs one of its two batches.
    private func begun(_ forgery: ForgeryLab) throws -> (bulk: String, batch: String) {
        let whole = forgery.request("score raise", keys: "[1, 2, 3]")
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        let part = #"{"id": "\#(LedgerLab.id(1))", "operation": "\#(bulk)", "size": 2}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("batch", part)) == "done")
        #expect(try forgery.database.auditFindings() == [])
        return (bulk, LedgerLab.id(1))
    }

    @Test func auditVerifyFindsDoneOperationsThatChangedNothing() throws {
        let forgery = try ForgeryLab()
        let change = try forgery.done("support", "score raise")
        #expect(try findings(forgery, copy(2, of: change, #""kind": "change", "outcome": "refused""#)) == [])
        #expect(
            try findings(forgery, copy(3, of: change, #""kind": "change""#))
                == ["\(LedgerLab.id(3)) the operation is recorded as done, but changed nothing"])
        #expect(
            try findings(
                forgery, "delete from usher.operation where id = '\(LedgerLab.id(3))'",
                copy(4, of: change, #""kind": "undo", "undoes": "\#(change)", "command": "audit undo""#))
                == ["\(LedgerLab.id(4)) the operation is the undo of \(change), but changed no rows"])
    }

    @Test func auditVerifyFindsABatchOrUndoWithoutItsOperation() throws {
        let forgery = try ForgeryLab()
        let (bulk, batch) = try begun(forgery)
        let changed =
            "insert into usher.change select '\(LedgerLab.id(2))', ordinal, digest, salt, payload from usher.change"
        func forged(_ values: String) throws -> [String] {
            defer {
                try? forgery.database.run(
                    "delete from usher.operation where id = '\(LedgerLab.id(2))'",
                    "delete from usher.change where operation = '\(LedgerLab.id(2))'")
            }
            return try findings(forgery, copy(2, of: batch, #""subjects": [], "payload": {}, \#(values)"#), changed)
                .filter { !$0.contains("payload") }
        }
        let (own, nothing) = (LedgerLab.id(2), LedgerLab.id(9))
        #expect(
            try forged(#""parent": "\#(nothing)""#)
                == ["\(own) the operation is a batch of \(nothing), but there is no such operation"])
        #expect(
            try forged(#""parent": null"#)
                == ["\(own) the operation is a batch, but its record contains no bulk change"])
        #expect(
            try forged(#""parent": "\#(batch)""#) == [
                "\(own) the operation is a batch of \(batch), but that operation is not its bulk change or deletion"
            ])
        #expect(
            try forged(#""command": "score clear""#) == [
                "\(own) the operation is a batch of \(bulk), but that operation is not its bulk change or deletion"
            ])
        #expect(
            try forged(#""kind": "undo", "parent": null, "command": "audit undo", "undoes": "\#(nothing)""#)
                == ["\(own) the operation is the undo of \(nothing), but there is no such operation"])
        #expect(
            try findings(forgery, "delete from usher.operation where id = '\(bulk)'").filter { $0.contains("batch of") }
                == ["\(batch) the operation is a batch of \(bulk), but there is no such operation"])
    }

    @Test func auditVerifyFindsAChangedListOfUsersOfABulkChange() throws {
        let forgery = try ForgeryLab()
        let (bulk, batch) = try begun(forgery)
        try forgery.database.run("create table kept as select * from usher.subject")
        // Returns the findings, without two findings that every change of the list causes.
        func findings(_ forgery: ForgeryLab, _ statements: String...) throws -> [String] {
            let owner = try forgery.database.connect(user: ForgeryLab.owner)
            for statement in statements { _ = try owner.execute(Query(unsafe: statement)) }
            return try forgery.database.auditFindings(user: ForgeryLab.owner).filter {
                !$0.hasSuffix("the list of users differs from the list at the start")
                    && !$0.hasSuffix("differ from their digests")
            }
        }
        let delete = "delete from usher.subject where ordinal = 3"
        #expect(
            try findings(forgery, delete, "insert into usher.subject values ('\(bulk)', 4, '3')")
                == ["\(bulk) the bulk change should list 3 users, numbered from 1, but lists 3"])
        #expect(
            try findings(forgery, "delete from usher.subject where ordinal = 4")
                == ["\(bulk) the bulk change should list 3 users, numbered from 1, but lists 2"])
        #expect(
            try findings(forgery, "insert into usher.subject values ('\(bulk)', 3, null)")
                == ["\(bulk) 1 of its users are missing from the list, but no deletion of them is recorded"])
        #expect(
            try findings(
                forgery, "update usher.subject set key = '3', erased = null where ordinal = 3",
                "update usher.subject set key = '7' where ordinal = 1")
                == ["\(bulk) the batches contain 1 users who are not on the list of users"])
        #expect(
            try findings(
                forgery, "update usher.subject set key = '1' where ordinal = 1",
                "insert into usher.subject values ('\(batch)', 1, '1')")
                == ["\(batch) 1 users are listed for this operation, but it is not a bulk change"])
        #expect(try findings(forgery, "delete from usher.subject where operation = '\(batch)'") == [])
        // The counts of a finished bulk change must be right, too.
        try forgery.database.run("delete from usher.subject", "insert into usher.subject select * from kept")
        #expect(try forgery.database.auditFindings() == [])
        for number in [2, 3] {
            let part = #"{"id": "\#(LedgerLab.id(number))", "operation": "\#(bulk)", "size": 2}"#
            #expect(
                try forgery.result("support", inOne: ForgeryLab.ask("batch", part))
                    == (number == 2 ? "done" : "exhausted"))
        }
        #expect(try findings(forgery) == [])
        #expect(
            try findings(forgery, "delete from usher.subject")
                == [
                    "\(bulk) the bulk change should list 3 users, numbered from 1, but lists 0",
                    "\(bulk) the batches contain 3 users who are not on the list of users",
                ])
    }

    @Test(arguments: [
        "update usher.subject set key = '3' where ordinal = 2",
        """
        update usher.subject set key = '3', salt = '\\x01', digest = sha256('\\x01' || convert_to('2 3', 'UTF8')) where ordinal = 2
        """,
        "insert into usher.subject select operation, 3, '3' from usher.subject where ordinal = 2",
        "delete from usher.subject where ordinal = 2", "update usher.subject set key = null where ordinal = 2",
        "update usher.subject set key = case ordinal when 1 then '2' else '1' end",
    ]) func bulkChangeStopsIfItsListOfUsersWasChanged(forgery statement: String) throws {
        let forgery = try ForgeryLab()
        let whole = forgery.request("score raise", keys: #"["1", "2"]"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        let bulk = try #require(try forgery.lab.value("select id from usher.operation where kind = 'bulk'"))
        #expect(try findings(forgery) == [])
        let before = try forgery.lab.everything()
        let found = try findings(forgery, statement)
        #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("\(bulk) ") }, "\(found)")
        for size in 1...2 {
            let part = #"{"id": "\#(LedgerLab.id(1))", "operation": "\#(bulk)", "size": \#(size)}"#
            #expect(try forgery.result("support", inOne: ForgeryLab.ask("batch", part)) == "US003")
        }
        #expect(try forgery.lab.everything() == before)
    }

    @Test func bulkChangeSkipsUsersWhoWereDeletedMeanwhile() throws {
        let forgery = try ForgeryLab()
        let (bulk, _) = try begun(forgery)
        try forgery.database.run("grant select, delete on people to usher_eraser")
        let erase = #"""
            select usher.erase('{"operation": "\#(LedgerLab.id(5))", "app": "lab", "reason": "asked", "keys": ["3"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}')
            """#
        #expect(try forgery.result("eraser", inOne: erase, "delete from people where id = 3") != nil)
        #expect(try forgery.lab.value("select count(*) from usher.subject where key is null") == "1")
        #expect(try findings(forgery) == [])
        let part = #"{"id": "\#(LedgerLab.id(2))", "operation": "\#(bulk)", "size": 2}"#
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("batch", part)) == "exhausted")
        #expect(try findings(forgery) == [])
    }

    /// A deletion removes the deleted users from the lists of bulk changes, and its seal covers these removals.
    ///
    /// So `audit verify` finds a user whom the owner removed later.
    @Test func auditVerifyFindsAUserRemovedAfterTheSeal() throws {
        let forgery = try ForgeryLab()
        let whole = forgery.request("score raise", keys: #"["1", "2", "3"]"#)
        #expect(try forgery.result("support", inOne: ForgeryLab.ask("begin", whole)) == "begun")
        try forgery.database.run("delete from people where id = 3")
        let erasure = LedgerLab.id(5)
        let erase = #"""
            select usher.erase('{"operation": "\#(erasure)", "app": "lab", "reason": "asked", "keys": ["3"],
                                 "root": {"schema": "public", "table": "people", "key": "id"}}')
            """#
        #expect(try forgery.result("eraser", inOne: erase) != nil)
        try eventually("the operation is sealed") {
            _ = try forgery.result("support", "select usher.seal()")
            return try forgery.lab.value("select count(*) from usher.sealed where operation = '\(erasure)'") == "1"
        }
        #expect(try findings(forgery) == [])
        #expect(
            try findings(
                forgery,
                "update usher.subject set key = null, salt = null, erased = '\(erasure)' where ordinal = 2")
                == [
                    "\(erasure) the operation, one of its changes or a record that it erased was altered after it was sealed"
                ])
    }

    @Test func auditVerifyFindsInstalledActionsThatDifferFromTheRecord() throws {
        let forgery = try ForgeryLab()
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        try InstalledApp.install(forgery.lab.app, recorded: true, on: owner)
        #expect(try findings(forgery) == [])
        let install = try #require(try forgery.lab.value("select id from usher.operation where kind = 'install'"))
        for (forge, back) in [
            (
                "update usher.act set role = 'usher_support' where name = 'score clear'",
                "update usher.act set role = 'usher_engineer' where name = 'score clear'"
            ),
            (
                "update usher.act set definition = definition || '{\"final\": true}' where name = 'word check'",
                "update usher.act set definition = definition || '{\"final\": false}' where name = 'word check'"
            ),
            (
                "insert into usher.act select app, digest, kind, 'planted', role, definition from usher.act where name = 'tier set'",
                "delete from usher.act where name = 'planted'"
            ),
            (
                "update usher.act set digest = 'x' where name = 'tier set'",
                "update usher.act set digest = (select digest from usher.act where kind = 'app') where name = 'tier set'"
            ),
        ] {
            #expect(
                try findings(forgery, forge).contains(
                    "\(install) the installed actions of lab differ from the recorded ones"),
                "\(forge)")
            #expect(try findings(forgery, back) == [])
        }
        #expect(
            try findings(forgery, "update usher.act set retired_at = clock_timestamp() where name = 'tier set'")
                == ["\(install) 1 actions of lab are enabled or disabled, but the record of the installation differs"])
        // A newly installed app file replaces the actions, and the record matches again.
        _ = try findings(forgery, "update usher.act set retired_at = null where name = 'tier set'")
        let other = try Lab.app(ForgeryLab.app.replacing("-- @role engineer", with: "-- @role admin"), header: "")
        try InstalledApp.install(other, recorded: true, on: owner)
        #expect(try findings(forgery) == [])
        let later = try #require(
            try forgery.lab.value("select id from usher.operation where kind = 'install' order by at desc limit 1"))
        #expect(
            try findings(
                forgery, "update usher.act set retired_at = null where role = 'usher_engineer' and kind = 'action'")
                == ["\(later) 1 actions of lab are enabled or disabled, but the record of the installation differs"])
        _ = try findings(
            forgery,
            "update usher.act set retired_at = clock_timestamp() where role = 'usher_engineer' and kind = 'action'",
            """
            insert into usher.act (app, digest, kind, name, role, definition)
            select 'another', digest, kind, name, role, definition from usher.act where retired_at is null and kind = 'app'
            """)
        #expect(try findings(forgery) == ["1 actions of another are enabled, but no installation of them is recorded"])
    }
}
