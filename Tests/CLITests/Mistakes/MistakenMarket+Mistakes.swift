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
