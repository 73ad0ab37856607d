import Accounts
import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// A survey whose proposals are taken as they are, and what a deletion makes of them.
@Suite struct SurveyedDeletionTests {
    private static let header = """
        -- @app shop  Shop
        -- @requires public.users
        -- @users
        -- @key id
        -- @email email
        select u.* from public.users u;

        -- @account
        -- @root public.users.id
        """

    private func survey(_ lab: ErasureLab, _ app: App? = nil, _ answers: String...) throws -> Survey {
        try Survey.make(
            AccountRequest(users: [], root: app == nil ? try RootName("public.users") : nil),
            answers: try answers.map { try Survey.Answer($0) },
            on: try lab.database.connect(user: ErasureLab.hosted), candidates: app.map { [$0] } ?? [],
            options: InquiryOptions())
    }

    /// An app file with all that a survey proposes.
    private func proposed(_ survey: Survey) throws -> App {
        let scratch = try Scratch()
        let file = try scratch.path(of: "shop.sql", holding: Self.header)
        try survey.append(to: file)
        return try AppLibrary.app(file)
    }


    @Test func addressesAreTheSameInAnyLetters() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id bigint primary key, email citext unique not null)",
            "create table newsletter (email citext primary key)", "create table signins (id int primary key, email text)",
            "insert into users select g, 'u' || g || '@example.org' from generate_series(1, 60) g",
            "insert into newsletter select initcap(email::text) from users",
            "insert into signins select id, upper(email::text) from users", "analyze")
        let app = try proposed(try survey(lab))
        #expect(try survey(lab, app).isSettled)
        #expect(try lab.delete("7", root: nil, app: app).isVerified)
        #expect(try lab.value("select count(*) from newsletter where email::text ilike 'u7@%'") == "0")
        #expect(try lab.value("select count(*) from signins where email ilike 'u7@%'") == "0")
        #expect(try lab.value("select count(*) || ' ' || count(email) from signins") == "60 59")
    }

    /// What is written by hand compares as its type does.
    @Test func aTypeThatFoldsLettersIsComparedByItsOwnOperator() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id bigint primary key, email citext unique not null)",
            "create table newsletter (email citext primary key)",
            "insert into users values (1, 'ada@example.org')", "insert into newsletter values ('Ada@Example.org')")
        let app = try ErasureLab.app(["@reference public.newsletter.email -> public.users.email"])
        #expect(try lab.delete("1", root: nil, app: app).isVerified)
        #expect(try lab.value("select count(*) from newsletter") == "0")
    }

    @Test func anIndexHidesNoLetters() throws {
        let lab = try ErasureLab(
            "create extension citext", "create table users (id bigint primary key, email text unique not null)",
            "create table newsletter (email citext primary key)", "create table signins (email text unique)",
            "insert into users values (1, 'ada@example.org')", "insert into newsletter values ('Ada@Example.org')",
            "insert into signins values ('aDa@example.org')")
        #expect(
            try lab.plan("1", thoroughly: false).suspects.map(\.name)
                == ["public.newsletter.email", "public.signins.email"])
    }
}
