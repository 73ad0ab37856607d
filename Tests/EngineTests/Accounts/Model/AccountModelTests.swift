import Accounts
import AppFile
import Asking
import PQ
import Support
import Testing

/// A deletion deletes, keeps or detaches each row as an independent computation expects, also in fixed examples.
@Suite(.waiting) struct AccountModelTests {
    @Test func deletionInARandomSchemaMatchesAnIndependentComputation() throws {
        let lab = try ErasureLab()
        try OracleSchema.attempt { try problem($0, lab) }
    }

    private func problem(_ schema: OracleSchema, _ lab: ErasureLab) throws -> String? {
        let connection = try lab.database.connect()
        let reset = [
            "drop schema public cascade", "create schema public",
            "grant usage on schema public to \(ErasureLab.hosted)",
        ]
        for outcome in try connection.pipeline([(reset + schema.statements).map { Query(unsafe: $0) }])[0] {
            if case .failure(let error) = outcome { return "\(OracleSchema.unfit): \(error.message)" }
        }
        try lab.grant()
        let before = try rows(schema, lab)
        var outcome: OracleSchema.Outcome
        do {
            try lab.delete("1", root: "public.t0", collateral: schema.answer)
            outcome = .left(try rows(schema, lab))
        } catch let failure as Failure {
            if failure.kind != .refused { return "failed: \(failure.message) \(failure.details)" }
            guard try rows(schema, lab) == before else { return "refused, and changed something" }
            outcome = .refused
        }
        return outcome == schema.outcome ? nil : "\(outcome) instead of \(schema.outcome)"
    }

    private func rows(_ schema: OracleSchema, _ lab: ErasureLab) throws -> [[[Int?]]] {
        try schema.tables.indices.map { table in
            try lab.rows("select * from t\(table) order by id").map { $0.map { $0.flatMap { Int($0) } } }
        }
    }

    // MARK: Fixed examples

    private static let people = [
        "create table users (id int primary key, email text)",
        "insert into users values (42, 'ada@example.com'), (7, 'bob@example.com'), (8, 'cy@example.com')",
    ]

    private func lab(_ statements: String...) throws -> ErasureLab { try ErasureLab(Self.people + statements) }

    private func left(_ table: String, _ lab: ErasureLab) throws -> [String] {
        try lab.rows("select t::text from \(table) t order by 1").compactMap { $0[0] }
    }

    @Test func deletionCountsAnAttachmentOnAnotherUsersPostAsShared() throws {
        let lab = try lab(
            "create table posts (id int primary key, author int not null references users on delete cascade)",
            """
            create table folders (id int primary key, owner int not null references users on delete cascade)
            """,
            """
            create table attachments (id int primary key, folder int not null references folders on delete cascade,
                                      post int not null references posts on delete cascade)
            """,
            "insert into posts values (1, 42), (2, 7)", "insert into folders values (1, 42), (2, 7)",
            "insert into attachments values (1, 1, 1), (2, 1, 2), (3, 2, 2)")
        let refusal = try failure { try lab.delete("42") }
        #expect(refusal.kind == .refused && refusal.details == ["public.attachments: 1 of 2"])
        try lab.delete("42", collateral: .delete)
        #expect(try left("attachments", lab) == ["(3,2,2)"])
    }

    @Test func deletionDeletesOrderLinesWithTheirOrder() throws {
        let lab = try lab(
            "create table products (id int primary key)", "insert into products values (1)",
            "create table orders (id int primary key, buyer int not null references users)",
            """
            create table lines (id int primary key, bought int not null references orders,
                                product int not null references products)
            """,
            "insert into orders values (1, 42), (2, 7)", "insert into lines values (1, 1, 1), (2, 2, 1)")
        let report = try lab.delete("42")
        #expect(report.isVerified)
        #expect(try left("lines", lab) == ["(2,2,1)"] && left("products", lab) == ["(1)"])
    }

    @Test func deletionRemovesTheUserFromAnArrayColumn() throws {
        let lab = try lab(
            "create table chats (id int primary key, members int[])", "insert into chats values (1, '{7,42,8}')")
        let app = try ErasureLab.app(["@refers public.chats.members -> public.users.id"])
        try lab.delete("42", root: nil, app: app)
        #expect(try left("chats", lab) == ["(1,\"{7,8}\")"])
    }

    @Test func polymorphicReferenceAppliesOnlyToRowsOfItsCondition() throws {
        let lab = try lab(
            "create table posts (id int primary key, author int not null references users on delete cascade)",
            "create table votes (id int primary key, kind text, target text)",
            "insert into posts values (1, 42), (2, 7)",
            "insert into votes values (1, 'post', '1'), (2, 'post', '2'), (3, 'user', '42'), (4, 'other', '1')")
        let app = try ErasureLab.app([
            "@refers public.votes.target -> public.posts.id where kind = 'post'",
            "@refers public.votes.target -> public.users.id where kind = 'user'",
        ])
        try lab.delete("42", root: nil, app: app)
        #expect(try left("votes", lab) == ["(2,post,2)", "(4,other,1)"])
    }

    @Test func keepDirectiveWithViaAppliesOnlyToTheNamedColumn() throws {
        let lab = try lab(
            """
            create table deals (id int primary key, seller int references users on delete cascade,
                                buyer int references users on delete cascade)
            """, "insert into deals values (1, 42, null), (2, null, 42), (3, 7, 8)")
        let app = try ErasureLab.app(["@keep public.deals via buyer : Bookkeeping."])
        try lab.delete("42", root: nil, app: app)
        #expect(try left("deals", lab) == ["(2,,)", "(3,7,8)"])
    }

    @Test func ownedRowIsDeletedWhenNothingElseRefersToIt() throws {
        let lab = try lab(
            "create table countries (id int primary key)",
            "create table addresses (id int primary key, country int references countries)",
            "create table homes (id int primary key, owner int references users on delete cascade, address int references addresses)",
            "insert into countries values (1), (2)", "insert into addresses values (1, 1), (2, 2), (3, 1)",
            "insert into homes values (1, 42, 1), (2, 42, 2), (3, 7, 2)")
        let app = try ErasureLab.app([
            "@owns public.homes.address -> public.addresses.id",
            "@owns public.addresses.country -> public.countries.id",
        ])
        let report = try lab.delete("42", root: nil, app: app)
        let addresses = try left("addresses", lab)
        #expect(
            addresses == ["(2,2)", "(3,1)"],
            "\(report.plan.entries) \(report.plan.warnings) \(app.account?.owned ?? [])")
        #expect(try left("countries", lab) == ["(1)", "(2)"])
        try lab.database.run("delete from addresses where id = 3")
        try lab.delete("7", root: nil, app: app)
        #expect(try left("addresses", lab).isEmpty && left("countries", lab) == ["(1)"])
    }

    private static let threads = [
        "create table threads (id int primary key, owner int references users on delete cascade)",
        "insert into threads values (1, 42), (2, 7)",
    ]

    /// The deletion sets `handler` to null, so `where handler is null` would then match one more row.
    @Test func deletionDoesNotDeleteRowsThatMatchADirectiveOnlyAfterItsUpdate() throws {
        let lab = try ErasureLab(
            Self.people + Self.threads + [
                """
                create table notes (id int primary key, author int references users,
                                    handler int references users on delete set null, thread int)
                """,
                "insert into notes values (1, 7, 42, 1), (2, null, null, 1), (3, 7, null, 2)",
            ])
        let app = try ErasureLab.app(["@refers public.notes.thread -> public.threads.id where handler is null"])
        let before = try lab.everything()
        #expect(try failure { try lab.delete("42", root: nil, app: app) }.kind == .refused)
        #expect(try lab.everything() == before)
    }

    @Test(arguments: [
        ("@keep public.posts via author : Law.", ["(1,,,,open)", "(2,,7,,open)", "(3,7,,2,open)"]),
        ("@keep public.posts where state = 'open' : Law.", ["(1,,,,open)", "(2,,7,,open)", "(3,7,,2,open)"]),
        ("@set public.posts.author = 8 via author : Law.", ["(1,8,,,open)", "(2,8,7,,open)", "(3,7,,2,open)"]),
    ]) func rowsThatStayByKeepOrSetLoseTheirReferencesToDeletedRows(line: String, rows: [String]) throws {
        let lab = try ErasureLab(
            Self.people + Self.threads + [
                """
                create table posts (id int primary key, author int references users,
                                    editor int references users on delete cascade, thread int, state text)
                """,
                "insert into posts values (1, 42, null, 1, 'open'), (2, 42, 7, 1, 'open'), (3, 7, null, 2, 'open'), (4, null, null, 1, 'guest')",
            ])
        let app = try ErasureLab.app(["@refers public.posts.thread -> public.threads.id", line])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("posts", lab) == rows)
    }

    @Test func rowsOutsideTheConditionOfASetDirectiveAreDeleted() throws {
        let lab = try lab(
            "create table posts (id int primary key, author int references users, k int)",
            "insert into posts values (1, 42, 0), (2, 42, 1), (3, 7, 0)")
        let app = try ErasureLab.app(["@set public.posts.author = 8 where k = 0 : They stay."])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("posts", lab) == ["(1,8,0)", "(3,7,0)"])
    }

    @Test(arguments: ["42", "null", "9"]) func deletionIsRefusedIfSharedRowsDoNotGetANewOwner(heir: String) throws {
        let lab = try lab(
            "create table notes (id int primary key, a int references users, b int references users on delete set null)",
            "insert into notes values (1, 42, 42), (2, 7, 42), (3, 42, 7)")
        let app = try ErasureLab.app(["@shared public.notes : give = \(heir) : They stay."])
        let failure = try failure { try lab.delete("42", root: nil, app: app) }
        #expect(failure.message.contains("shared with other users"), "\(failure)")
        #expect(try lab.delete("42", root: nil, app: app, collateral: .delete).isVerified)
        #expect(try left("notes", lab) == ["(2,7,)"])
    }

    /// Every reference to the deleted user gets the new user, whichever foreign key is older.
    @Test(arguments: [["author", "editor"], ["editor", "author"]])
    func giveReplacesEveryReferenceToTheUser(keys: [String]) throws {
        let lab = try lab("create table notes (id int primary key, author int not null, editor int)")
        for key in keys { try lab.database.run("alter table notes add foreign key (\(key)) references users") }
        try lab.database.run("insert into notes values (1, 7, 42), (2, 42, 7), (3, 42, 42), (4, 7, 7)")
        let app = try ErasureLab.app(["@shared public.notes : give = 8 : They stay."])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("notes", lab) == ["(1,7,8)", "(2,8,7)", "(4,7,7)"])
    }

    /// A reference with a key of another type, such as the uuid of a profile, can't get the key of the new user.
    @Test(arguments: [["author", "profile"], ["profile", "author"]])
    func giveIgnoresKeysOfAnotherType(keys: [String]) throws {
        let lab = try lab(
            """
            create table profiles (id uuid primary key default gen_random_uuid(),
                                   user_id int not null unique references users on delete cascade)
            """, "insert into profiles (user_id) values (42), (7)",
            "create table notes (id int primary key, author int, editor int references users, profile uuid)")
        for key in keys {
            let parent = key == "author" ? "users" : "profiles"
            try lab.database.run("alter table notes add foreign key (\(key)) references \(parent)")
        }
        try lab.database.run("insert into notes values (1, 42, 7, null), (2, 7, 8, null)")
        let app = try ErasureLab.app(["@shared public.notes : give = 8 : They stay."])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("notes", lab) == ["(1,8,7,)", "(2,7,8,)"])
    }

    /// A number of a profile, or another number of a user, is not the key of the new user.
    @Test(arguments: ["page int references profiles", "page int references users (number)"])
    func giveDoesNotReplaceNumbersThatAreNoKeyOfAUser(column: String) throws {
        let lab = try lab(
            "alter table users add number int unique", "update users set number = 1 where id = 42",
            "update users set number = 8 where id = 7",
            """
            create table profiles (id int primary key,
                                   user_id int not null unique references users on delete cascade)
            """, "insert into profiles values (1, 42), (8, 7)",
            "create table notes (id int primary key, author int not null references users, \(column))",
            "insert into notes values (1, 42, null), (2, 7, 1)",
            "alter table notes add reviewer int default 7 references users")
        let app = try ErasureLab.app(["@shared public.notes : give = 8 : They stay."])
        let failure = try failure { try lab.delete("42", root: nil, app: app) }
        #expect(failure.message.contains("shared with other users"), "\(failure)")
        try lab.database.run("update notes set page = null")
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("notes", lab) == ["(1,8,,7)", "(2,7,,7)"])
    }

    /// A profile whose key is the key of a user.
    @Test func giveReplacesAReferenceToAProfileWithTheKeyOfTheUser() throws {
        let lab = try lab(
            "create table profiles (id int primary key references users on delete cascade)",
            "insert into profiles values (42), (7), (8)",
            """
            create table notes (id int primary key, author int not null references profiles,
                                editor int references users)
            """, "insert into notes values (1, 42, 7), (2, 7, 42), (3, 42, 42)")
        let app = try ErasureLab.app(["@shared public.notes : give = 8 : They stay."])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("notes", lab) == ["(1,8,7)", "(2,7,8)"])
    }

    @Test(arguments: ["lower", "upper"]) func deletionFindsAnotherUserInAUUIDOfEitherCase(letters: String) throws {
        let (ada, bob) = ("aaaaaaaa-0000-4000-8000-00000000000a", "bbbbbbbb-0000-4000-8000-00000000000b")
        let lab = try ErasureLab([
            "create table users (id uuid primary key, email text)",
            "insert into users values ('\(ada)', 'ada@example.com'), ('\(bob)', 'bob@example.com')",
            "create table messages (id int primary key, sender text, receiver text)",
            "insert into messages values (1, \(letters)('\(ada)'), \(letters)('\(bob)'))",
        ])
        let app = try ErasureLab.app([
            "@refers public.messages.sender -> public.users.id", "@refers public.messages.receiver -> public.users.id",
        ])
        let failure = try failure { try lab.delete(ada, root: nil, app: app) }
        #expect(failure.message.contains("shared with other users"), "\(failure)")
        #expect(try lab.rows("select id from messages") == [["1"]])
    }

    @Test(arguments: ["cascade", "set null"])
    func deletionIsRefusedIfAKeepDirectiveFollowsAReferenceToItsOwnTable(action: String) throws {
        let lab = try lab(
            """
            create table comments (id int primary key, author int references users,
                                   parent int references comments on delete \(action))
            """, "insert into comments values (1, 42, 2), (2, 42, 1)")
        let app = try ErasureLab.app(["@keep public.comments via parent : Replies stay."])
        let before = try lab.everything()
        #expect(try failure { try lab.delete("42", root: nil, app: app) }.kind == .refused)
        #expect(try lab.everything() == before)
    }

    @Test func oneDeletionDeletesSeveralAccounts() throws {
        let lab = try lab(
            """
            create table messages (id int primary key, sender int references users on delete cascade,
                                   receiver int references users on delete cascade)
            """, "insert into messages values (1, 42, 7), (2, 7, 42), (3, 7, 8)")
        #expect(try failure { try lab.delete("42") }.kind == .refused)
        let report = try lab.delete(["42", "7"], collateral: .delete)
        #expect(report.isVerified && report.rows("public.users") == 2)
        #expect(try left("messages", lab).isEmpty)
    }

    @Test func setDirectiveOnTheTableOfUsersDoesNotKeepTheDeletedUser() throws {
        let lab = try lab("alter table users add referrer int references users", "update users set referrer = 42")
        let app = try ErasureLab.app(["@set public.users.referrer = 8 where id <> 8 : They joined anyway."])
        let report = try lab.delete("42", root: nil, app: app)
        #expect(report.isVerified && report.rows("public.users") == 1)
        #expect(try lab.rows("select id, referrer from users order by 1") == [["7", "8"], ["8", nil]])
    }

    @Test func profileStaysIfALineGivesItAnotherUser() throws {
        let lab = try lab(
            """
            create table profiles (id int primary key,
                                   user_id int not null unique default 8 references users on delete set default)
            """, "create table items (id int primary key, profile int references profiles on delete cascade)",
            "insert into profiles values (1, 42), (2, 7)", "insert into items values (1, 1), (2, 2)")
        #expect(try failure { try lab.delete("42") }.kind == .refused)
        let app = try ErasureLab.app(["@set public.profiles.user_id = 8 : User 8 gets the profile."])
        #expect(try lab.delete("42", root: nil, app: app).isVerified)
        #expect(try left("profiles", lab) == ["(1,8)", "(2,7)"] && left("items", lab) == ["(1,1)", "(2,2)"])
    }

    /// `@shared` with `give` changes only references to a deleted user; a row without such a reference needs `--shared`.
    @Test func deletionIsRefusedIfAGiveDirectiveDoesNotCoverASharedRow() throws {
        let lab = try lab(
            "create table folders (id int primary key, owner int references users on delete cascade)",
            """
            create table pages (id int primary key, author int references users on delete cascade,
                                folder int references folders on delete cascade)
            """, "insert into folders values (1, 42)", "insert into pages values (1, 7, 1), (2, 42, 1)")
        let app = try ErasureLab.app(["@shared public.pages : give = 8 : They stay."])
        let failure = try failure { try lab.delete("42", root: nil, app: app) }
        #expect(failure.message.contains("shared with other users"), "\(failure)")
        #expect(try lab.delete("42", root: nil, app: app, collateral: .detach).isVerified)
        #expect(try left("pages", lab) == ["(1,7,)"])
    }

    @Test func setDirectiveReplacesARequiredReference() throws {
        let lab = try lab(
            "create table forms (id int primary key, author int not null references users, title text)",
            "insert into forms values (1, 42, 'a'), (2, 7, 'b')")
        let app = try ErasureLab.app(["@set public.forms.author = 8 : The form goes on."])
        let report = try lab.delete("42", root: nil, app: app)
        #expect(report.isVerified && report.plan.rows(under: .set) == ["public.forms": 1])
        #expect(try left("forms", lab) == ["(1,8,a)", "(2,7,b)"])
    }

    @Test func deletionIsRefusedIfATriggerKeepsAnOldValue() throws {
        let lab = try lab(
            "create table posts (id int primary key, author int, body text)",
            "insert into posts values (1, 42, 'mine'), (2, 7, 'theirs')",
            "create function keeps() returns trigger language plpgsql as $$ begin return null; end $$",
            "create trigger keeps before update on posts for each row when (old.body <> new.body) execute function keeps()"
        )
        let app = try ErasureLab.app([
            "@refers public.posts.author -> public.users.id : keep : The body goes.",
            "@set public.posts.body = '' : The body goes.",
        ])
        let before = try lab.everything()
        let failure = try failure { try lab.delete("42", root: nil, app: app) }
        #expect(failure.details.count == 1, "\(failure)")
        #expect(failure.details[0].hasPrefix("public.posts: 1 row ") && failure.details[0].contains("trigger keeps"))
        #expect(try lab.everything() == before)
    }

    @Test func deletionMatchesACitextUserKeyInAnyLetterCase() throws {
        let lab = try ErasureLab([
            "create extension citext", "create table users (name citext primary key, email text)",
            "insert into users values ('Ada'), ('Bob')", "create table notes (id int primary key, author text)",
            "insert into notes values (1, 'ada'), (2, 'ADA'), (3, 'bob')",
        ])
        let app = try ErasureLab.app(["@refers public.notes.author -> public.users.name"], key: "name")
        #expect(try lab.delete("ADA", root: nil, app: app).isVerified)
        #expect(try left("notes", lab) == ["(3,bob)"])
    }

    @Test func sharedDirectiveWithGiveGivesSharedRowsToARemainingUser() throws {
        let lab = try lab(
            "create table teams (id int primary key, lead int not null references users, deputy int references users)",
            "create table members (team int references teams on delete cascade, member int references users on delete cascade)",
            "insert into teams values (1, 42, 7), (2, 42, null), (3, 7, 42)",
            "insert into members values (1, 42), (1, 7), (2, 42), (2, 8)")
        let app = try ErasureLab.app([
            "@shared public.teams : give = deputy : The team goes on.", "@shared public.members : delete : They left.",
        ])
        let before = try lab.everything()
        // The third team has the user in a column that isn't the owner, so the operator must decide about the team.
        #expect(try failure { try lab.delete("42", root: nil, app: app, dryRun: true) }.kind == .refused)
        let report = try lab.delete("42", root: nil, app: app, collateral: .delete, dryRun: true)
        #expect(report.isComplete && report.rows("public.teams") == 2)
        #expect(try lab.everything() == before)
        let some = try ErasureLab.app([
            "@shared public.teams where exists (select from public.members m where m.team = id and m.member = 8) : give = (select 8) : A.",
            "@shared public.members : delete : They left.",
        ])
        try lab.database.run("delete from teams where id <> 2")
        let given = try lab.delete("42", root: nil, app: some)
        #expect(given.plan.rows(under: .set) == ["public.teams": 1])
        #expect(given.plan.rows(under: .detach).isEmpty)
        #expect(try left("teams", lab) == ["(2,8,)"] && left("members", lab) == ["(2,8)"])
    }

    @Test(arguments: [2, 7, 12]) func rowThatDependsOnTwoUsersThroughManyTablesIsShared(links: Int) throws {
        var statements: [String] = []
        for side in ["a", "b"] {
            statements.append(
                "create table \(side)1 (id int primary key, up int not null references users on delete cascade)")
            for link in 2...links {
                statements.append(
                    "create table \(side)\(link) (id int primary key, up int not null references \(side)\(link - 1) on delete cascade)"
                )
            }
            statements.append("insert into \(side)1 values (1, \(side == "a" ? 42 : 7))")
            statements += (2...links).map { "insert into \(side)\($0) values (1, 1)" }
        }
        statements += [
            """
            create table ends (id int primary key, one int not null references a\(links) on delete cascade,
                               other int not null references b\(links) on delete cascade)
            """, "insert into ends values (1, 1, 1)",
        ]
        let lab = try ErasureLab(Self.people + statements)
        let refusal = try failure { try lab.delete("42") }
        #expect(refusal.kind == .refused && refusal.details == ["public.ends: 1 of 1"])
    }

    @Test func rowWithFortyOwnerColumnsIsShared() throws {
        let owners = (0..<40).map {
            "create table o\($0) (id int primary key, owner int not null references users on delete cascade)"
        }
        let columns = (0..<40).map { "c\($0) int references o\($0) on delete cascade" }.joined(separator: ", ")
        let lab = try ErasureLab(
            Self.people + owners + ["create table notes (id int primary key, \(columns))"]
                + [
                    "insert into o0 values (1, 42)", "insert into o39 values (1, 7)",
                    "insert into notes (id, c0, c39) values (1, 1, 1)", "insert into notes (id, c0) values (2, 1)",
                    "insert into notes (id, c39) values (3, 1)",
                ])
        let refusal = try failure { try lab.delete("42") }
        #expect(refusal.kind == .refused && refusal.details == ["public.notes: 1 of 2"])
        try lab.delete("42", collateral: .detach)
        #expect(try lab.rows("select id, c0, c39 from notes order by id") == [["1", nil, "1"], ["3", nil, "1"]])
    }

    @Test func deletionFollowsASelfReferenceToAnyDepth() throws {
        let lab = try lab(
            """
            create table comments (id int primary key, author int references users on delete cascade,
                                   up int references comments on delete cascade)
            """,
            "insert into comments select n, case when n = 1 then 42 end, nullif(n - 1, 0) from generate_series(1, 60) n"
        )
        let report = try lab.delete("42")
        #expect(report.rows("public.comments") == 60 && report.isVerified)
    }

    @Test func deletionIsRefusedIfAnUndeclaredColumnContainsAKeyOrAnEmail() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table visits (id int primary key, user_id uuid)",
            "create table letters (id int primary key, receiver text)",
            "create table notes (id int primary key, body text)",
            "insert into visits values (1, '\(ErasureLab.ada)'), (2, '\(ErasureLab.bob)')",
            "insert into letters values (1, 'Ada@example.com'), (2, 'bob@example.com')",
            "insert into notes values (1, 'ask ada@example.com')",
        ])
        let refusal = try failure { try lab.delete(ErasureLab.ada) }
        #expect(refusal.kind == .refused && refusal.details.count == 2)
        let answers = ["public.visits.user_id=delete", "public.letters.receiver=detach"]
        let report = try lab.delete(ErasureLab.ada, suspected: answers)
        #expect(report.isVerified && report.searched.columns > 1 && report.searched.textsNotRead >= 0)
        #expect(try left("visits", lab) == ["(2,\(ErasureLab.bob))"])
        #expect(try left("letters", lab) == ["(1,)", "(2,bob@example.com)"])
        #expect(try left("notes", lab) == ["(1,\"ask ada@example.com\")"])
    }

    @Test(arguments: ["int", "int[]"]) func rowWithAnotherUserInAnUndeclaredColumnIsShared(type: String) throws {
        let lab = try lab(
            """
            create table messages (id int primary key, sender int references users on delete cascade,
                                   user_id \(type), body text)
            """)
        for (id, users) in [(1, [7]), (2, [42]), (3, [99])] where type == "int" || id < 3 {
            let value = type == "int" ? "\(users[0])" : "'{42,\(users[0])}'"
            try lab.database.run("insert into messages values (\(id), 42, \(value), 'x')")
        }
        let refusal = try failure { try lab.delete("42") }
        #expect(refusal.kind == .refused && refusal.details.contains { $0.hasPrefix("public.messages: 1 of ") })
        #expect(try lab.delete("42", collateral: .delete).isVerified)
        #expect(try left("messages", lab).isEmpty)
    }

    @Test(arguments: ["uuid", "text"]) func rowWithAnotherUsersUuidInAnUndeclaredColumnIsShared(type: String) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table messages (id int primary key, sender uuid references users on delete cascade, receiver \(type))",
            "insert into messages values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
            "insert into messages values (2, '\(ErasureLab.ada)', '\(ErasureLab.ada)'), (3, '\(ErasureLab.ada)', null)",
        ])
        let refusal = try failure { try lab.delete(ErasureLab.ada) }
        #expect(refusal.kind == .refused && refusal.details == ["public.messages: 1 of 3"])
        let app = try ErasureLab.app(["@ignore public.messages.receiver : It does not matter."])
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
        #expect(try left("messages", lab).isEmpty)
    }

    @Test func userWithASetNullReferenceToAnOwnedRowIsDeleted() throws {
        let lab = try lab(
            "create table notes (id int primary key, author int not null references users)",
            "create table pages (id int primary key, note int references notes)",
            "alter table users add page int references pages on delete set null",
            "insert into notes values (1, 42)", "insert into pages values (1, 1)", "update users set page = 1")
        #expect(try lab.delete("42").isVerified)
        #expect(try lab.rows("select id, page from users order by id") == [["7", nil], ["8", nil]])
    }

    @Test func deletionDoesNotAskAboutColumnsOfAKeptTable() throws {
        let lab = try lab(
            "create table visits (id int primary key, user_id int, contact text, author int references users)",
            "insert into visits values (1, 42, 'ada@example.com', 42)")
        let app = try ErasureLab.app(["@keep public.visits : The law says so."])
        let report = try lab.delete("42", root: nil, app: app)
        #expect(report.isVerified && report.undeclared.isEmpty)
        #expect(try left("visits", lab) == ["(1,42,ada@example.com,)"])
    }

    @Test(arguments: [true, false]) func deletionReportsAnEmailThatATriggerWroteAsALeftover(isSameTable: Bool) throws {
        let table = isSameTable ? "posts" : "trail"
        let lab = try lab(
            "create table posts (id int primary key, author int references users on delete set null, body text)",
            "create table trail (id int primary key, body text)",
            "insert into posts values (1, 42, 'mine'), (2, 7, 'theirs')", "insert into trail values (2, 'old')",
            """
            create function writes() returns trigger language plpgsql as $$ begin
              update \(table) set body = (select email from users where id = old.author) where id = 2;
              return null;
            end $$
            """,
            """
            create trigger writes after update on posts for each row
            when (old.author is distinct from new.author) execute function writes()
            """)
        let report = try lab.delete("42")
        #expect(!report.isVerified && report.leftByTriggers.map(\.table) == ["public.\(table)"])
    }
}
