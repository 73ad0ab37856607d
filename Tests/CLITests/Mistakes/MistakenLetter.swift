import Foundation

/// The newsletter app of the language guide.
enum MistakenLetter {
    private static let rows = [
        "create sequence public.n",
        """
        create function public.touch(k bigint) returns boolean language plpgsql as $$ begin
            insert into public.delivery_log values (now(), k::text);
            return true;
        end $$
        """,
        "insert into public.subscribers values (1, 'ada@example.com', 'paid', now(), now())",
    ]

    static let file = MistakenFile(
        "letter", Guide.blocks("sql"), on: Guide.blocks("schema").components(separatedBy: ";\n") + rows,
        with: inUsers + inDecisions + inReading + inChanges + inAccount)
}

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

extension MistakenLetter {
    static let inDecisions: [PlantedMistake] = [
        .init("misspelt @advice", "-- @advice See what", "-- @advise See what", at: "@advise", offers: "@advice"),
        .init(
            "misspelt constant in a rule", "paid_until > :now - make_interval(days => :grace)",
            "paid_until > :now - make_interval(days => :grase)", at: ":grase", offers: ":grace"),
        .init(
            "misspelt fact in a sentence", "Paid until {paid_until}.", "Paid until {paid_untill}.", at: "{paid_untill}",
            offers: "paid_until"),
        .init(
            "misspelt command in advice", "`user timeline {email}`", "`user timelin {email}`", at: "`user timelin",
            offers: "timeline"),
        .init("misspelt screen in @shows", "-- @shows welcome", "-- @shows welcom", at: "welcom", offers: "welcome"),
        .init("misspelt base of a decision", "-- @from access", "-- @from acces", at: "acces", offers: "access"),
        .init(
            "misspelt column in @per", "-- @per title\nselect u.id", "-- @per titel\nselect u.id", at: "titel",
            offers: "title"),
        .init(
            "last rule with a condition", "-- @rule teaser  The free plan.\ntrue;",
            "-- @rule teaser  The free plan.\nplan = 'free';",
            at: "plan = 'free'"),
        .init(
            "missing quote in a rule", "plan = 'gift';\n\n-- @rule reads  Paid until",
            "plan = 'gift;\n\n-- @rule reads  Paid until",
            at: "'gift"),
        .init(
            "missing semicolon after a rule", "plan = 'gift';\n\n-- @rule reads  Paid until",
            "plan = 'gift'\n\n-- @rule reads  Paid until"),
        .init(
            "continuation line without spaces", "-- @advice Ask for the receipt.",
            "-- @advice Ask for\n--  the receipt."),
        .init(
            "misspelt type of an assumption", "-- @assume opened: boolean = false", "-- @assume opened: bolean = false",
            at: "bolean"),
        .init(
            "missing closing brace at the end of a sentence", "Paid until {paid_until}.", "Paid until {paid_until.",
            at: "{paid_until."),
        .init(
            "missing closing brace within a sentence", "The subscriber got a gift that never ends.\nplan",
            "The {plan, got {email}.\nplan", at: "{plan,"),
        .init(
            "unclosed dollar quote", "plan = 'gift';\n\n-- @rule reads  Paid until",
            "plan = $$gift;\n\n-- @rule reads  Paid until",
            at: "$$gift"),
        .init(
            "unclosed comment after a rule", "true;\n\n-- @screen welcome", "true /* or so;\n\n-- @screen welcome",
            at: "/* or so"),
        .init(
            "renamed decision", "-- @decision access ", "-- @decision acess ", at: "access",
            offers: "did you mean acess? (the same mistake is in lines"),
        .init(
            "renamed decision that a quota explains", "-- @decision delivery ", "-- @decision delivry ", at: "delivery"),
        .init(
            "renamed screen", "-- @screen welcome ", "-- @screen welcom ", at: "welcome", offers: "did you mean welcom?"
        ),
        .init(
            "two decisions with one name", "-- @decision archive ", "-- @decision access ", at: "access",
            offers: "taken"),
        .init(
            "name of a screen as advice", "-- @advice Ask for the receipt.", "-- @advice welcom", at: "welcom",
            offers: "did you mean welcome?"),
    ]
}

extension MistakenLetter {
    /// Mistakes in definitions, quotas, panels, timelines, objects and lists.
    static let inReading: [PlantedMistake] = [
        .init("missing quote in a quota", "p.letters, 'total', null", "p.letters, 'total, null", at: "'total, null"),
        .init(
            "missing quote in a definition", "select i.id, i.title, i.sent_at from public.issues i;",
            "select i.id, i.title, 'sent_at from public.issues i;", at: "'sent_at"),
        .init(
            "definition that refers to itself", "select i.id, i.title, i.sent_at from public.issues i;",
            "select i.id, i.title, i.sent_at from issue i;"),
        .init("misspelt @panel", "-- @panel Deliveries", "-- @pannel Deliveries", at: "@pannel", offers: "@panel"),
        .init(
            "misspelt definition in a join", "left join sent s on", "left join sentt s on", at: "sentt", offers: "sent"),
        .init(
            "quota with four columns", "coalesce(s.issues, 0), p.letters, 'total', null::timestamptz\n",
            "coalesce(s.issues, 0), p.letters, null::timestamptz\n", at: "select u.id"),
        .init("misspelt function", "coalesce(s.issues, 0)", "coalesc(s.issues, 0)", at: "coalesc"),
        .init(
            "misspelt decision in @explains", "-- @explains delivery", "-- @explains delivry", at: "delivry",
            offers: "delivery"),
        .init(
            "misspelt column in @columns of a panel", "-- @columns title, delivered_at, bounced",
            "-- @columns title, deliverd_at, bounced",
            at: "deliverd_at", offers: "delivered_at"),
        .init("@order of a panel without a number", "-- @order 1", "-- @order one", at: "one"),
        .init(
            "misspelt table in a panel", "select i.title, d.delivered_at, d.bounced, d.id\n  from public.deliveries d",
            "select i.title, d.delivered_at, d.bounced, d.id\n  from public.delivries d", at: "public.delivries"),
        .init(
            "misspelt schema", "select d.issue_id, d.subscriber_id from public.deliveries d;",
            "select d.issue_id, d.subscriber_id from pubic.deliveries d;", at: "pubic"),
        .init(
            "misspelt key of an object", "-- @object delivery  One letter to one subscriber.\n-- @key id",
            "-- @object delivery  One letter to one subscriber.\n-- @key ide", at: "ide", offers: "id"),
        .init(
            "misspelt column in @user", "-- @user subscriber_id", "-- @user subscriberid", at: "subscriberid",
            offers: "subscriber_id"),
        .init(
            "members without their user", "select d.issue_id, d.subscriber_id from", "select d.issue_id from",
            at: "select d.issue_id from"
        ),
        .init(
            "misspelt column in @columns of an object", "-- @columns title, sent_at", "-- @columns title, send_at",
            at: "send_at", offers: "sent_at"),
        .init(
            "misspelt type of an option", "-- @option since?: timestamptz", "-- @option since?: timestampz",
            offers: "timestamp"),
        .init("missing bracket", "coalesce(s.issues, 0), p.letters", "coalesce(s.issues, 0, p.letters", at: "("),
        .init(
            "definition with too many columns", "-- @define sent (id, issues)", "-- @define sent (id, issues, more)",
            at: "select d.subscriber_id, count(*)"),
        .init(
            "object without @key", "-- @object delivery  One letter to one subscriber.\n-- @key id\n",
            "-- @object delivery  One letter to one subscriber.\n", at: "@object delivery"),
        .init(
            "option without a colon", "-- @option since?: timestamptz", "-- @option since? timestamptz", at: "since",
            offers: "NAME: TYPE"),
        .init(
            "unclosed comment within a select", "select i.id, i.title, i.sent_at from public.issues i;",
            "select i.id, /* what it is called: i.title, i.sent_at from public.issues i;", at: "/* what"),
        .init("renamed object", "-- @object issue ", "-- @object isue ", at: "issue", offers: "isue"),
        .init(
            "renamed object that other blocks use", "-- @object delivery ", "-- @object delivry ", at: "delivery",
            offers: "did you mean delivry? (the same mistake is in line"),
        .init(
            "two definitions with one name", "-- @define sent (id, issues)  The", "-- @define issue (id, issues)  The",
            at: "issue", offers: "taken"),
    ]
}

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

extension MistakenLetter {
    static let inAccount: [PlantedMistake] = [
        .init(
            "misspelt column in @root", "-- @root public.subscribers.id", "-- @root public.subscribers.ident",
            at: "public.subscribers.ident", offers: "id"),
        .init(
            "misspelt table in @refers", "-- @refers public.unsubscribes.email ->",
            "-- @refers public.unsubscribe.email ->",
            at: "public.unsubscribe.email"),
        .init(
            "misspelt column in @refers", "-- @refers public.unsubscribes.email ->",
            "-- @refers public.unsubscribes.emial ->",
            at: "public.unsubscribes.emial", offers: "email"),
        .init(
            "misspelt column in the condition of @refers", "where about_type = 'Subscriber'",
            "where about_typ = 'Subscriber'", at: "about_typ",
            offers: "about_type"),
        .init("misspelt table in @keep", "-- @keep public.plans :", "-- @keep public.plas :", at: "public.plas"),
        .init(
            "@keep for rows that the deletion removes", "-- @keep public.plans : Prices belong to no user.",
            "-- @keep public.deliveries : Prices belong to no user."),
        .init(
            "misspelt column in a detached reference", "-- @refers public.remarks.author_id :",
            "-- @refers public.remarks.authr_id :",
            at: "public.remarks.authr_id", offers: "author_id"),
        .init(
            "detached reference that can't be null", "-- @refers public.remarks.author_id :",
            "-- @refers public.deliveries.subscriber_id :"),
        .init(
            "misspelt column in @set", "-- @set public.unsubscribes.email = 'gone-' || md5(email)",
            "-- @set public.unsubscribes.email = 'gone-' || md5(emial)", at: "emial", offers: "email"),
        .init(
            "misspelt effect of @refers", "public.remarks.author_id : detach :", "public.remarks.author_id : detatch :",
            at: "detatch",
            offers: "detach"),
        .init(
            "misspelt column in @ignore", "-- @ignore public.remarks.body :", "-- @ignore public.remarks.bdy :",
            at: "public.remarks.bdy", offers: "body"),
        .init(
            "misspelt column after via", "via giver_id where", "via givr_id where", at: "via givr_id",
            offers: "giver_id"),
        .init(
            "expression after via", "via giver_id where", "via (abs(giver_id)) where", at: "@keep public.gifts",
            offers: "write only the name of the column"),
        .init(
            "misspelt column in a condition of a line", "opened_at is not null", "open_at is not null", at: "open_at",
            offers: "opened_at"),
        .init(
            "misspelt table in @do of the account", "insert into public.printer_jobs (kind",
            "insert into public.printer_job (kind",
            at: "public.printer_job"),
        .init("misspelt column in @owns", "-> public.receipts.id", "-> public.receipt.id", at: "public.receipt.id"),
        .init(
            "misspelt table in @shared", "-- @shared public.remarks :", "-- @shared public.remark :",
            at: "public.remark"),
        .init(
            "@shared for a table that is not shared",
            "-- @shared public.remarks : give = (select min(s.id) from public.subscribers s) :",
            "-- @shared public.deliveries : detach :"),
        .init(
            "misspelt table in @written", "-- @written public.delivery_log : keep",
            "-- @written public.delivery_logs : keep",
            at: "public.delivery_logs", offers: "delivery_log"),
        .init(
            "misspelt column in @secret", "-- @secret public.unsubscribes.email", "-- @secret public.unsubscribes.emil",
            at: "public.unsubscribes.emil", offers: "email"),
        .init(
            "secret column that a panel shows", "-- @secret public.unsubscribes.email", "-- @secret public.issues.title"
        ),
        .init("missing @account", "-- @account\n-- @root", "-- @root", at: "@root", offers: "@account"),
        .init(
            "misspelt placeholder in @files", "-- @files portraits {id}/", "-- @files portraits {uid}/", at: "{uid}",
            offers: "write {id}"),
        .init(
            "@files without the key of the user", "-- @files portraits {id}/", "-- @files portraits all/", at: "all/",
            offers: "write {id}"),
    ]
}
