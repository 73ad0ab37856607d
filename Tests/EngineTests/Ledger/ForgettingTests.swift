import Catalog
import Ledger
import PQ
import Support
import Testing

/// A deletion empties the entries of the audit log about the deleted user, and keeps the other entries.
@Suite struct ForgettingTests {
    private static let ada = "3f8a6e0c-6d0b-4f0a-9b3e-0f8f2d1c7a11"

    /// Payloads, each with the names of a user; `isForgotten` is true if the payload contains one of these names.
    static let payloads: [(payload: String, needles: [String], isForgotten: Bool)] = [
        (#"{"target": "ada@example.com"}"#, ["ada@example.com"], true),
        (#"{"target": "Ada@Example.com"}"#, ["aDA@eXAMPLE.COM"], true),
        (#"{"reason": "asked by ada@example.com, twice"}"#, ["ada@example.com"], true),
        (#"{"reason": "Asked by ada@example.com."}"#, ["ada@example.com"], true),
        (#"{"arguments": {"to": ["x", "<ada@example.com>"]}}"#, ["ada@example.com"], true),
        (#"{"because": "mailto:ada@example.com"}"#, ["nobody", "ada@example.com"], true),
        (#"{"users": ["3F8A6E0C-6d0b-4f0a-9b3e-0f8f2d1c7a11"]}"#, [ada], false),
        (#"{"path": "avatars/3f8a6e0c-6d0b-4f0a-9b3e-0f8f2d1c7a11/face.png"}"#, [ada], false),
        (#"{"target": "o'br\"ien\\x@example.com"}"#, [#"o'br"ien\x@example.com"#], true),
        (#"{"target": "a_b%c+d@example.com"}"#, ["a_b%c+d@example.com"], true),
        (#"{"target": "ärger@exämple.com"}"#, ["Ärger@exämple.com"], true),
        (#"{"user": "17"}"#, ["17"], false),

        (#"{"target": "joada@example.com"}"#, ["ada@example.com"], false),
        (#"{"target": "jo.ada@example.com"}"#, ["ada@example.com"], false),
        (#"{"target": "ada@example.com.au"}"#, ["ada@example.com"], false),
        (#"{"target": "ada@example.community"}"#, ["ada@example.com"], false),
        (#"{"target": "axb@example.com"}"#, ["a_b@example.com", "a.b@example.com", "a%@example.com"], false),
        (#"{"target": "ada@example.com"}"#, [""], false),
        (#"{"target": "ada@example.com"}"#, [], false),
        (#"{"arguments": {"days": 17}, "users": ["170"], "total": 17, "reason": "17"}"#, ["17"], false),
        (
            #"{"arguments": {"days": -3, "rate": 1.50}, "total": 12345678901234567890}"#,
            ["-3", "1.50", "12345678901234567890"], false
        ),
    ]

    /// The test searches for few names and for many names.
    @Test(arguments: [0, 100]) func deletionErasesAuditEntriesThatContainTheUserAsAWholeWord(besides: Int) throws {
        let lab = try LedgerLab()
        for (index, (payload, needles, isForgotten)) in Self.payloads.enumerated() {
            let (number, key) = (2 * index + 1, "person \(index)")
            // An operation on several users keeps the changes that don't contain the deleted user.
            try lab.commit(
                LedgerLab.entry(number, payload: #"{"users": ["\#(key)", "somebody else"]}"#), changes: [payload])
            let others = (0..<besides).map { "someone.\($0)@example.net" }
            #expect(try lab.forget(number + 1, key, addresses: needles + others) == (isForgotten ? 2 : 1))
            let isEmpty = try lab.value(
                "select payload is null from usher.change where operation = \(LedgerLab.id(number))")
            #expect(isEmpty == (isForgotten ? "t" : "f"), "\(needles) in \(payload)")
        }
        try lab.seal()
        #expect(try lab.problems() == [])
    }

    /// Payloads of operations; `isForgotten` is true if the operation is about Ada.
    static let subjects: [(payload: String, isForgotten: Bool)] = [
        (#"{"users": ["ada"]}"#, true),
        (#"{"users": ["ada", "bob"]}"#, true),
        (#"{"target": "ada"}"#, true),
        (#"{"target": "Ada@Example.com", "users": []}"#, true),
        (#"{"users": ["bob"], "reason": "as ada@example.com has it"}"#, false),
        (#"{"target": "ada@example.com.au"}"#, false),
        (#"{"users": ["adam"]}"#, false),
        (#"{}"#, false),
    ]

    @Test func deletionEmptiesOperationsAboutTheUser() throws {
        let lab = try LedgerLab()
        for (index, (payload, _)) in Self.subjects.enumerated() {
            try lab.commit(LedgerLab.entry(index + 1, payload: payload))
        }
        try lab.forget(99)
        for (index, (payload, isForgotten)) in Self.subjects.enumerated() {
            let isEmpty = try lab.value(
                "select payload is null from usher.operation where id = \(LedgerLab.id(index + 1))")
            #expect(isEmpty == (isForgotten ? "t" : "f"), "\(payload)")
        }
    }

    @Test func deletionErasesOnlyOperationsAndChangesAboutTheUser() throws {
        let lab = try LedgerLab()
        let changes = [
            #"{"table": "public.people", "key": {"id": "17"}, "after": {"score": 1}}"#,
            #"{"table": "public.people", "key": {"id": "18"}, "after": {"score": 17}}"#,
            #"{"before": {"email": "ada@example.com"}}"#,
        ]
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["17", "18"]}"#), changes: changes)
        try lab.commit(LedgerLab.entry(2, payload: #"{"users": ["17"]}"#), changes: changes)
        try lab.commit(LedgerLab.entry(3, payload: #"{"users": ["18"]}"#), changes: changes)
        #expect(try lab.forget(4, "17") == 7)
        let erased: Query = """
            select string_agg(right(operation::text, 1) || '.' || ordinal, ' ' order by 1) from (
                select operation, ordinal from usher.change where erased is not null order by 1, 2) e
            """
        #expect(try lab.value(erased) == "1.1 1.3 2.1 2.2 2.3")
        #expect(try lab.value("select count(*) from usher.change where (salt is null) <> (erased is not null)") == "0")
    }

    @Test func deletionErasesOnlyOperationsWithTheRootAndKeyOfTheUser() throws {
        let lab = try LedgerLab()
        for number in 1...3 {
            try lab.commit(LedgerLab.entry(number), changes: [#"{"of": "ada"}"#, #"{"of": "bob"}"#])
        }
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for (number, root, subjects) in [
            (1, "public.people", "{ada,bob}"), (2, "public.pets", "{ada}"), (3, "public.people", "{ada}"),
        ] {
            _ = try owner.execute(
                """
                update usher.operation set root = \(root), subjects = \(subjects)::text[] where id = \(LedgerLab.id(number))
                """)
            if number == 1 { continue }
            _ = try owner.execute("insert into usher.subject values (\(LedgerLab.id(number)), 1, 'ada')")
        }
        #expect(try lab.forget(4) == 5)
        let subjects: Query = """
            select string_agg(subjects::text, ' ' order by id) from usher.operation where subjects is not null
            """
        #expect(try lab.value(subjects) == "{bob} {ada} {}")
        let left: Query = "select string_agg(right(operation::text, 1), ' ') from usher.subject where key is not null"
        #expect(try lab.value(left) == "2")
        #expect(try lab.value("select erased from usher.subject where key is null") == LedgerLab.id(4))
        let emptied: Query = """
            select string_agg(right(id::text, 1), ' ' order by id) from usher.operation where payload is null
            """
        #expect(try lab.value(emptied) == "1 3")
    }

    /// Without a table of users, the same key can be a user of another app.
    ///
    /// Only attempts have no digest of the app file.
    @Test func deletionKeepsOperationsOfAppsWithoutATableOfUsers() throws {
        let lab = try LedgerLab()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for number in 1...2 {
            try lab.commit(LedgerLab.entry(number, payload: #"{"users": ["ada"], "target": "ada"}"#))
        }
        _ = try owner.execute("update usher.operation set app_digest = '\\x00' where id = \(LedgerLab.id(2))")
        #expect(try lab.forget(3) == 1)
        let emptied: Query = "select string_agg(right(id::text, 1), ' ') from usher.operation where payload is null"
        #expect(try lab.value(emptied) == "1")
    }

    /// A user whose email equals the name of an app can't erase the records of this app.
    @Test func deletionKeepsTheRecordsOfInstallations() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, .install, payload: #"{"target": "lab"}"#))
        #expect(try lab.forget(2, "eve", addresses: ["LAB"]) == 0)
        #expect(try lab.value("select payload ->> 'target' from usher.operation where kind = 'install'") == "lab")
    }

    /// Any word could be in a column for emails, so a word without @ erases no record.
    @Test(arguments: [("trial", false), ("@trial", false), ("trial@example.com", true)])
    func onlyATextThatLooksLikeAnEmailErasesAuditEntries(email: String, isForgotten: Bool) throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, payload: #"{"target": "\#(email)"}"#))
        #expect(try lab.forget(2, "eve", addresses: [email]) == (isForgotten ? 1 : 0))
    }

    @Test func sealsOfTheAuditLogStayValidAfterADeletion() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["ada@example.com"]}"#), changes: ["{}"])
        let head = try lab.seal()
        #expect(try lab.forget(2, "ada@example.com") == 2)
        #expect(try lab.forget(3, "ada@example.com") == 0)
        try lab.seal()
        #expect(try lab.problems(head: head) == [])
        #expect(try lab.value("select erased from usher.operation where id = \(LedgerLab.id(1))") == LedgerLab.id(2))
    }

    /// Payloads of operations on several users, and the texts that stay after one of these users is deleted.
    static let acts: [(payload: String, left: [String?])] = [
        (
            #"{"users": ["ada", "bob"], "target": "ada@example.com, bob@example.com", "reason": "Spring", "ticket": "T-7"}"#,
            ["2 users", "Spring", "T-7"]
        ), (#"{"users": ["ada", "bob"], "reason": "as ada@example.com asked"}"#, ["2 users", nil, nil]),
        (#"{"users": ["ada", "bob"], "reason": "for bob@example.com", "ticket": "T-8"}"#, ["2 users", nil, "T-8"]),
        (#"{"users": ["ada", "7001"], "reason": "7001 asked", "ticket": "T-70011"}"#, ["2 users", nil, "T-70011"]),
        (#"{"users": ["ada"], "target": "ada@example.com", "reason": "Spring"}"#, [nil, nil, nil]),
    ]

    @Test func deletionKeepsTextsOfAnOperationThatDoNotContainTheUser() throws {
        let lab = try LedgerLab()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for query in LedgerLab.people { _ = try owner.execute(query) }
        _ = try owner.execute("insert into people values ('bob')")
        _ = try owner.execute("insert into emails values ('bob', 'bob@example.com')")
        for (number, (payload, _)) in Self.acts.enumerated() {
            try lab.commit(LedgerLab.entry(number + 1, payload: payload))
            _ = try owner.execute(
                """
                update usher.operation
                   set root = 'public.people', subjects = array(select jsonb_array_elements_text(payload -> 'users'))
                 where id = \(LedgerLab.id(number + 1))
                """)
        }
        try lab.forget(9)
        func list() throws -> [[String?]] {
            try owner.execute(Query(file: "catalog/audit_list.sql", [nil, nil, nil, "10", nil])).rows
                .filter { $0.shown("command")?.text == "partner grant" }
                .sorted { ($0.shown("id")?.text ?? "") < ($1.shown("id")?.text ?? "") }
                .map { row in ["target", "reason", "ticket"].map { row.shown($0)?.text } }
        }
        #expect(try list() == Self.acts.map(\.left))
        #expect(try lab.value("select count(*) from usher.operation where payload::text ~ '\\mada\\M'") == "0")
        // The deletion of the last user doesn't find more texts to remove.
        _ = try owner.execute("delete from people")
        try lab.forget(10, "bob", addresses: [])
        #expect(try list() == Self.acts.map(\.left))
        #expect(try lab.value("select count(*) from usher.operation where payload::text ~ '\\m(ada|bob)\\M'") == "0")
    }

    /// A number counts as a key only in a column whose foreign key leads to the users.
    ///
    /// A key of the type char(n) is recorded with spaces. A value that isn't valid in the type of the key is no key.
    @Test(arguments: [("bigint", "7", "8"), ("char(4)", "7   ", "8   ")])
    func deletionErasesChangesWhoseForeignKeysLeadToTheUser(type: String, ada: String, bob: String) throws {
        let lab = try LedgerLab()
        let owner = try lab.database.connect(user: LedgerLab.owner)
        for query in [
            "create table members (id \(unsafe: type) primary key)",
            "create table profiles (member \(unsafe: type) primary key references members on delete cascade)",
            """
            create table posts (id integer primary key, score integer,
                                author \(unsafe: type) references profiles on delete cascade,
                                editor \(unsafe: type) references members on delete cascade)
            """, "insert into members values (7), (8)", "insert into profiles values (7), (8)",
        ] as [Query] { _ = try owner.execute(query) }
        let changes = [
            #"{"table": "public.posts", "key": {"id": 1}, "before": {"author": "\#(ada)", "editor": "\#(bob)"}}"#,
            #"{"table": "public.posts", "key": {"id": 2}, "before": {"author": "\#(bob)", "editor": "\#(ada)"}}"#,
            #"{"table": "public.posts", "key": {"id": 7}, "before": {"author": "\#(bob)", "score": 7}}"#,
            #"{"table": "public.profiles", "key": {"member": "\#(ada)"}}"#,
            #"{"table": "public.members", "key": {"id": "\#(bob)"}}"#,
            #"{"table": "public.posts", "key": {"id": 3}, "before": {"author": "no key of that type", "editor": 8}}"#,
            #"{"table": "public.posts", "key": {"id": 4}, "before": {"author": "\#(ada)"}}"#,
        ]
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["7", "8"]}"#), changes: changes)
        _ = try owner.execute(
            "update usher.operation set root = 'public.members', subjects = '{7,8}' where id = \(LedgerLab.id(1))")
        for query in [
            "begin", LedgerLab.erase(2, "7", table: "members"), "delete from members where id = '7'", "commit",
        ] as [Query] { _ = try owner.execute(query) }
        let erased: Query = """
            select string_agg(ordinal::text, ' ' order by ordinal) from usher.change where payload is null
            """
        #expect(try lab.value(erased) == "1 2 4 7")
    }
}
