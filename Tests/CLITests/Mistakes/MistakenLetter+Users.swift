extension MistakenLetter {
    /// Mistakes in `@app` and `@users`.
    static let inUsers: [PlantedMistake] = [
        .init(
            "requires", "-- @requires public.deliveries |", "-- @requires public.deliverys |", at: "public.deliverys"),
        .init(
            "requirescol", "paid_until\n-- @requires public.del", "paid_untill\n-- @requires public.del",
            at: "public.subscribers.paid_untill", offers: "paid_until"),
        .init("key", "-- @users\n-- @key id", "-- @users\n-- @key ident", at: "ident", offers: "id"),
        .init("email", "-- @email email", "-- @email emial", at: "emial", offers: "email"),
        .init("search", "-- @search email, plan", "-- @search email, paln", at: "paln", offers: "plan"),
        .init(
            "columns", "-- @columns email, plan, paid_until", "-- @columns email, plan, paid_util", at: "paid_util",
            offers: "paid_until"),
        .init("fact", "-- @fact plan :", "-- @fact paln :", offers: "plan"),
        .init(
            "userscol", "s.plan, s.paid_until, s.created_at from", "s.plann, s.paid_until, s.created_at from",
            at: "s.plann", offers: "plan"),
        .init(
            "usersalias", "s.plan, s.paid_until, s.created_at from", "s.plan as plann, s.paid_until, s.created_at from",
            offers: "plan"),
        .init(
            "userstable", "s.created_at from public.subscribers s;", "s.created_at from public.subscriber s;",
            at: "public.subscriber"),
        .init(
            "value", "plan = 'paid' and paid_until <= :now;", "plan = 'payed' and paid_until <= :now;", at: "'payed'",
            offers: "paid"),
        .init("link", "search?from={email}", "search?from={emial}", at: "{emial}", offers: "email"),
        .init(
            "platform", "-- @constant grace", "-- @include supabse\n-- @constant grace", at: "supabse",
            offers: "supabase"),
        .init(
            "beside", "-- @constant grace", "-- @include ./leter.sql\n-- @constant grace", at: "./leter.sql",
            offers: "./letter.sql"),
        .init(
            "quoteBeforeOthers", "plan = 'paid' and paid_until <= :now;",
            "plan = 'paid and paid_until <= :now or plan = 'gift';", at: "'paid and"),
        .init(
            "requiresTable", "-- @requires public.subscribers.paid_until", "-- @requires public.subscriber.paid_until",
            at: "public.subscriber"),
        .init("noKeyOfUsers", "-- @users\n-- @key id\n", "-- @users\n", at: "@users", offers: "@key"),
        .init("noUsers", "-- @users\n-- @key id\n", "-- @key id\n", at: "@key", offers: "@users"),
        .init(
            "usersMisspelt", "-- @users\n-- @key id\n", "-- @user\n-- @key id\n", at: "@user",
            offers: "did you mean @users?"),
        .init(
            "constantOfNothing", "-- @constant grace: int = 3", "-- @constant grace: int 3", at: "grace",
            offers: "= VALUE"),
        .init("facttwice", "-- @fact paid_until :", "-- @fact plan :", at: "plan"),
        .init("refusename", "-- @refuse paying  This", "-- @refuse payin  This", at: "paying", offers: "payin"),
        .init(
            "type of what may be missing", "-- @optional public.subscribers.phone: text",
            "-- @optional public.subscribers.phone: txt", at: "txt"),
    ]
}
