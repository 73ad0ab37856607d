import Foundation
import Support
import Testing

/// Mistakes in a file about tables as Prisma makes them: names with capitals, states that are computed, types of one's own.
@Suite struct MistakesInCapitalsTests {
    private typealias Mistake = PlantedMistakesTests.Mistake

    private static let schema = [
        #"create type public."Role" as enum ('ADMIN', 'MEMBER')"#,
        """
        create table public."User" (
            id text primary key, email text, "createdAt" timestamp not null, "apiToken" text,
            plan text not null check (plan in ('free', 'pro')))
        """,
        """
        create table public."Team" (
            id text primary key, title text, slug text, "ownerId" text references public."User", "endsAt" timestamp,
            "isOpen" boolean not null default true, seats integer)
        """,
        """
        create table public."Member" (
            "userId" text not null references public."User" on delete cascade,
            "teamId" text not null references public."Team" on delete cascade,
            role public."Role" not null, primary key ("userId", "teamId"))
        """,
        #"create table public."Webhook" (id text primary key, "ownerId" text references public."User", secret text)"#,
        #"create table public."File" (id text primary key, titel text, "passwordHash" text)"#,
    ]

    private static let file = """
        -- @app squad  The Squad
        -- @requires public."Team"."endsAt"
        -- @optional public."Team".slug: text
        -- @constant days: int = 3

        -- @users
        -- @key id
        -- @email email
        select u.id, u.email, u."createdAt" as created_at, u.plan,
               case when u."createdAt" > :now then 'new' when u.plan = 'pro' then 'paying' else 'old' end as stage
          from public."User" u;

        -- @refuse unpaid  {email} pays nothing.
        plan = 'free';

        -- @define standing (person, team, plan, state)  How the teams of each user stand.
        select m."userId", t.title, u.plan,
               case when t."endsAt" > :now - make_interval(days => :days) then 'open' when t.slug is null then 'shut' end
          from public."Member" m
          join public."Team" t on t.id = m."teamId"
          join public."User" u on u.id = m."userId";

        -- @decision access  May this user in?
        -- @per team
        select u.id, u.email, s.team, s.state,
               case s.state when 'open' then 'in' else coalesce(null, 'out') end as side,
               case when u.plan = 'pro' then 'gold' else 'tin' end as metal
          from users u
          join standing s on s.person = u.id;
        -- @rule yes  {team} is open.
        state = 'open' and metal = 'tin';
        -- @rule no  {team} is shut.
        true;

        -- @panel Teams
        select t.title, t.seats from public."Team" t where t."ownerId" = :user and t."isOpen"
           and exists (select from standing s where s.state = 'open' and s.person = :user);

        -- @panel Files
        select f.titel from public."File" f where f.id = :user;

        -- @action user shut  Shut the teams of a user.
        -- @do
        update public."Team" set "endsAt" = :now at time zone 'UTC' where "ownerId" = any(:users);

        -- @settings teams  What stands in teams.
        -- @table public."Team"
        -- @key id
        -- @column "isOpen": boolean
        -- @column seats: int 0..10

        -- @account
        -- @root public."User".id
        -- @secret public."User"."apiToken"
        -- @secret public."File"."passwordHash"
        """

    private static let mistakes: [Mistake] = [
        Mistake(
            name: "column without quotes", right: #"u."createdAt" as"#, wrong: "u.createdAt as", place: "u.createdAt",
            offers: #"did you mean "createdAt"?"#),
        Mistake(
            name: "table without quotes", right: #"from public."User" u;"#, wrong: "from public.User u;",
            place: "public.User", offers: #"public."User""#),
        Mistake(
            name: "column set without quotes", right: #"set "endsAt" ="#, wrong: "set endsAt =", place: "endsAt",
            offers: #""endsAt""#),
        Mistake(
            name: "column of settings without quotes", right: #"-- @column "isOpen":"#, wrong: "-- @column isOpen:",
            place: "isOpen", offers: #""isOpen""#),
        Mistake(
            name: "required column without quotes", right: #"-- @requires public."Team"."endsAt""#,
            wrong: #"-- @requires public."Team".endsAt"#, place: #"public."Team".endsAt"#, offers: #""endsAt""#),
        Mistake(
            name: "secret without quotes", right: #"-- @secret public."User"."apiToken""#,
            wrong: "-- @secret public.User.apiToken", place: "public.User.apiToken", offers: #"public."User""#),
        Mistake(
            name: "secret misspelt", right: #"-- @secret public."User"."apiToken""#,
            wrong: #"-- @secret public."User"."apiTokn""#, place: #"public."User"."apiTokn""#, offers: #""apiToken""#),
        Mistake(
            name: "secrets that nobody declared",
            right: "-- @secret public.\"User\".\"apiToken\"\n-- @secret public.\"File\".\"passwordHash\"", wrong: "--",
            place: "select u.id", offers: #"-- @secret public."User"."apiToken""#),
        Mistake(
            name: "nothing near in this table", right: "select t.title,", wrong: "select t.titel,", place: "t.titel",
            offers: "did you mean title?"),
        Mistake(
            name: "constant", right: "-- @constant days: int = 3", wrong: "-- @constant days: int = many",
            place: "days",
            offers: ""),
        Mistake(
            name: "type of a setting", right: "-- @column seats: int 0..10", wrong: "-- @column seats: boolean",
            place: "seats", offers: "integer"),
        Mistake(
            name: "refusal that nothing uses", right: "plan = 'free';", wrong: "plann = 'free';", place: "plann",
            offers: "plan"),
        Mistake(
            name: "value in a refusal that nothing uses", right: "plan = 'free';", wrong: "plan = 'fre';",
            place: "'fre'", offers: "free"),
        Mistake(
            name: "value of a definition's column", right: "where s.state = 'open' and",
            wrong: "where s.plan = 'pra' and",
            place: "'pra'", offers: "pro"),
        Mistake(
            name: "value that a definition computes", right: "where s.state = 'open' and",
            wrong: "where s.state = 'opne' and", place: "'opne'", offers: "open"),
        Mistake(
            name: "value that a definition computes, handed on", right: "state = 'open' and metal",
            wrong: "state = 'opne' and metal", place: "'opne'", offers: "open"),
        Mistake(
            name: "value that a decision computes", right: "metal = 'tin'", wrong: "metal = 'tim'", place: "'tim'",
            offers: "tin"),
        Mistake(
            name: "value that the users compute", right: "plan = 'free';", wrong: "stage = 'payin';", place: "'payin'",
            offers: "paying"),
        Mistake(
            name: "column that may be missing and that nothing reads", right: #"-- @optional public."Team".slug: text"#,
            wrong: #"-- @optional public."Team".slgu: text"#, place: #"public."Team".slgu"#, offers: "slug"),
    ]

    private static let made = Result {
        let database = try TestCluster.emptyDatabase()
        for statement in schema { try database.run(statement) }
        try database.run(#"insert into public."User" values ('a', 'ada@example.com', now(), null, 'free')"#)
        return database
    }

    @Test(arguments: mistakes) private func oneMistakeIsOneFinding(_ mistake: Mistake) throws {
        try mistake.expectOneFinding(in: Self.file, on: try Self.made.get())
    }

    @Test func theFileHasNone() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "squad.sql", holding: Self.file)
        let result = try Usher.run(["app", "check", path, "--json", "-q"], on: try Self.made.get().conninfo())
        #expect(result.output == "[]\n")
    }
}
