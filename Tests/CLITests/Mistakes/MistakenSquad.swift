/// Tables as Prisma creates them: names with capitals, computed states, custom types.
enum MistakenSquad {
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

    private static let text = """
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

        -- @define standing (person, team, plan, state)  The teams of each user, with plan and state.
        select m."userId", t.title, u.plan,
               case when t."endsAt" > :now - make_interval(days => :days) then 'open' when t.slug is null then 'shut' end
          from public."Member" m
          join public."Team" t on t.id = m."teamId"
          join public."User" u on u.id = m."userId";

        -- @decision access  Can this user sign in?
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
        -- @grade mild
        -- @do
        update public."Team" set "endsAt" = :now at time zone 'UTC' where "ownerId" = any(:users);

        -- @settings teams  The settings of teams.
        -- @table public."Team"
        -- @key id
        -- @column "isOpen": boolean
        -- @column seats: int 0..10

        -- @account
        -- @root public."User".id
        -- @secret public."User"."apiToken"
        -- @secret public."File"."passwordHash"
        """

    static let file = MistakenFile(
        "squad", text,
        on: schema + [#"insert into public."User" values ('a', 'ada@example.com', now(), null, 'free')"#],
        with: mistakes)
}

extension MistakenSquad {
    /// Mistakes with quoted names, and with values that the database doesn't list.
    static let mistakes: [PlantedMistake] = [
        .init(
            "column without quotes", #"u."createdAt" as"#, "u.createdAt as", at: "u.createdAt", offers: "createdAt"),
        .init("table without quotes", #"from public."User" u;"#, "from public.User u;", at: "public.User"),
        .init("column set without quotes", #"set "endsAt" ="#, "set endsAt =", at: "endsAt"),
        .init(
            "column of settings without quotes", #"-- @column "isOpen":"#, "-- @column isOpen:", at: "isOpen",
            offers: "isOpen"),
        .init(
            "required column without quotes", #"-- @requires public."Team"."endsAt""#,
            #"-- @requires public."Team".endsAt"#, at: #"public."Team".endsAt"#),
        .init(
            "secret without quotes", #"-- @secret public."User"."apiToken""#, "-- @secret public.User.apiToken",
            at: "public.User.apiToken"),
        .init(
            "misspelt secret", #"-- @secret public."User"."apiToken""#, #"-- @secret public."User"."apiTokn""#,
            at: #"public."User"."apiTokn""#, offers: "apiToken"),
        .init(
            "misspelt column without a similar name in its table", "select t.title,", "select t.titel,", at: "t.titel"),
        .init(
            "setting whose type differs from its column", "-- @column seats: int 0..10", "-- @column seats: boolean",
            at: "seats",
            offers: "integer"),
    ]
}
