extension MistakenFleet {
    private static let joined = "join public.orgs_company c on c.id = m.company_id\n where m.user_id"

    /// Mistakes with keys, required columns and functions, and slips of a careless author.
    static let mistakes: [PlantedMistake] = [
        .init(
            "quota with a missing column", "-- @quota trips\n-- @per company", "-- @quota trips",
            at: "select m.user_id"),
        .init(
            "reference in the wrong direction", "audit_trail.actor -> public.accounts_user.id",
            "accounts_user.id -> public.audit_trail.actor", at: "@refers", offers: "public.audit_trail.actor ->"),
        .init(
            "value that the column no longer has", "role in ('owner', 'planner')", "role in ('owner', 'dispatcher')",
            at: "'dispatcher'",
            offers: "planner"),
        .init(
            "rule after the last rule", "-- @example planner",
            "-- @decision once  Is it so?\n-- @rule yes  Yes.\ntrue;\n-- @rule no  No.\nfalse;\n-- @example planner",
            at: "true;"),
        .init(
            "examples that depend on each other", "-- @example planner  Who plans.",
            "-- @example planner  Who plans.\n-- @from driver"),
        .init("directive after a tab", "-- @order 1", "--\t@order 1", at: "@order", offers: "one space"),
        .init("indented directive", "-- @order 1", "--    @order 1", at: "@order", offers: "one space"),
        .init("directive with two spaces", "-- @order 1", "--  @order 1", at: "@order", offers: "one space"),
        .init("second @app", "-- @language 3", "-- @app ship  The Ship\n-- @language 3", at: "@app ship"),
        .init(
            "misspelt unit of an interval", "interval '1 month', c.name", "interval '1 mouth', c.name", at: "'1 mouth'"),
        .init(
            "arguments in the wrong order", "date_trunc('month', :now) + ", "date_trunc(:now, 'month') + ",
            at: "date_trunc"),
        .init("typographic quotes", "role = 'driver'", "role = ‘driver’", at: "‘driver’"),
        .init(
            "backticks around a name", "from public.shipping_trip t where t.driver_id",
            "from `public`.shipping_trip t where t.driver_id", at: "`public`"),
    ]
}
