extension MistakenLetter {
    /// Mistakes in actions, settings, states, invariants and examples.
    static let inChanges: [PlantedMistake] = [
        .init("role", "-- @role admin", "-- @role amdin", at: "amdin", offers: "admin"),
        .init("grade", "-- @grade moderate", "-- @grade moderat", at: "moderat", offers: "moderate"),
        .init("range", "letters: int 0..1000", "letters: int 1000..0", at: "letters"),
        .init("default", "prize | apology = prize", "prize | apology = pride", at: "occasion"),
        .init(
            "global", "-- @option occasion: prize | apology = prize", "-- @option reason: prize | apology = prize",
            at: "reason"),
        .init("role", "-- @role admin", "-- @role admim", at: "admim", offers: "admin"),
        .init("grade", "-- @grade moderate", "-- @grade moderat", at: "moderat", offers: "moderate"),
        .init("ceiling", "-- @ceiling 500", "-- @ceiling lots", at: "lots"),
        .init(
            "select", "-- @option occasion: prize | apology = prize : The reason for the gift.\n-- @select lapsed",
            "-- @option occasion: prize | apology = prize : The reason for the gift.\n-- @select lapst", at: "lapst",
            offers: "lapsed"),
        .init(
            "expectdec", "-- @expect access reads\n\n-- @refuse", "-- @expect acess reads\n\n-- @refuse", at: "acess",
            offers: "access"),
        .init(
            "expectout", "-- @expect access reads\n\n-- @refuse", "-- @expect access read\n\n-- @refuse", at: "read",
            offers: "reads"),
        .init("refuse", "-- @refuse paying\n-- @warn", "-- @refuse payng\n-- @warn", at: "payng", offers: "paying"),
        .init("on", "-- @on issue", "-- @on isue", at: "isue", offers: "issue"),
        .init("each", "-- @each sent_at", "-- @each sendt_at", at: "sendt_at", offers: "sent_at"),
        .init(
            "dotable", "update public.subscribers set plan = 'gift', paid_until = null where id = any(:users);",
            "update public.subscriber set plan = 'gift', paid_until = null where id = any(:users);",
            at: "public.subscriber"),
        .init(
            "docol", "update public.subscribers set plan = 'gift', paid_until = null where",
            "update public.subscribers set plann = 'gift', paid_until = null where", at: "plann", offers: "plan"),
        .init(
            "dovalue", "set plan = 'gift', paid_until = null where", "set plan = 'gifted', paid_until = null where",
            at: "'gifted'", offers: "gift"),
        .init(
            "nosubject", "delete from public.issues where id = :key;",
            "delete from public.issues where sent_at is null;", at: "delete"),
        .init("settable", "-- @table public.plans", "-- @table public.plan", at: "public.plan"),
        .init("setkey", "-- @key plan", "-- @key plann", at: "plann", offers: "plan"),
        .init("setcol", "-- @column letters: int", "-- @column leters: int", at: "leters", offers: "letters"),
        .init(
            "impact", "{subscribers} subscribers have", "{subscriber} subscribers have", at: "{subscriber}",
            offers: "subscribers"),
        .init("fix", "-- @fix delivery forgive", "-- @fix delivery forgiv", offers: "forgive"),
        .init("checkon", "-- @on delivery\n-- @fix", "-- @on delivry\n-- @fix", at: "delivry", offers: "delivery"),
        .init("swapped", "-- @select lapsed\n-- @role", "-- @select lapesd\n-- @role", at: "lapesd", offers: "lapsed"),
        .init(
            "subject", "delete from public.issues where id = :key;", "delete from public.issues where id = :kye;",
            at: ":kye", offers: ":key"),
        .init(
            "statecol", "set bounced = true where subscriber_id = any(:users);",
            "set bouncd = true where subscriber_id = any(:users);", at: "bouncd"),
        .init("exampleexp", "-- @expect archive teaser", "-- @expect archive teasr", at: "teasr", offers: "teaser"),
        .init(
            "examplefrom", "-- @example opener  A reader of the free plan.",
            "-- @example opener  A reader of the free plan.\n-- @from aheadd", at: "aheadd", offers: "ahead"),
        .init(
            "usherwrite", "delete from public.issues where id = :key;", "delete from usher.operation where id = :key;",
            at: "usher.operation"),
        .init(
            "ushercte", "delete from public.issues where id = :key;",
            "with a as (delete from usher.operation) delete from public.issues where id = :key;", at: "usher.operation"),
        .init(
            "usherfn", "delete from public.issues where id = :key;", "select usher.retire(:key);", at: "usher.retire"),
        .init("ushersettings", "-- @table public.plans", "-- @table usher.environment", at: "usher.environment"),
        .init(
            "defaultnear", "prize | apology = prize", "prize | apology = prise", at: "occasion",
            offers: "did you mean prize?"),
        .init("nodo", "-- @do  The plan becomes a gift.\n", "", at: "update public.subscribers"),
        .init(
            "quoteinbrackets", "values (1, 'ada@example.com', 'paid', :now + interval '1 day', :now);",
            "values (1, 'ada@example.com, 'paid', :now + interval '1 day', :now);", at: "'ada@example.com, "),
        .init(
            "expectabout", "-- @expect delivery of title arrived", "-- @expect delivery of titel arrived", at: "titel",
            offers: "title"),
        .init(
            "expectabouttype", "-- @expect delivery of title arrived", "-- @expect delivery of id arrived",
            at: "delivery"),
        .init(
            "expectaboutnone", "-- @expect access reads\n\n-- @refuse", "-- @expect access of plan reads\n\n-- @refuse",
            at: "access"),
        .init("actionAdvised", "-- @action gift give ", "-- @action gift hand ", at: "`gift give", offers: "hand"),
        .init(
            "secretMisspelt", "-- @option note?: text\n", "-- @option note: secert\n", at: "secert"),
        .init(
            "fixTurned", "-- @fix delivery forgive", "-- @fix forgive delivery", at: "forgive",
            offers: "did you mean delivery forgive?"),
        .init("type of a setting", "letters: int 0..1000", "letters: itn", at: "itn"),
        .init("state that is meant to build on another", "-- @from lapsed", "-- @from bounce", at: "bounce"),
        .init("indented directive", "-- @role admin", "    -- @role admin", at: "@role", offers: "margin"),
        .init("directive that is no comment", "-- @role admin", "@role admin", at: "@role", offers: "-- @role"),
        .init(
            "assumption of nothing", "-- @assume opened=true", "-- @assume opend=true", at: "opend", offers: "opened"),
    ]
}
