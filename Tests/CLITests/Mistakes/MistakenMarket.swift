/// Authors of a first app file make mistakes with SQL, secrets, members, and the purpose of a directive.
enum MistakenMarket {
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

    private static let text = """
        -- @app market  The Market
        -- @language 3
        -- @requires public.people
        -- @requires public.shops
        -- @constant trial: int = 14

        -- @users
        -- @key id
        -- @email email
        -- @fact plan : The current plan.
        -- @link Mailbox https://mail.example.org/?from={email}
        select p.id, p.email, p.name, p.plan, p.seen_at, p.trial_ends_at from public.people p;

        -- @select idle  People who were not seen for a month.
        seen_at < :now - interval '30 days';

        -- @object shop  A shop.
        -- @key id
        -- @columns id, title
        select s.id, s.title, s.seats from public.shops s;
        -- @members
        select c.shop_id, c.person_id from public.clerks c;

        -- @select empty  Nobody works there.
        seats = 0;

        -- @define turnover (shop, person, cents)  The sales of each shop.
        select o.shop_id, o.person_id, sum(o.cents) from public.orders o group by o.shop_id, o.person_id;

        -- @define badge (person, label)  The label of each person.
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

        -- @decision shop  Is each shop open?
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

        -- @list order big  Orders above a price.
        -- @arg above: int 0..100000 = 100
        -- @option state?: text
        select o.id, o.cents from public.orders o where o.cents > :above and (:state is null or o.state = :state);

        -- @action person extend  Extend the trial.
        -- @option days: int 1..90 = 14
        -- @role support
        -- @grade mild
        -- @expect access yes
        -- @refuse Pays already.
        plan = 'pro';
        -- @warn This person was not seen for long.
        seen_at < :now - interval '90 days';
        -- @do
        update public.people set trial_ends_at = :now + make_interval(days => :days) where id = any(:users);

        -- @action shop close  Close a shop.
        -- @on shop
        -- @grade severe
        -- @do
        update public.shops set seats = 0 where id = any(:keys);

        -- @check dangling  Every order has a price.
        select o.person_id, o.id from public.orders o where o.cents is null;

        -- @account
        -- @root public.people.id
        -- @ignore public.orders.state : Texts stay.
        -- @secret public.people.password_hash
        -- @secret public.people.recovery
        -- @secret public.shops.api_key
        """

    static let file = MistakenFile(
        "market", text, on: schema + ["insert into public.people values (1, 'ada@example.com', null, 'free')"],
        with: mistakes)
}

extension MistakenMarket {
    /// Mistakes with secrets, mistakes with conditions, and other mistakes.
    static let mistakes: [PlantedMistake] = [
        .init(
            "secret appended to a text", "select s.title, c.since,",
            "select s.title, 'key ' || s.api_key as shown, c.since,"),
        .init(
            "secret in a row converted with to_jsonb", "select s.title, c.since,", "select to_jsonb(s) as all, c.since,"
        ),
        .init(
            "secret in a row converted with row_to_json", "select s.title, c.since,",
            "select row_to_json(s.*), c.since,"),
        .init(
            "secret in a whole row as a column", "select s.title, c.since,", "select s.title, s, c.since,"),
        .init(
            "secrets selected with a star", "p.id, p.email, p.name, p.plan, p.seen_at, p.trial_ends_at from", "p.* from"
        ),
        .init(
            "secret as one of several columns", "select s.title, c.since,", "select s.title, s.api_key, c.since,"),
        .init(
            "secret that a definition returns", "coalesce(p.name, p.email) from",
            "coalesce(p.name, upper(p.password_hash)) from"),
        .init(
            "secret in a subquery", "select s.title, c.since,",
            "select s.title, (select x.api_key || '' from public.shops x where x.id = s.id), c.since,"),
        .init(
            "secret in a subquery with a limit", "select b.label from badge b where b.person = :user;",
            """
            select q.k || b.label from badge b
              cross join lateral (select p.password_hash || '.' as k from public.people p where p.id = b.person limit 1) q
             where b.person = :user;
            """),
        .init(
            "secrets joined with string_agg", "select o.id, o.state, o.cents, o.made_at from public.orders o where",
            "select o.id, (select string_agg(s.api_key, ', ') from public.shops s) from public.orders o where"),
        .init(
            "secret in the members of a JSON document", "select b.label from badge b where b.person = :user;",
            """
            select k.key, k.value from public.people p cross join lateral jsonb_each(to_jsonb(p)) k
             where p.id = :user;
            """),
        .init(
            "whole document of which a part is secret", "select b.label from badge b where b.person = :user;",
            "select p.recovery::text from public.people p where p.id = :user;"),
        .init(
            "rule whose condition is a text", "plan = 'pro';\n-- @rule yes  The", "plan;\n-- @rule yes  The",
            at: "plan;",
            offers: "text"),
        .init("rule whose condition is a number", "cents > 0;", "cents + 1;", at: "cents + 1", offers: "bigint"),
        .init(
            "reason whose condition is a time", "trial_ends_at is not null;", "trial_ends_at;", at: "trial_ends_at;",
            offers: "timestamp"),
        .init("selection whose condition is a number", "seats = 0;", "seats;", at: "seats;", offers: "integer"),
        .init(
            "refusal whose condition is a text", "plan = 'pro';\n-- @warn", "upper(plan);\n-- @warn", at: "upper(plan)",
            offers: "text"),
        .init(
            "condition of which one half is a text", "plan = 'pro';\n-- @rule yes  The",
            "plan and trial_ends_at > :now;\n-- @rule yes  The", at: "plan and"),
        .init("aggregate in a rule", "cents > 0;", "sum(cents) > 0;", at: "sum(cents)"),
        .init(
            "condition with two columns", "seats = 0;", "id in (select c.shop_id, c.person_id from public.clerks c);",
            at: "in"),
        .init("number compared with a word", "seats = 0;", "seats = 'none';", at: "'none'", offers: "integer"),
        .init("misspelt unit of an interval", "interval '30 days'", "interval '30 dayz'", at: "'30 dayz'"),
        .init(
            "document compared with a number", "seats = 0;",
            "id in (select s.id from public.shops s where s.limits -> 'seats' > 5);", at: ">"),
        .init(
            "missing comma", "select o.id, o.state, o.cents, o.made_at", "select o.id o.state, o.cents, o.made_at",
            at: ".state"),
        .init(
            "additional comma", "s.seats from public.shops s;\n-- @members",
            "s.seats, from public.shops s;\n-- @members",
            at: "from"),
        .init(
            "column that is not grouped", "group by o.shop_id, o.person_id;", "group by o.shop_id;", at: "o.person_id"),
        .init(
            "column name without its table", "select u.id, s.title, s.seats, t.cents",
            "select id, s.title, s.seats, t.cents",
            at: "id, s.title"),
        .init("@language without a number", "-- @language 3", "-- @language three", at: "three"),
        .init("@limit without a number", "-- @limit 5", "-- @limit five", at: "five"),
        .init("@order without a number", "-- @order 2", "-- @order last", at: "last"),
        .init("link without a URL", "https://mail.example.org/?from={email}", "mail.example.org", offers: "https"),
        .init("range of a text option", "-- @option state?: text", "-- @option state?: text 1..5", at: "state"),
        .init("default outside of its range", "int 1..90 = 14", "int 1..90 = 140", at: "days"),
        .init(
            "reference with a misspelt effect", "-- @ignore public.orders.state : Texts stay.",
            "-- @refers public.orders.state : kep", at: "kep", offers: "keep"),
        .init(
            "two actions with one name", "-- @action shop close  Close a shop.\n-- @on shop",
            "-- @action person extend  Close a shop.\n-- @on shop", at: "person extend"),
        .init(
            "statistic with one column", "select plan, count(*) from users group by 1;", "select count(*) from users;",
            at: "select count"),
        .init(
            "parameter of users in an action on an object", "update public.shops set seats = 0 where id = any(:keys);",
            "update public.shops set seats = 0 where id = any(:users);", at: ":users", offers: ":keys"),
        .init(
            "parameter of one user in a query about all users",
            "select o.person_id, count(*), 100, 'total', null::timestamptz from",
            "select :user, count(*), 100, 'total', null::timestamptz from", at: ":user"),
        .init(
            "misspelt keyword", "from public.orders o where o.cents is null;",
            "form public.orders o where o.cents is null;"),
        .init(
            "operator of another language", "plan = 'pro';\n-- @rule yes  The", "plan == 'pro';\n-- @rule yes  The",
            at: "=="),
        .init(
            "text in double quotes", "plan = 'pro';\n-- @rule yes  The", "plan = \"pro\";\n-- @rule yes  The",
            at: "\"pro\""),
    ]
}
