import Foundation
import Support
import Testing

/// Mistakes of those who write their first file: of SQL, of secrets, of members, and of what a directive is for.
@Suite struct MistakesOfNewcomersTests {
    private typealias Mistake = PlantedMistakesTests.Mistake

    private static let schema = [
        """
        create table public.people (
            id bigint primary key, email text not null, name text, plan text not null check (plan in ('free', 'pro')),
            password_hash text, recovery jsonb, seen_at timestamptz, trial_ends_at timestamptz)
        """,
        "create table public.shops (id bigint primary key, title text not null, seats integer, limits jsonb, api_key text)",
        """
        create table public.clerks (
            shop_id bigint not null references public.shops on delete cascade,
            person_id bigint not null references public.people on delete cascade, since timestamptz,
            primary key (shop_id, person_id))
        """,
        """
        create table public.orders (
            id bigint primary key, shop_id bigint not null references public.shops on delete cascade,
            person_id bigint not null references public.people on delete cascade, state text not null, cents integer,
            made_at timestamptz not null)
        """,
    ]

    private static let file = """
        -- @app market  The Market
        -- @language 3
        -- @requires public.people
        -- @requires public.shops
        -- @constant trial: int = 14

        -- @users
        -- @key id
        -- @email email
        -- @fact plan : What is paid for.
        -- @link Mailbox https://mail.example.org/?from={email}
        select p.id, p.email, p.name, p.plan, p.seen_at, p.trial_ends_at from public.people p;

        -- @select idle  Nothing was heard of them for a month.
        seen_at < :now - interval '30 days';

        -- @object shop  A shop.
        -- @key id
        -- @columns id, title
        select s.id, s.title, s.seats from public.shops s;
        -- @members
        select c.shop_id, c.person_id from public.clerks c;

        -- @select empty  Nobody works there.
        seats = 0;

        -- @define turnover (shop, person, cents)  What was sold.
        select o.shop_id, o.person_id, sum(o.cents) from public.orders o group by o.shop_id, o.person_id;

        -- @define badge (person, label)  How people are called.
        select p.id, coalesce(p.name, p.email) from public.people p;

        -- @decision access  May this person sell?
        -- @rule yes  Pays.
        plan = 'pro';
        -- @rule yes  The trial runs until {trial_ends_at}.
        trial_ends_at > :now - make_interval(days => :trial);
        -- @rule no  Neither paid nor on trial.
        -- @advice Give time: `person extend {email}`
        true;
        -- @because  The trial is over.
        trial_ends_at is not null;
        -- @because  There was none.
        true;

        -- @decision shop  How does each shop stand?
        -- @per title
        select u.id, s.title, s.seats, t.cents
          from users u
          join public.clerks c on c.person_id = u.id
          join public.shops s on s.id = c.shop_id
          left join turnover t on t.shop = s.id and t.person = u.id;
        -- @rule sells  Sold for {cents}.
        cents > 0;
        -- @rule quiet  Sold nothing.
        true;

        -- @quota orders
        select o.person_id, count(*), 100, 'total', null::timestamptz from public.orders o group by o.person_id;
        -- @history  A day.
        select date_trunc('day', o.made_at), count(*) from public.orders o where o.person_id = :user group by 1;

        -- @panel Shops
        -- @limit 5
        select s.title, c.since, s.seats
          from public.clerks c
          join public.shops s on s.id = c.shop_id
         where c.person_id = :user
         order by c.since;

        -- @panel Orders
        -- @order 2
        select o.id, o.state, o.cents, o.made_at from public.orders o where o.person_id = :user;

        -- @panel Badge
        select b.label from badge b where b.person = :user;

        -- @timeline orders
        select o.made_at, 'order', o.state, null from public.orders o where o.person_id = :user;

        -- @stat plans  People by plan.
        select plan, count(*) from users group by 1;

        -- @list order big  Orders of a price.
        -- @arg above: int 0..100000 = 100
        -- @option state?: text
        select o.id, o.cents from public.orders o where o.cents > :above and (:state is null or o.state = :state);

        -- @action person extend  Let the trial go on.
        -- @option days: int 1..90 = 14
        -- @role support
        -- @expect access yes
        -- @refuse Pays already.
        plan = 'pro';
        -- @warn Was not here for long.
        seen_at < :now - interval '90 days';
        -- @do
        update public.people set trial_ends_at = :now + make_interval(days => :days) where id = any(:users);

        -- @action shop close  Close a shop.
        -- @on shop
        -- @grade severe
        -- @do
        update public.shops set seats = 0 where id = any(:keys);

        -- @check dangling  Orders have a price.
        select o.person_id, o.id from public.orders o where o.cents is null;

        -- @account
        -- @root public.people.id
        -- @mention public.orders.state : keep
        -- @secret public.people.password_hash
        -- @secret public.people.recovery
        -- @secret public.shops.api_key
        """

    private static let secrets: [Mistake] = [
        Mistake(
            name: "secret behind a text", right: "select s.title, c.since,",
            wrong: "select s.title, 'key ' || s.api_key as shown, c.since,", place: "'key ' || s.api_key",
            offers: "api_key is a @secret"),
        Mistake(
            name: "secret in a document", right: "select s.title, c.since,",
            wrong: "select to_jsonb(s) as all, c.since,",
            place: "to_jsonb(s)", offers: "api_key is a @secret"),
        Mistake(
            name: "secret in a row as JSON", right: "select s.title, c.since,",
            wrong: "select row_to_json(s.*), c.since,",
            place: "row_to_json", offers: "api_key is a @secret"),
        Mistake(
            name: "secret in a whole row", right: "select s.title, c.since,", wrong: "select s.title, s, c.since,",
            place: "s, c.since", offers: "api_key is a @secret"),
        Mistake(
            name: "secrets behind a star", right: "p.id, p.email, p.name, p.plan, p.seen_at, p.trial_ends_at from",
            wrong: "p.* from",
            place: "p.*", offers: "password_hash, recovery are each a @secret"),
        Mistake(
            name: "secret in one of several columns", right: "select s.title, c.since,",
            wrong: "select s.title, s.api_key, c.since,", place: "s.api_key", offers: "api_key is a @secret"),
        Mistake(
            name: "secret that a definition hands on", right: "coalesce(p.name, p.email) from",
            wrong: "coalesce(p.name, upper(p.password_hash)) from", place: "b.label",
            offers: "password_hash is a @secret"),
        Mistake(
            name: "secret from within", right: "select s.title, c.since,",
            wrong: "select s.title, (select x.api_key || '' from public.shops x where x.id = s.id), c.since,",
            place: "(select x.api_key", offers: "api_key is a @secret"),
        Mistake(
            name: "secret behind a limit", right: "select b.label from badge b where b.person = :user;",
            wrong: """
                select q.k || b.label from badge b
                  cross join lateral (select p.password_hash || '.' as k from public.people p where p.id = b.person limit 1) q
                 where b.person = :user;
                """, place: "q.k", offers: "password_hash is a @secret"),
        Mistake(
            name: "secrets put together", right: "select o.id, o.state, o.cents, o.made_at from public.orders o where",
            wrong: "select o.id, (select string_agg(s.api_key, ', ') from public.shops s) from public.orders o where",
            place: "(select string_agg", offers: "api_key is a @secret"),
        Mistake(
            name: "secret taken apart", right: "select b.label from badge b where b.person = :user;",
            wrong: """
                select k.key, k.value from public.people p cross join lateral jsonb_each(to_jsonb(p)) k
                 where p.id = :user;
                """, place: "k.", offers: "password_hash, recovery"),
        Mistake(
            name: "part of a secret's document as a whole",
            right: "select b.label from badge b where b.person = :user;",
            wrong: "select p.recovery::text from public.people p where p.id = :user;", place: "p.recovery::text",
            offers: "recovery is a @secret"),
    ]

    private static let conditions: [Mistake] = [
        Mistake(
            name: "rule that is a text", right: "plan = 'pro';\n-- @rule yes  The", wrong: "plan;\n-- @rule yes  The",
            place: "plan;", offers: "text"),
        Mistake(
            name: "rule that is a number", right: "cents > 0;", wrong: "cents + 1;", place: "cents + 1",
            offers: "bigint"),
        Mistake(
            name: "reason that is a time", right: "trial_ends_at is not null;", wrong: "trial_ends_at;",
            place: "trial_ends_at;", offers: "timestamp"),
        Mistake(
            name: "selection that is a number", right: "seats = 0;", wrong: "seats;", place: "seats;", offers: "integer"
        ),
        Mistake(
            name: "refusal that is a text", right: "plan = 'pro';\n-- @warn", wrong: "upper(plan);\n-- @warn",
            place: "upper(plan)", offers: "text"),
        Mistake(
            name: "half of a condition", right: "plan = 'pro';\n-- @rule yes  The",
            wrong: "plan and trial_ends_at > :now;\n-- @rule yes  The", place: "plan and", offers: ""),
        Mistake(
            name: "compared with nothing", right: "trial_ends_at is not null;", wrong: "trial_ends_at <> null;",
            place: "null", offers: "is not null"),
        Mistake(
            name: "equal to nothing", right: "plan = 'pro';\n-- @warn", wrong: "name = null;\n-- @warn",
            place: "null", offers: "is null"),
        Mistake(
            name: "aggregate in a rule", right: "cents > 0;", wrong: "sum(cents) > 0;", place: "sum(cents)", offers: ""),
        Mistake(
            name: "condition with two columns", right: "seats = 0;",
            wrong: "id in (select c.shop_id, c.person_id from public.clerks c);", place: "in", offers: ""),
    ]

    private static let others: [Mistake] = [
        Mistake(
            name: "members the other way round", right: "select c.shop_id, c.person_id from public.clerks c;",
            wrong: "select c.person_id, c.shop_id from public.clerks c;", place: "c.person_id", offers: "shop"),
        Mistake(
            name: "members of another type", right: "select c.shop_id, c.person_id from public.clerks c;",
            wrong: "select s.title, c.person_id from public.clerks c join public.shops s on s.id = c.shop_id;",
            place: "s.title", offers: "bigint"),
        Mistake(
            name: "number compared with a word", right: "seats = 0;", wrong: "seats = 'none';", place: "'none'",
            offers: "integer"),
        Mistake(
            name: "interval misspelt", right: "interval '30 days'", wrong: "interval '30 dayz'", place: "'30 dayz'",
            offers: ""),
        Mistake(
            name: "document compared with a number", right: "seats = 0;",
            wrong: "id in (select s.id from public.shops s where s.limits -> 'seats' > 5);", place: ">", offers: ""),
        Mistake(
            name: "comma missing", right: "select o.id, o.state, o.cents, o.made_at",
            wrong: "select o.id o.state, o.cents, o.made_at", place: ".state", offers: ""),
        Mistake(
            name: "comma too many", right: "s.seats from public.shops s;\n-- @members",
            wrong: "s.seats, from public.shops s;\n-- @members", place: "from", offers: ""),
        Mistake(
            name: "not grouped", right: "group by o.shop_id, o.person_id;", wrong: "group by o.shop_id;",
            place: "o.person_id", offers: ""),
        Mistake(
            name: "whose column", right: "select u.id, s.title, s.seats, t.cents",
            wrong: "select id, s.title, s.seats, t.cents",
            place: "id, s.title", offers: ""),
        Mistake(
            name: "language in words", right: "-- @language 3", wrong: "-- @language three", place: "three", offers: ""),
        Mistake(name: "limit in words", right: "-- @limit 5", wrong: "-- @limit five", place: "five", offers: ""),
        Mistake(name: "order in words", right: "-- @order 2", wrong: "-- @order last", place: "last", offers: ""),
        Mistake(
            name: "page without an address", right: "https://mail.example.org/?from={email}",
            wrong: "mail.example.org", place: "", offers: "https"),
        Mistake(
            name: "bounds of a text", right: "-- @option state?: text", wrong: "-- @option state?: text 1..5",
            place: "state", offers: ""),
        Mistake(
            name: "default outside of its bounds", right: "int 1..90 = 14", wrong: "int 1..90 = 140", place: "days",
            offers: ""),
        Mistake(
            name: "mention with an unknown answer", right: "-- @mention public.orders.state : keep",
            wrong: "-- @mention public.orders.state : kep", place: "kep", offers: "keep"),
        Mistake(
            name: "action twice", right: "-- @action shop close  Close a shop.\n-- @on shop",
            wrong: "-- @action person extend  Close a shop.\n-- @on shop", place: "person extend", offers: ""),
        Mistake(
            name: "history's columns turned",
            right:
                "select date_trunc('day', o.made_at), count(*) from public.orders o where o.person_id = :user group by 1;",
            wrong: "select count(*) over (), o.made_at from public.orders o where o.person_id = :user;",
            place: "count(*) over", offers: "time"),
        Mistake(
            name: "stat of one column", right: "select plan, count(*) from users group by 1;",
            wrong: "select count(*) from users;", place: "select count", offers: ""),
        Mistake(
            name: "time that is a text", right: "select o.made_at, 'order', o.state, null",
            wrong: "select o.made_at::text, 'order', o.state, null", place: "o.made_at::text", offers: ""),
        Mistake(
            name: "subjects of an object", right: "update public.shops set seats = 0 where id = any(:keys);",
            wrong: "update public.shops set seats = 0 where id = any(:users);", place: ":users", offers: ":keys"),
        Mistake(
            name: "one user where all are meant",
            right: "select o.person_id, count(*), 100, 'total', null::timestamptz from",
            wrong: "select :user, count(*), 100, 'total', null::timestamptz from", place: ":user", offers: ""),
        Mistake(
            name: "keyword misspelt", right: "from public.orders o where o.cents is null;",
            wrong: "form public.orders o where o.cents is null;", place: "", offers: ""),
        Mistake(
            name: "operator of another language", right: "plan = 'pro';\n-- @rule yes  The",
            wrong: "plan == 'pro';\n-- @rule yes  The", place: "==", offers: ""),
        Mistake(
            name: "text in double quotes", right: "plan = 'pro';\n-- @rule yes  The",
            wrong: "plan = \"pro\";\n-- @rule yes  The", place: "\"pro\"", offers: ""),
    ]

    private static let made = Result {
        let database = try TestCluster.emptyDatabase()
        for statement in schema { try database.run(statement) }
        try database.run("insert into public.people values (1, 'ada@example.com', null, 'free')")
        return database
    }

    @Test(arguments: secrets + conditions + others) private func oneMistakeIsOneFinding(_ mistake: Mistake) throws {
        try mistake.expectOneFinding(in: Self.file, on: try Self.made.get())
    }

    @Test func theFileHasNone() throws { try expectNone(in: Self.file) }

    /// What is made of a secret and does not hold it any more is for the file to answer for.
    @Test(arguments: [
        "md5(s.api_key)", "right(s.api_key, 4)", "left(s.api_key, 4) || '…'", "s.api_key is not null",
        "length(s.api_key)", "case when s.api_key is null then 'none' else 'set' end",
        "jsonb_build_object('set', s.api_key is not null)", "s.api_key = s.title",
        "case when s.api_key = s.title then 'same' end", "to_jsonb(c)", "count(s.api_key) over ()",
        "(select count(p.recovery) from public.people p)",
        "(select p.recovery ->> 'kind' from public.people p limit 1)",
    ])
    func whatNoLongerHoldsASecretIsShown(_ expression: String) throws {
        try expectNone(
            in: Self.file.replacingOccurrences(of: "select s.title, c.since,", with: "select \(expression) as x,"))
        let outer = Self.file.replacingOccurrences(of: "select s.title, c.since,", with: "select \(expression) as x,")
            .replacingOccurrences(
                of: "  join public.shops s on s.id = c.shop_id\n where",
                with: "  left join public.shops s on s.id = c.shop_id\n where")
        try expectNone(in: outer)
    }

    private func expectNone(in file: String) throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "market.sql", holding: file)
        let result = try Usher.run(["app", "check", path, "--json", "-q"], on: try Self.made.get().conninfo())
        #expect(result.output == "[]\n")
    }
}
