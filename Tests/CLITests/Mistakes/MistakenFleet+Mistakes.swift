extension MistakenFleet {
    private static let joined = "join public.orgs_company c on c.id = m.company_id\n where m.user_id"

    /// Of keys that are taken for others, of what must not be empty, of functions, and of what a careless colleague types.
    static let mistakes: [PlantedMistake] = [
        .init(
            "NULL set", "is_active = false where", "is_active = null where", at: "null", offers: "is_active must not"),
        .init(
            "NULL of a CASE", "state = 'lost' where",
            "state = case when made_at > :now then 'lost'::public.trip_state else null end where", at: "null"),
        .init(
            "NULL in a list of two", "set is_active = false", "set (is_active, last_login) = (null, null)",
            at: "null, null"),
        .init(
            "NULL selected", "select k, :cents,", "select null::bigint, :cents,", at: "null::bigint",
            offers: "company_id"),
        .init("NULL by place", "values (1, 'small', 3)", "values (1, 'small', null)", at: "null", offers: "seats"),
        .init(
            "column left out", "(company_id, cents, reason) select k, :cents, :cause",
            "(company_id, reason) select k, :cause", at: "insert", offers: "billing_credit.cents must not"),
        .init(
            "parameter that may be left out", "-- @arg cents: int", "-- @arg cents?: int", at: ":cents", offers: "cents"
        ),
        .init("text as a limit", "p.seats, 'month'", "p.seats::text, 'month'", at: "p.seats::text", offers: "number"),
        .init(
            "words as a limit", "p.seats, 'month'", "case when p.seats > 9 then 'many' else '3' end, 'month'",
            at: "case", offers: "number"),
        .init(
            "column of the quota too many", "-- @quota trips\n-- @per company", "-- @quota trips",
            at: "select m.user_id"),
        .init(
            "members turned", "select m.company_id, m.user_id from", "select m.user_id, m.company_id from",
            at: "m.user_id", offers: "other way round"),
        .init(
            "members by their own key", "select m.company_id, m.user_id from", "select m.id, m.user_id from",
            at: "m.id",
            offers: "public.orgs_company.id"),
        .init(
            "members without a user", "select m.company_id, m.user_id from", "select m.company_id, m.company_id from",
            at: "m.company_id from", offers: "public.accounts_user.id"),
        .init(
            "user of an object", "-- @user driver_id", "-- @user company_id", at: "company_id", offers: "accounts_user"),
        .init("key of the object for its user", "-- @user driver_id", "-- @user id", at: "id", offers: "accounts_user"),
        .init(
            "whose decision", "select u.id, u.is_active,", "select c.id, u.is_active,", at: "c.id",
            offers: "orgs_company"),
        .init(
            "joined by another key", joined, "join public.orgs_company c on c.id = m.user_id\n where m.user_id",
            at: "c.id"),
        .init("joined by its own key", "on p.id = c.plan_id", "on p.id = c.id", at: "p.id", offers: "billing_plan.id"),
        .init("whose panel", " where m.user_id = :user;", " where m.company_id = :user;", at: "m.company_id"),
        .init(
            "whose timeline", "where t.driver_id = :user", "where t.id = :user", at: "t.id", offers: "shipping_trip.id"),
        .init(
            "done to others", "closed_at = null where id = any(:keys)", "closed_at = null where plan_id = any(:keys)",
            at: "plan_id"),
        .init(
            "reference the other way round", "audit_trail.actor -> public.accounts_user.id",
            "accounts_user.id -> public.audit_trail.actor", at: "@refers", offers: "public.audit_trail.actor ->"),
        .init(
            "function that writes", "random() as dice", "public.touch(m.user_id)", at: "public.touch", offers: "writes"),
        .init(
            "function that calls one", "random() as dice", "public.seen(m.user_id)", at: "public.seen", offers: "writes"
        ),
        .init(
            "function of a text", "random() as dice", "public.counted('pg_class')", at: "public.counted",
            offers: "stable"),
        .init(
            "function for its effect", "random() as dice", "pg_notify('a', m.role)", at: "pg_notify", offers: "writes"),
        .init("lock", "random() as dice", "pg_advisory_lock(m.user_id)", at: "pg_advisory_lock"),
        .init(
            "stale value", "role in ('owner', 'planner')", "role in ('owner', 'dispatcher')", at: "'dispatcher'",
            offers: "planner"),
        .init(
            "rule behind the last", "-- @example planner",
            "-- @decision once  Is it so?\n-- @rule yes  Yes.\ntrue;\n-- @rule no  No.\nfalse;\n-- @example planner",
            at: "true;"),
        .init(
            "examples in a circle", "-- @example planner  Who plans.",
            "-- @example planner  Who plans.\n-- @from driver"),
        .init("directive behind a tab", "-- @order 1", "--\t@order 1", at: "@order", offers: "one space"),
        .init("directive that is indented", "-- @order 1", "--    @order 1", at: "@order", offers: "one space"),
        .init("directive with two spaces", "-- @order 1", "--  @order 1", at: "@order", offers: "one space"),
        .init("app twice", "-- @language 3", "-- @app ship  The Ship\n-- @language 3", at: "@app ship"),
        .init("units of an interval", "interval '1 month', c.name", "interval '1 mouth', c.name", at: "'1 mouth'"),
        .init("arguments turned", "date_trunc('month', :now) + ", "date_trunc(:now, 'month') + ", at: "date_trunc"),
        .init("quotes of a letter", "role = 'driver'", "role = ‘driver’", at: "‘driver’"),
        .init(
            "backticks", "from public.shipping_trip t where t.driver_id",
            "from `public`.shipping_trip t where t.driver_id", at: "`public`"),
    ]
}
