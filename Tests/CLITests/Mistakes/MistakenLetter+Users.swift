extension MistakenLetter {
    /// Mistakes in `@app` and `@users`.
    static let inUsers: [PlantedMistake] = [
        .init(
            "misspelt table in @requires with alternatives", "-- @requires public.deliveries |",
            "-- @requires public.deliverys |", at: "public.deliverys"),
        .init(
            "misspelt column in @requires", "paid_until\n-- @requires public.del",
            "paid_untill\n-- @requires public.del",
            at: "public.subscribers.paid_untill", offers: "paid_until"),
        .init(
            "misspelt @key of the users", "-- @users\n-- @key id", "-- @users\n-- @key ident", at: "ident", offers: "id"
        ),
        .init("misspelt column in @email", "-- @email email", "-- @email emial", at: "emial", offers: "email"),
        .init(
            "misspelt column in @search", "-- @search email, plan", "-- @search email, paln", at: "paln", offers: "plan"
        ),
        .init(
            "misspelt column in @columns of the users", "-- @columns email, plan, paid_until",
            "-- @columns email, plan, paid_util", at: "paid_util",
            offers: "paid_until"),
        .init("misspelt column in @fact", "-- @fact plan :", "-- @fact paln :", offers: "plan"),
        .init(
            "misspelt column in the select of the users", "s.plan, s.paid_until, s.created_at from",
            "s.plann, s.paid_until, s.created_at from",
            at: "s.plann", offers: "plan"),
        .init(
            "column of the users with another alias", "s.plan, s.paid_until, s.created_at from",
            "s.plan as plann, s.paid_until, s.created_at from",
            offers: "plan"),
        .init(
            "misspelt table of the users", "s.created_at from public.subscribers s;",
            "s.created_at from public.subscriber s;",
            at: "public.subscriber"),
        .init(
            "value that the column never has", "plan = 'paid' and paid_until <= :now;",
            "plan = 'payed' and paid_until <= :now;", at: "'payed'",
            offers: "paid"),
        .init("misspelt fact in a link", "search?from={email}", "search?from={emial}", at: "{emial}", offers: "email"),
        .init(
            "misspelt platform in @include", "-- @constant grace", "-- @include supabse\n-- @constant grace",
            at: "supabse",
            offers: "supabase"),
        .init(
            "misspelt file in @include", "-- @constant grace", "-- @include ./leter.sql\n-- @constant grace",
            at: "./leter.sql",
            offers: "./FILE.sql"),
        .init(
            "missing quote before other quotes", "plan = 'paid' and paid_until <= :now;",
            "plan = 'paid and paid_until <= :now or plan = 'gift';", at: "';"),
        .init(
            "misspelt table in @requires", "-- @requires public.subscribers.paid_until",
            "-- @requires public.subscriber.paid_until",
            at: "public.subscriber"),
        .init("@users without @key", "-- @users\n-- @key id\n", "-- @users\n", at: "@users", offers: "@key"),
        .init("missing @users", "-- @users\n-- @key id\n", "-- @key id\n", at: "@key", offers: "@users"),
        .init(
            "misspelt @users", "-- @users\n-- @key id\n", "-- @user\n-- @key id\n", at: "@user",
            offers: "did you mean @users?"),
        .init(
            "constant without a value", "-- @constant grace: int = 3", "-- @constant grace: int 3", at: "grace",
            offers: "= VALUE"),
        .init("two @fact lines for one column", "-- @fact paid_until :", "-- @fact plan :", at: "plan"),
        .init(
            "misspelt name of a refusal", "-- @refuse paying  This", "-- @refuse payin  This", at: "paying",
            offers: "payin"),
        .init(
            "misspelt type of an optional column", "-- @optional public.subscribers.phone: text",
            "-- @optional public.subscribers.phone: txt", at: "txt"),
    ]
}
