import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// A search among many users runs in stages; here only the key has an index.
@Suite struct UserSearchTests {
    private static let clinic = Result { () throws -> (database: TestDatabase, app: App) in
        let database = try TestCluster.database(like: "clinic") { database in
            try database.run(
                "create table patients (id int primary key, email text)",
                """
                insert into patients
                select n, case n when 10 then 'a.needle@example.com' when 15000 then 'needle@example.com'
                                 when 18000 then 'b.needle@example.com' else 'p' || n || '@example.org' end
                  from generate_series(1, 150000) n
                """,
                "create table letters (id int primary key, number text, patient int)",
                "insert into letters values (1, 'GPA.4711-22', 7), (2, 'GPA.9', null)", "analyze")
        }
        let file = SourceFile(
            name: "clinic.sql",
            text: """
                -- @app clinic  Clinic
                -- @requires public.patients
                -- @users
                -- @key id
                -- @email email
                select p.id, p.email from public.patients p;
                -- @object letter  A letter.
                -- @key id
                -- @user patient
                -- @search number
                select l.id, l.number, l.patient from public.letters l;
                """)
        return (database, try AppParser.parse(file) { _ in nil })
    }

    private func find(
        _ text: String, limit: Int = 20, anywhere: Bool = false, reading: () -> Void = {}
    ) throws -> FoundUsers {
        let clinic = try Self.clinic.get()
        return try UserSearch.find(
            text, limit: limit, anywhere: anywhere, on: try clinic.database.connect(), candidates: [clinic.app],
            options: InquiryOptions(), reading: reading)
    }

    private func keys(_ found: FoundUsers) -> [String] { found.users.compactMap { $0.shown("id")?.text } }

    @Test func userSearchForPartsOfAnEmailWithoutAnIndexNeedsTheOptionAnywhere() throws {
        let found = try find("eedle@")
        #expect(found.way == nil)
        #expect(found.unsearched == ["email"])
        var isTold = false
        let all = try find("eedle@", anywhere: true) { isTold = true }
        #expect(keys(all) == ["10", "15000", "18000"])
        #expect(all.way == .anywhere && all.unsearched == [] && isTold)
        let cut = try find("eedle@", limit: 2, anywhere: true)
        #expect(keys(cut) == ["10", "15000"] && cut.isCut)
    }

    @Test func prefixMatchEndsTheUserSearchEvenWithTheOptionAnywhere() throws {
        let found = try find("needle", anywhere: true)
        #expect(keys(found) == ["15000"])
        #expect(found.way == .prefix)
    }

    @Test func userSearchFindsAWholeEmailInAnyLetterCaseWithoutAnIndex() throws {
        #expect(try keys(find("NEEDLE@example.com")) == ["15000"])
    }

    @Test func userSearchFindsUsersByTheFullOrPartialNameOfTheirObjects() throws {
        for text in ["GPA.4711-22", "GPA.47", "4711-"] {
            let found = try find(text)
            #expect(keys(found) == ["7"] && found.way == .object, "\(text)")
        }
        let ownerless = try find("GPA.9")
        #expect(ownerless.users.isEmpty)
        #expect(ownerless.untied.map(\.key) == ["2"])
    }

    @Test func userSearchWithoutAMatchNamesTheSearchedColumns() throws {
        let found = try find("nobody here", anywhere: true)
        #expect(found.searched == ["id", "email", "letter number"])
        #expect(found.unsearched == [])
    }

    /// usher doesn't search a column without an index, so the user may still exist.
    @Test func notFoundErrorNamesUnsearchedColumns() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table players (id text primary key, handle text, email text unique)",
            "insert into players select 'auth|' || n, 'Rook_' || n, n || '@example.com' from generate_series(1, 20000) n",
            "analyze players")
        let file = SourceFile(
            name: "game.sql",
            text: """
                -- @app game  Game
                -- @requires public.players
                -- @users
                -- @key id
                -- @email email
                -- @search handle, email
                select p.id, p.handle, p.email from public.players p;
                """)
        let app = try AppParser.parse(file) { _ in nil }
        func unsearched(_ name: String) throws -> [String]? {
            let failure = #expect(throws: Failure.self) {
                _ = try UserQuestion(user: name, wantsEverything: false).ask(
                    on: try database.connect(), candidates: [app], options: InquiryOptions())
            }
            guard let failure, failure.code == Failure.noUser, let hint = failure.hint else { return nil }
            guard let match = hint.prefixMatch(of: #/usher didn't search (.+), because no index helps/#) else {
                return []
            }
            return match.1.split(separator: ", ").map(String.init)
        }
        #expect(try unsearched("Rook_777") == ["handle"])
        #expect(try unsearched("nobody@example.com") == [])
        try database.run("create index on players (lower(handle))")
        #expect(try unsearched("Rook_0") == [])
        let found = try UserQuestion(user: "rook_777", wantsEverything: false).ask(
            on: try database.connect(), candidates: [app], options: InquiryOptions())
        #expect(found.user.key == "auth|777")
    }

    private static let choir = Result { () throws -> (database: TestDatabase, app: App) in
        let database = try TestCluster.database(like: "choir") { database in
            try database.run(
                "create table singers (id int primary key, name text, email text, phone text)",
                """
                insert into singers values
                    (1, 'Søren Kjærgård', 'soren@example.com', '4512345678'), (2, 'Zoë Łukaszewicz', 'zoe@example.com', null),
                    (3, 'Grace Hopper', 'grace@example.com', null), (4, 'Анна Петрова', 'anna@example.com', null),
                    (5, 'Conan O''Brien', 'conan@example.com', null), (6, 'Jürgen Müller', 'jm@example.com', null)
                """, "create table orders (id text primary key, singer int)",
                "insert into orders values ('GPA.47-11', 3)")
        }
        let file = SourceFile(
            name: "choir.sql",
            text: """
                -- @app choir  Choir
                -- @requires public.singers
                -- @elsewhere invoice in_* : Invoices are elsewhere.
                -- @users
                -- @key id
                -- @email email
                -- @search name, email, phone
                select s.id, s.name, s.email, s.phone from public.singers s;
                -- @object order  An order.
                -- @key id
                -- @user singer
                select o.id, o.singer from public.orders o;
                """)
        return (database, try AppParser.parse(file) { _ in nil })
    }

    private func singers(_ text: String) throws -> FoundUsers {
        let choir = try Self.choir.get()
        return try UserSearch.find(
            text, limit: 20, on: try choir.database.connect(), candidates: [choir.app], options: InquiryOptions())
    }

    @Test(arguments: [
        ("soren kjaergard", "1"), ("KJÆRGÅRD  Søren", "1"), ("Lukaszewicz, Zoe", "2"), ("ŁUKASZEWICZ", "2"),
        ("Hopper   Grace", "3"), ("АННА петрова", "4"), ("obrien", "5"), ("Mueller Juergen", "6"), ("muller", "6"),
    ])
    func userSearchIgnoresTheOrderOfWordsAndAccents(text: String, key: String) throws {
        #expect(try keys(singers(text)) == [key])
    }

    @Test(arguments: [
        ("Hi, my address is <Grace@Example.com>, please help!", "3"), ("my phone is +45 12 34 56 78", "1"),
        ("Google says the order GPA.47-11 was paid.", "3"), ("mailto:zoe@example.com", "2"),
        ("grace@example.com and zoe@example.com", "3 2"), ("user 4 can't sign in", "4"),
        ("https://example.com/users/4?tab=orders", "4"), ("https://example.com/?email=zoe%40example.com&x=y", "2"),
        ("grace at example.com", "3"), ("I am zoe (at) example [dot] com", "2"), ("0045 12 34 56 78", "1"),
        ("(+45) 12-34.56/78", "1"), ("012 34 56 78", "1"), ("call: 0045 (12) 345678.", "1"),
    ])
    func userSearchFindsEmailsPhonesAndIdsInAPastedText(text: String, expected: String) throws {
        #expect(try Set(keys(singers(text))) == Set(expected.split(separator: " ").map(String.init)))
    }

    @Test(arguments: [
        ("grce hopper", "grace@example.com"), ("garce@example.com", "grace@example.com"),
        ("Kjaregaard", "soren@example.com"), ("Luckaszevicz", "zoe@example.com"),
    ])
    func userSearchSuggestsUsersForAMisspelledName(text: String, email: String) throws {
        let found = try singers(text)
        #expect(found.users.isEmpty)
        #expect(found.close.contains(email), "\(found.close)")
    }

    /// A title, or a word that no user has, doesn't prevent a match of the other words.
    @Test(arguments: [
        ("Mrs. Grace Hopper", "3"), ("Dr. phil. Søren Kjærgård", "1"), ("Anna Hopper", "3"), ("frau müller", "6"),
        ("Hello, this is Grace Brewster Hopper, when does my subscription renew?", "3"),
        ("is it to go", ""), ("Rear Admiral Grace Brewster", ""),
    ])
    func userSearchFindsAUserDespiteATitleOrOtherWordsInTheText(text: String, expected: String) throws {
        let found = try singers(text)
        #expect(keys(found) == expected.split(separator: " ").map(String.init))
        #expect(found.way == (expected.isEmpty ? nil : .someWords))
    }

    @Test func userSearchWithoutAMatchNamesTheOtherSystemOfAnId() throws {
        #expect(try singers("in_1Abc").elsewhere.entries.map(\.name) == ["invoice"])
        #expect(try singers("He says that in_1Abc is wrong.").elsewhere.text == "in_1Abc")
        #expect(try singers("nobody").elsewhere.entries.isEmpty)
    }
}
