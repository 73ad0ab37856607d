import AppFile
import Changes
import PQ
import Support
import Testing

/// The key of the users can have a type with a length or a scale, or a type that ignores letter case.
@Suite struct KeyTypeTests {
    private static let app = """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p;
        -- @select unpaid  Users who did not pay.
        tier = 'free';
        -- @decision access  Does this person get in?
        -- @rule in  Paid.
        tier = 'paid';
        -- @rule out  Not paid.
        true;
        -- @action trial grant  Give a user access.
        -- @select unpaid
        -- @expect access in
        -- @do
        update public.people set tier = 'paid' where id = any(:users);
        """

    private func lab(_ type: String, _ keys: [String]) throws -> ChangeLab {
        let database = try Lab.withLedger().database
        let connection = try database.connect()
        for statement in [
            "create extension if not exists citext", "create domain public.code as char(8)", "drop table public.people",
            "create table public.people (id \(type) primary key, email text, tier text default 'free')",
        ] {
            _ = try connection.execute(Query(unsafe: statement))
        }
        for (number, key) in keys.enumerated() {
            let row = "insert into public.people (id, email) values ('\(key)', 'u\(number)@example.com')"
            _ = try connection.execute(Query(unsafe: row))
        }
        return try ChangeLab(database, try Lab.app(Self.app, header: ""))
    }

    static let similarKeys = [
        ("char(8)", ["A", "A0000001"]), ("code", ["A", "A0000001"]), ("bit(8)", ["10000000", "11111111"]),
        ("bit varying(8)", ["1", "11"]), ("numeric(6,2)", ["1.00", "1.01"]), ("citext", ["ada", "ADAM"]),
        ("timestamptz(0)", ["2026-01-01 00:00:00+00", "2026-01-01 00:00:01+00"]), ("\"char\"", ["a", "b"]),
        ("varchar(4)", ["a b", "a  b"]), ("interval", ["1 day", "25 hours"]), ("inet", ["10.0.0.1", "10.0.0.1/8"]),
    ]

    @Test(.long, arguments: sample(similarKeys)) func changeDoesNotConfuseSimilarKeys(type: String, keys: [String])
        throws
    {
        let lab = try lab(type, keys)
        let before = try lab.everything()
        for number in keys.indices {
            let report = try lab.run(.action("trial", "grant", on: "u\(number)@example.com"))
            #expect(report.changes.count == 1)
            #expect(
                try lab.rows("select email from people where tier = 'paid'") == [["u\(number)@example.com"]], "\(type)")
            try lab.undo(report.operation)
            #expect(try lab.everything() == before)
        }
        var all = ChangeRequest(.action(noun: "trial", verb: "grant"))
        all.selections = ["unpaid"]
        let session = try lab.session(all)
        #expect(try session.plan().changes.count == keys.count)
    }

    // MARK: References of another type

    private static let letters = """
        -- @action letter send  Send the letters of a user.
        -- @do
        update public.letters set text = 'sent'
         where exists (select from public.people p where p.id = person and p.id = any(:users));
        -- @action letter drop  Delete the letters of a user.
        -- @do
        delete from public.letters
         where exists (select from public.people p where p.id = person and p.id = any(:users));
        """
    private static let unpaidLetters = """
        -- @action letter send  Send the letters of a user.
        -- @select unpaid
        -- @do
        update public.letters set text = 'sent' where person = any(:users);
        """
    private static let days = ["2026-01-01", "2026-01-02"]
    private static let bothUsers = ["u0@example.com", "u1@example.com"]

    /// The type of the key, the type of the column that refers to the key, and the keys of two users.
    ///
    /// The column prints the keys in `printed`.
    static let references: [(type: String, column: String, keys: [String], printed: [String])] = [
        ("text", "char(4)", ["ada", "bob"], ["ada", "bob"]), ("text", "code", ["ada", "bob"], ["ada", "bob"]),
        ("char(4)", "text", ["ada", "bob"], ["ada", "bob"]),
        ("numeric", "numeric", ["5", "6"], ["5.000", "6.000"]), ("date", "timestamp", days, days),
        ("numeric", "integer", ["5.00", "6.00"], ["5", "6"]), ("numeric(6,2)", "bigint", ["5", "6"], ["5", "6"]),
        ("citext", "citext", ["ada", "bob"], ["ADA", "BOB"]),
    ]

    /// Two users, each with one letter, and the operation of an action on both letters.
    private func sent(
        _ verb: String, _ type: String, _ column: String, _ keys: [String], _ printed: [String]
    ) throws -> (lab: ChangeLab, operation: String) {
        let base = try lab(type, keys)
        try base.database.run(
            """
            create table public.letters (id integer primary key, text text,
                                         person \(column) references public.people on delete cascade)
            """,
            "insert into public.letters (id, person, text) values (1, '\(printed[0])', 'new'), (2, '\(printed[1])', 'new')"
        )
        let lab = try ChangeLab(base.database, try Lab.app(Self.app + "\n" + Self.letters, header: ""))
        var request = ChangeRequest.action("letter", verb)
        request.subjects = Self.bothUsers
        return (lab, try #require(try lab.run(request).operation))
    }

    @Test(.long, arguments: sample(references)) func undoWithExceptSkipsAReferenceOfAnotherType(
        type: String, column: String, keys: [String], printed: [String]
    ) throws {
        let (lab, operation) = try sent("send", type, column, keys, printed)
        var undo = ChangeRequest(.undo(operation: operation))
        undo.except = ["u1@example.com"]
        try lab.run(undo)
        func texts() throws -> [[String?]] { try lab.rows("select text from public.letters order by id") }
        #expect(try texts() == [["new"], ["sent"]], "\(type) \(column)")
        try lab.undo(operation)
        #expect(try texts() == [["new"], ["new"]], "\(type) \(column)")
    }

    /// The update of a letter doesn't change the column with its user.
    @Test(.long, arguments: sample(references), ["drop", "send"]) func deletionErasesChangesWithAReferenceOfAnotherType(
        reference: (type: String, column: String, keys: [String], printed: [String]), verb: String
    ) throws {
        let (type, column, keys, printed) = reference
        let (lab, operation) = try sent(verb, type, column, keys, printed)
        try lab.database.run(
            "begin",
            """
            select usher.erase('{"operation": "\(LedgerLab.id(1))", "keys": ["\(keys[0])"], "reason": "asked",
                "root": {"schema": "public", "table": "people", "key": "id"}}')
            """, "delete from public.people where id = '\(keys[0])'", "commit")
        let kept = try lab.rows(
            "select payload -> 'key' ->> 'id' from usher.change where operation = '\(operation)' order by payload is null"
        )
        #expect(kept == [["2"], [nil]], "\(type) \(column)")
        #expect(try lab.isIntact())
    }

    @Test func deletionErasesRecordedUsersOfARenamedTable() throws {
        let (lab, _) = try sent("send", "integer", "integer", ["1", "2"], ["1", "2"])
        try lab.database.run(
            "alter table public.letters rename to mail", "begin",
            """
            select usher.erase('{"operation": "\(LedgerLab.id(1))", "keys": ["1"], "reason": "asked",
                "root": {"schema": "public", "table": "people", "key": "id"}}')
            """, "delete from public.people where id = 1", "commit")
        let kept = try lab.rows("select payload -> 'users' ->> 'person' from usher.change where payload is not null")
        #expect(kept == [["2"]])
    }

    @Test(.long, arguments: sample(references)) func rowsOfTheNamedUsersDoNotCountAsRowsOfOtherUsers(
        type: String, column: String, keys: [String], printed: [String]
    ) throws {
        let (lab, _) = try sent("send", type, column, keys, printed)
        try lab.database.run("update public.letters set text = 'new'")
        #expect(try lab.plan(.action("letter", "drop", on: "u0@example.com")).others == nil, "\(type) \(column)")
        let report = try lab.run(.action("letter", "send", on: "u0@example.com"))
        #expect(report.changes.count == 1 && report.others == nil, "\(type) \(column)")
    }

    @Test func deletionErasesTheUserFromABulkChangeOfOtherColumns() throws {
        let base = try lab("integer", (1...900).map { "\($0)" })
        try base.database.run(
            "create table public.letters (id integer primary key, person integer references public.people, text text)",
            "insert into public.letters select id + 5000, id, 'new' from public.people")
        let lab = try ChangeLab(base.database, try Lab.app(Self.app + "\n" + Self.unpaidLetters, header: ""))
        var request = ChangeRequest.action("letter", "send")
        request.selections = ["unpaid"]
        let session = try lab.bulk(request)
        _ = try session.plan()
        #expect(try session.run { _ in true }.progress.changes == 900)
        let undo = try lab.bulk(ChangeRequest(.undo(operation: session.operation)))
        _ = try undo.plan()
        #expect(try undo.run { _ in true }.progress.done == 900)
        // The first batch is recorded row by row, and the last batch by one statement.
        for key in ["1", "900"] {
            try lab.database.run(
                "begin",
                """
                select usher.erase('{"operation": "\(LedgerLab.id(Int(key)!))", "keys": ["\(key)"], "reason": "asked",
                    "root": {"schema": "public", "table": "people", "key": "id"}}')
                """, "delete from public.letters where person = \(key)", "delete from public.people where id = \(key)",
                "commit")
            let erased = try lab.rows("select count(*) from usher.change where erased = '\(LedgerLab.id(Int(key)!))'")
            #expect(erased == [["2"]], "\(key)")
        }
        #expect(try lab.isIntact())
    }

    @Test func previewListsSelectedUsersByEmail() throws {
        let lab = try lab("integer", ["1", "2"])
        var all = ChangeRequest(.action(noun: "trial", verb: "grant"))
        all.selections = ["unpaid"]
        #expect(try lab.plan(all).subjects.map(\.label) == ["u0@example.com", "u1@example.com"])
    }
}
