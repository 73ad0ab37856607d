extension MistakenLetter {
    /// Mistakes in actions, settings, states, invariants and examples.
    static let inChanges: [PlantedMistake] = [
        .init("misspelt role of an action", "-- @role admin", "-- @role amdin", at: "amdin", offers: "admin"),
        .init(
            "misspelt grade of an action", "-- @grade moderate", "-- @grade moderat", at: "moderat", offers: "moderate"),
        .init("range that ends before it begins", "letters: int 0..1000", "letters: int 1000..0", at: "letters"),
        .init("default that is not a choice", "prize | apology = prize", "prize | apology = pride", at: "occasion"),
        .init(
            "option with the name of a global option", "-- @option occasion: prize | apology = prize",
            "-- @option reason: prize | apology = prize",
            at: "reason"),
        .init("misspelt role of another action", "-- @role admin", "-- @role admim", at: "admim", offers: "admin"),
        .init(
            "misspelt grade of another action", "-- @grade moderate", "-- @grade moderat", at: "moderat",
            offers: "moderate"),
        .init("@ceiling without a number", "-- @ceiling 500", "-- @ceiling lots", at: "lots"),
        .init(
            "misspelt selection of an action",
            "-- @option occasion: prize | apology = prize : The reason for the gift.\n-- @select lapsed",
            "-- @option occasion: prize | apology = prize : The reason for the gift.\n-- @select lapst", at: "lapst",
            offers: "lapsed"),
        .init(
            "misspelt decision in @expect", "-- @expect access reads\n\n-- @refuse",
            "-- @expect acess reads\n\n-- @refuse", at: "acess",
            offers: "access"),
        .init(
            "misspelt outcome in @expect", "-- @expect access reads\n\n-- @refuse",
            "-- @expect access read\n\n-- @refuse", at: "read",
            offers: "reads"),
        .init(
            "misspelt name in @refuse", "-- @refuse paying\n-- @warn", "-- @refuse payng\n-- @warn", at: "payng",
            offers: "paying"),
        .init("misspelt object in @on", "-- @on issue", "-- @on isue", at: "isue", offers: "issue"),
        .init("misspelt column in @each", "-- @each sent_at", "-- @each sendt_at", at: "sendt_at", offers: "sent_at"),
        .init(
            "misspelt table in @do",
            "update public.subscribers set plan = 'gift', paid_until = null where id = any(:users);",
            "update public.subscriber set plan = 'gift', paid_until = null where id = any(:users);",
            at: "public.subscriber"),
        .init(
            "misspelt column in @do", "update public.subscribers set plan = 'gift', paid_until = null where",
            "update public.subscribers set plann = 'gift', paid_until = null where", at: "plann", offers: "plan"),
        .init(
            "value that the column never has in @do", "set plan = 'gift', paid_until = null where",
            "set plan = 'gifted', paid_until = null where",
            at: "'gifted'", offers: "gift"),
        .init(
            "@do without its object", "delete from public.issues where id = :key;",
            "delete from public.issues where sent_at is null;", at: "delete"),
        .init("misspelt table of settings", "-- @table public.plans", "-- @table public.plan", at: "public.plan"),
        .init("misspelt key of settings", "-- @key plan", "-- @key plann", at: "plann", offers: "plan"),
        .init(
            "misspelt column of settings", "-- @column letters: int", "-- @column leters: int", at: "leters",
            offers: "letters"),
        .init(
            "misspelt fact in @impact", "{subscribers} subscribers have", "{subscriber} subscribers have",
            at: "{subscriber}",
            offers: "subscribers"),
        .init("misspelt action in @fix", "-- @fix delivery forgive", "-- @fix delivery forgiv", offers: "forgive"),
        .init(
            "misspelt object of an invariant", "-- @on delivery\n-- @fix", "-- @on delivry\n-- @fix", at: "delivry",
            offers: "delivery"),
        .init(
            "selection with swapped letters", "-- @select lapsed\n-- @role", "-- @select lapesd\n-- @role",
            at: "lapesd", offers: "lapsed"),
        .init(
            "misspelt parameter in @do", "delete from public.issues where id = :key;",
            "delete from public.issues where id = :kye;",
            at: ":kye", offers: ":key"),
        .init(
            "misspelt column in a state", "set bounced = true where subscriber_id = any(:users);",
            "set bouncd = true where subscriber_id = any(:users);", at: "bouncd"),
        .init(
            "misspelt outcome in an example", "-- @expect archive teaser", "-- @expect archive teasr", at: "teasr",
            offers: "teaser"),
        .init(
            "misspelt base of an example", "-- @example opener  A reader of the free plan opened the last letter.",
            "-- @example opener  A reader of the free plan opened the last letter.\n-- @from aheadd", at: "aheadd",
            offers: "ahead"),
        .init(
            "@do that deletes from the audit log", "delete from public.issues where id = :key;",
            "delete from usher.operation where id = :key;",
            at: "usher.operation"),
        .init(
            "@do that deletes from the audit log in a WITH query", "delete from public.issues where id = :key;",
            "with a as (delete from usher.operation) delete from public.issues where id = :key;", at: "usher.operation"),
        .init(
            "@do that calls a function of usher", "delete from public.issues where id = :key;",
            "select usher.retire(:key);", at: "usher.retire"),
        .init(
            "settings in a table of usher", "-- @table public.plans", "-- @table usher.environment",
            at: "usher.environment"),
        .init(
            "misspelt default", "prize | apology = prize", "prize | apology = prise", at: "occasion",
            offers: "did you mean prize?"),
        .init("missing @do", "-- @do  The plan becomes a gift.\n", "", at: "update public.subscribers"),
        .init(
            "missing quote in brackets", "values (1, 'ada@example.com', 'paid', :now + interval '1 day', :now);",
            "values (1, 'ada@example.com, 'paid', :now + interval '1 day', :now);", at: "', :now);"),
        .init(
            "misspelt column in @expect of an example", "-- @expect delivery of title arrived",
            "-- @expect delivery of titel arrived", at: "titel",
            offers: "title"),
        .init(
            "@expect about a column for a decision without @per", "-- @expect access reads\n\n-- @refuse",
            "-- @expect access of plan reads\n\n-- @refuse",
            at: "access"),
        .init(
            "renamed action that advice names", "-- @action gift give ", "-- @action gift hand ", at: "`gift give",
            offers: "hand"),
        .init(
            "misspelt type of an option", "-- @option note?: text\n", "-- @option note: secert\n", at: "secert"),
        .init(
            "words of @fix in the wrong order", "-- @fix delivery forgive", "-- @fix forgive delivery", at: "forgive",
            offers: "did you mean delivery forgive?"),
        .init("misspelt type of a setting", "letters: int 0..1000", "letters: itn", at: "itn"),
        .init("misspelt base of a state", "-- @from lapsed", "-- @from bounce", at: "bounce"),
        .init("indented directive", "-- @role admin", "    -- @role admin", at: "@role", offers: "margin"),
        .init("directive that is not a comment", "-- @role admin", "@role admin", at: "@role", offers: "-- @role"),
        .init(
            "assumption with an unknown name", "-- @assume opened=true", "-- @assume opend=true", at: "opend",
            offers: "opened"),
    ]
}
