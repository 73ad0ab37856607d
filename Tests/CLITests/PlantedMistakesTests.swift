import Foundation
import PQ
import Support
import Testing

/// One mistake in a file that is otherwise right: one finding, at its place, with the nearest word.
@Suite struct PlantedMistakesTests {
    struct Mistake: Sendable, CustomTestStringConvertible {
        let name: String
        /// What stands in the file, and what stands there instead.
        let right: String
        let wrong: String
        /// What the caret stands under; anything when empty.
        let place: String
        /// What the finding offers; nothing when empty.
        let offers: String

        var testDescription: String { name }

        /// Plants the mistake, and holds what is found to it.
        func expectOneFinding(in file: String, on database: TestDatabase) throws {
            let range = try #require(file.range(of: right))
            let wrong = file.replacingCharacters(in: range, with: wrong)
            let scratch = try Scratch()
            let path = try scratch.path(of: "letter.sql", holding: wrong)
            let result = try Usher.run(["app", "check", path, "--json", "-q"], on: database.conninfo())
            let all = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [[String: Any]])
            #expect(all.count == 1, "\(result.output)")
            let finding = try #require(all.first)
            #expect(finding["file"] as? String == path)
            let line = try #require(finding["line"] as? Int)
            let column = try #require(finding["column"] as? Int)
            let text = wrong.split(separator: "\n", omittingEmptySubsequences: false)[line - 1]
            #expect(text.dropFirst(column - 1).hasPrefix(place), "\(result.output)")
            let said = "\(finding["message"] ?? "") \(finding["hint"] ?? "")"
            #expect(offers.isEmpty || said.contains(offers), "\(said)")
        }
    }

    private static let mistakes: [Mistake] = [
        Mistake(
            name: "role", right: "-- @role admin", wrong: "-- @role amdin", place: "amdin", offers: "admin"),
        Mistake(
            name: "grade", right: "-- @grade moderate", wrong: "-- @grade moderat", place: "moderat", offers: "moderate"
        ),
        Mistake(
            name: "range", right: "letters: int 0..1000", wrong: "letters: int 1000..0", place: "letters", offers: ""),
        Mistake(
            name: "default", right: "prize | apology = prize", wrong: "prize | apology = pride", place: "occasion",
            offers: ""),
        Mistake(
            name: "unclosed", right: "p.letters, 'total', null", wrong: "p.letters, 'total, null",
            place: "'total, null",
            offers: ""),
        Mistake(
            name: "unclosed2", right: "select i.id, i.title, i.sent_at from public.issues i;",
            wrong: "select i.id, i.title, 'sent_at from public.issues i;", place: "'sent_at", offers: ""),
        Mistake(
            name: "itself", right: "select i.id, i.title, i.sent_at from public.issues i;",
            wrong: "select i.id, i.title, i.sent_at from issue i;", place: "", offers: ""),
        Mistake(
            name: "word", right: "-- @panel Deliveries",
            wrong: "-- @pannel Deliveries",
            place: "@pannel", offers: "@panel"),
        Mistake(
            name: "word2", right: "-- @advice See what",
            wrong: "-- @advise See what",
            place: "@advise", offers: "@advice"),
        Mistake(
            name: "requires", right: "-- @requires public.deliveries |",
            wrong: "-- @requires public.deliverys |",
            place: "public.deliverys", offers: "deliveries"),
        Mistake(
            name: "requirescol", right: "paid_until\n-- @requires public.del",
            wrong: "paid_untill\n-- @requires public.del",
            place: "public.subscribers.paid_untill", offers: "paid_until"),
        Mistake(
            name: "key", right: "-- @users\n-- @key id",
            wrong: "-- @users\n-- @key ident",
            place: "ident", offers: "id"),
        Mistake(
            name: "email", right: "-- @email email",
            wrong: "-- @email emial",
            place: "emial", offers: "email"),
        Mistake(
            name: "search", right: "-- @search email, plan",
            wrong: "-- @search email, paln",
            place: "paln", offers: "plan"),
        Mistake(
            name: "columns", right: "-- @columns email, plan, paid_until",
            wrong: "-- @columns email, plan, paid_util",
            place: "paid_util", offers: "paid_until"),
        Mistake(
            name: "fact", right: "-- @fact plan :",
            wrong: "-- @fact paln :",
            place: "", offers: "plan"),
        Mistake(
            name: "userscol", right: "s.plan, s.paid_until, s.created_at from",
            wrong: "s.plann, s.paid_until, s.created_at from",
            place: "s.plann", offers: "plan"),
        Mistake(
            name: "usersalias", right: "s.plan, s.paid_until, s.created_at from",
            wrong: "s.plan as plann, s.paid_until, s.created_at from",
            place: "", offers: "plan"),
        Mistake(
            name: "userstable", right: "s.created_at from public.subscribers s;",
            wrong: "s.created_at from public.subscriber s;",
            place: "public.subscriber", offers: "subscribers"),
        Mistake(
            name: "value", right: "plan = 'paid' and paid_until <= :now;",
            wrong: "plan = 'payed' and paid_until <= :now;",
            place: "'payed'", offers: "paid"),
        Mistake(
            name: "param", right: "paid_until > :now - make_interval(days => :grace)",
            wrong: "paid_until > :now - make_interval(days => :grase)",
            place: ":grase", offers: ":grace"),
        Mistake(
            name: "sentencefact", right: "Paid until {paid_until}.",
            wrong: "Paid until {paid_untill}.",
            place: "{paid_untill}", offers: "paid_until"),
        Mistake(
            name: "advicecmd", right: "`user timeline {email}`",
            wrong: "`user timelin {email}`",
            place: "`user timelin", offers: "timeline"),
        Mistake(
            name: "shows", right: "-- @shows welcome",
            wrong: "-- @shows welcom",
            place: "welcom", offers: "welcome"),
        Mistake(
            name: "from", right: "-- @from access",
            wrong: "-- @from acces",
            place: "acces", offers: "access"),
        Mistake(
            name: "per", right: "-- @per title\nselect u.id",
            wrong: "-- @per titel\nselect u.id",
            place: "titel", offers: "title"),
        Mistake(
            name: "lastrule", right: "-- @rule teaser  The free plan.\ntrue;",
            wrong: "-- @rule teaser  The free plan.\nplan = 'free';",
            place: "plan = 'free'", offers: ""),
        Mistake(
            name: "define", right: "left join sent s on",
            wrong: "left join sentt s on",
            place: "sentt", offers: "sent"),
        Mistake(
            name: "quotacols", right: "coalesce(s.issues, 0), p.letters, 'total', null::timestamptz\n",
            wrong: "coalesce(s.issues, 0), p.letters, null::timestamptz\n",
            place: "select u.id", offers: ""),
        Mistake(
            name: "func", right: "coalesce(s.issues, 0)",
            wrong: "coalesc(s.issues, 0)",
            place: "coalesc", offers: "coalesce"),
        Mistake(
            name: "explains", right: "-- @explains delivery",
            wrong: "-- @explains delivry",
            place: "delivry", offers: "delivery"),
        Mistake(
            name: "panelcols", right: "-- @columns title, delivered_at, bounced",
            wrong: "-- @columns title, deliverd_at, bounced",
            place: "deliverd_at", offers: "delivered_at"),
        Mistake(
            name: "order", right: "-- @order 1",
            wrong: "-- @order one",
            place: "one", offers: ""),
        Mistake(
            name: "paneltable", right: "select i.title, d.delivered_at, d.bounced, d.id\n  from public.deliveries d",
            wrong: "select i.title, d.delivered_at, d.bounced, d.id\n  from public.delivries d",
            place: "public.delivries", offers: "deliveries"),
        Mistake(
            name: "schema", right: "select d.issue_id, d.subscriber_id from public.deliveries d;",
            wrong: "select d.issue_id, d.subscriber_id from pubic.deliveries d;",
            place: "pubic", offers: "public"),
        Mistake(
            name: "objkey", right: "-- @object delivery  One letter to one subscriber.\n-- @key id",
            wrong: "-- @object delivery  One letter to one subscriber.\n-- @key ide",
            place: "ide", offers: "id"),
        Mistake(
            name: "objuser", right: "-- @user subscriber_id",
            wrong: "-- @user subscriberid",
            place: "subscriberid", offers: "subscriber_id"),
        Mistake(
            name: "members", right: "select d.issue_id, d.subscriber_id from",
            wrong: "select d.issue_id from",
            place: "select d.issue_id from", offers: ""),
        Mistake(
            name: "listcols", right: "-- @columns title, sent_at",
            wrong: "-- @columns title, send_at",
            place: "send_at", offers: "sent_at"),
        Mistake(
            name: "optiontype", right: "-- @option since?: timestamptz",
            wrong: "-- @option since?: timestampz",
            place: "", offers: "timestamp"),
        Mistake(
            name: "global", right: "-- @option occasion: prize | apology = prize",
            wrong: "-- @option reason: prize | apology = prize",
            place: "reason", offers: ""),
        Mistake(
            name: "role", right: "-- @role admin",
            wrong: "-- @role admim",
            place: "admim", offers: "admin"),
        Mistake(
            name: "grade", right: "-- @grade moderate",
            wrong: "-- @grade moderat",
            place: "moderat", offers: "moderate"),
        Mistake(
            name: "ceiling", right: "-- @ceiling 500",
            wrong: "-- @ceiling lots",
            place: "lots", offers: ""),
        Mistake(
            name: "select",
            right: "-- @option occasion: prize | apology = prize : What for.\n-- @select lapsed",
            wrong: "-- @option occasion: prize | apology = prize : What for.\n-- @select lapst",
            place: "lapst", offers: "lapsed"),
        Mistake(
            name: "expectdec", right: "-- @expect access reads\n\n-- @refuse",
            wrong: "-- @expect acess reads\n\n-- @refuse",
            place: "acess", offers: "access"),
        Mistake(
            name: "expectout", right: "-- @expect access reads\n\n-- @refuse",
            wrong: "-- @expect access read\n\n-- @refuse",
            place: "read", offers: "reads"),
        Mistake(
            name: "refuse", right: "-- @refuse paying\n-- @warn",
            wrong: "-- @refuse payng\n-- @warn",
            place: "payng", offers: "paying"),
        Mistake(
            name: "on", right: "-- @on issue",
            wrong: "-- @on isue",
            place: "isue", offers: "issue"),
        Mistake(
            name: "each", right: "-- @each sent_at",
            wrong: "-- @each sendt_at",
            place: "sendt_at", offers: "sent_at"),
        Mistake(
            name: "dotable",
            right: "update public.subscribers set plan = 'gift', paid_until = null where id = any(:users);",
            wrong: "update public.subscriber set plan = 'gift', paid_until = null where id = any(:users);",
            place: "public.subscriber", offers: "subscribers"),
        Mistake(
            name: "docol", right: "update public.subscribers set plan = 'gift', paid_until = null where",
            wrong: "update public.subscribers set plann = 'gift', paid_until = null where",
            place: "plann", offers: "plan"),
        Mistake(
            name: "dovalue", right: "set plan = 'gift', paid_until = null where",
            wrong: "set plan = 'gifted', paid_until = null where",
            place: "'gifted'", offers: "gift"),
        Mistake(
            name: "nosubject", right: "delete from public.issues where id = :key;",
            wrong: "delete from public.issues where sent_at is null;",
            place: "delete", offers: ""),
        Mistake(
            name: "settable", right: "-- @table public.plans",
            wrong: "-- @table public.plan",
            place: "public.plan", offers: "plans"),
        Mistake(
            name: "setkey", right: "-- @key plan",
            wrong: "-- @key plann",
            place: "plann", offers: "plan"),
        Mistake(
            name: "setcol", right: "-- @column letters: int",
            wrong: "-- @column leters: int",
            place: "leters", offers: "letters"),
        Mistake(
            name: "impact", right: "{subscribers} subscribers have",
            wrong: "{subscriber} subscribers have",
            place: "{subscriber}", offers: "subscribers"),
        Mistake(
            name: "fix", right: "-- @fix delivery forgive",
            wrong: "-- @fix delivery forgiv",
            place: "", offers: "forgive"),
        Mistake(
            name: "checkon", right: "-- @on delivery\n-- @fix",
            wrong: "-- @on delivry\n-- @fix",
            place: "delivry", offers: "delivery"),
        Mistake(
            name: "checkvalue", right: "from users where plan = 'paid' and paid_until is null;",
            wrong: "from users where plan = 'payed' and paid_until is null;",
            place: "'payed'", offers: "paid"),
        Mistake(
            name: "aliasvalue", right: "from users group by 1 order by 2 desc;",
            wrong: "from users u where u.plan <> 'gfit' group by 1 order by 2 desc;",
            place: "'gfit'", offers: "gift"),
        Mistake(
            name: "swapped", right: "-- @select lapsed\n-- @role",
            wrong: "-- @select lapesd\n-- @role",
            place: "lapesd", offers: "lapsed"),
        Mistake(
            name: "subject", right: "delete from public.issues where id = :key;",
            wrong: "delete from public.issues where id = :kye;",
            place: ":kye", offers: ":key"),
        Mistake(
            name: "link", right: "search?from={email}", wrong: "search?from={emial}",
            place: "{emial}", offers: "email"),
        Mistake(
            name: "platform", right: "-- @constant grace", wrong: "-- @include supabse\n-- @constant grace",
            place: "supabse", offers: "supabase"),
        Mistake(
            name: "beside", right: "-- @constant grace", wrong: "-- @include ./leter.sql\n-- @constant grace",
            place: "./leter.sql", offers: "./letter.sql"),
        Mistake(
            name: "statecol", right: "set bounced = true where subscriber_id = any(:users);",
            wrong: "set bouncd = true where subscriber_id = any(:users);",
            place: "bouncd", offers: "bounced"),
        Mistake(
            name: "exampleexp", right: "-- @expect archive teaser",
            wrong: "-- @expect archive teasr",
            place: "teasr", offers: "teaser"),
        Mistake(
            name: "examplefrom", right: "-- @example opener  A reader of the free plan.",
            wrong: "-- @example opener  A reader of the free plan.\n-- @from aheadd",
            place: "aheadd", offers: "ahead"),
        Mistake(
            name: "root", right: "-- @root public.subscribers.id",
            wrong: "-- @root public.subscribers.ident",
            place: "public.subscribers.ident", offers: "id"),
        Mistake(
            name: "reftable", right: "-- @reference public.unsubscribes.email ->",
            wrong: "-- @reference public.unsubscribe.email ->",
            place: "public.unsubscribe.email", offers: "unsubscribes"),
        Mistake(
            name: "refcol", right: "-- @reference public.unsubscribes.email ->",
            wrong: "-- @reference public.unsubscribes.emial ->",
            place: "public.unsubscribes.emial", offers: "email"),
        Mistake(
            name: "reftype", right: "-- @reference public.unsubscribes.email -> public.subscribers.email\n",
            wrong: "-- @reference public.unsubscribes.at -> public.subscribers.id\n",
            place: "@reference", offers: ""),
        Mistake(
            name: "refcond", right: "where about_type = 'Subscriber'",
            wrong: "where about_typ = 'Subscriber'",
            place: "about_typ", offers: "about_type"),
        Mistake(
            name: "keep", right: "-- @keep public.plans :",
            wrong: "-- @keep public.plas :",
            place: "public.plas", offers: "plans"),
        Mistake(
            name: "keepimpossible", right: "-- @keep public.plans : Prices are nobody's.",
            wrong: "-- @keep public.deliveries : Prices are nobody's.",
            place: "", offers: ""),
        Mistake(
            name: "detach", right: "-- @detach public.remarks.author_id",
            wrong: "-- @detach public.remarks.authr_id",
            place: "public.remarks.authr_id", offers: "author_id"),
        Mistake(
            name: "detachnn", right: "-- @detach public.remarks.author_id",
            wrong: "-- @detach public.deliveries.subscriber_id",
            place: "", offers: ""),
        Mistake(
            name: "anon", right: "-- @anonymise public.unsubscribes.email = 'gone-' || md5(email)",
            wrong: "-- @anonymise public.unsubscribes.email = 'gone-' || md5(emial)",
            place: "emial", offers: "email"),
        Mistake(
            name: "mention", right: "-- @mention public.remarks.body : keep",
            wrong: "-- @mention public.remarks.body : keeep",
            place: "keeep", offers: "keep"),
        Mistake(
            name: "way", right: "via giver_id where",
            wrong: "via givr_id where",
            place: "via givr_id", offers: "giver_id"),
        Mistake(
            name: "waycond", right: "opened_at is not null",
            wrong: "open_at is not null",
            place: "open_at", offers: "opened_at"),
        Mistake(
            name: "queue", right: "insert into public.printer_jobs (kind",
            wrong: "insert into public.printer_job (kind",
            place: "public.printer_job", offers: "printer_jobs"),
        Mistake(
            name: "owns", right: "-> public.receipts.id",
            wrong: "-> public.receipt.id",
            place: "public.receipt.id", offers: "receipts"),
        Mistake(
            name: "collateral", right: "-- @collateral public.remarks :",
            wrong: "-- @collateral public.remark :",
            place: "public.remark", offers: "remarks"),
        Mistake(
            name: "written", right: "-- @written public.delivery_log : keep",
            wrong: "-- @written public.delivery_logs : keep",
            place: "public.delivery_logs", offers: "delivery_log"),
        Mistake(
            name: "secret", right: "-- @secret public.unsubscribes.email",
            wrong: "-- @secret public.unsubscribes.emil",
            place: "public.unsubscribes.emil", offers: "email"),
        Mistake(
            name: "secretshown", right: "-- @secret public.unsubscribes.email",
            wrong: "-- @secret public.issues.title",
            place: "", offers: ""),
        Mistake(
            name: "usherwrite", right: "delete from public.issues where id = :key;",
            wrong: "delete from usher.operation where id = :key;",
            place: "usher.operation", offers: ""),
        Mistake(
            name: "ushercte", right: "delete from public.issues where id = :key;",
            wrong: "with a as (delete from usher.operation) delete from public.issues where id = :key;",
            place: "usher.operation", offers: ""),
        Mistake(
            name: "usherfn", right: "delete from public.issues where id = :key;",
            wrong: "select usher.retire(:key);",
            place: "usher.retire", offers: ""),
        Mistake(
            name: "ushersettings", right: "-- @table public.plans",
            wrong: "-- @table usher.environment",
            place: "usher.environment", offers: ""),
        Mistake(
            name: "panelcte", right: "select i.title, d.delivered_at, d.bounced, d.id\n",
            wrong: "with x as (delete from public.deliveries returning id) select i.title, d.delivered_at, "
                + "d.bounced, d.id\n",
            place: "delete", offers: ""),
        Mistake(
            name: "decisionfor", right: "-- @rule reads  A gift, without end.\nplan = 'gift';",
            wrong: "-- @rule reads  A gift, without end.\nexists (select from public.deliveries d for update);",
            place: "update", offers: ""),
        Mistake(
            name: "volatile", right: "-- @panel Deliveries",
            wrong: "-- @panel Touching\nselect public.touch(:user);\n\n-- @panel Deliveries",
            place: "public.touch", offers: ""),
        Mistake(
            name: "volatilecond", right: "-- @rule reads  A gift, without end.\nplan = 'gift';",
            wrong: "-- @rule reads  A gift, without end.\npublic.touch(id);",
            place: "public.touch", offers: ""),
        Mistake(
            name: "nextval", right: "-- @panel Deliveries",
            wrong: "-- @panel Touching\nselect nextval('public.n') where :user > 0;\n\n-- @panel Deliveries",
            place: "nextval", offers: ""),
        Mistake(
            name: "selectinto", right: "-- @list letter missed  Letters that a subscriber never got.",
            wrong: "-- @list letter other  Other.\nselect i.id into public.foo from public.issues i;\n-- "
                + "@list letter missed  Letters that a subscriber never got.",
            place: "into", offers: ""),
        Mistake(
            name: "quote", right: "plan = 'gift';\n\n-- @rule reads  Paid until",
            wrong: "plan = 'gift;\n\n-- @rule reads  Paid until",
            place: "'gift", offers: ""),
        Mistake(
            name: "bracket", right: "coalesce(s.issues, 0), p.letters",
            wrong: "coalesce(s.issues, 0, p.letters",
            place: "(", offers: ""),
        Mistake(
            name: "semicolon", right: "plan = 'gift';\n\n-- @rule reads  Paid until",
            wrong: "plan = 'gift'\n\n-- @rule reads  Paid until",
            place: "", offers: ""),
        Mistake(
            name: "cutoff", right: "-- @advice Ask for the receipt.",
            wrong: "-- @advice Ask for\n--  the receipt.",
            place: "", offers: ""),
        Mistake(
            name: "definecols", right: "-- @define sent (id, issues)", wrong: "-- @define sent (id, issues, more)",
            place: "select d.subscriber_id, count(*)", offers: ""),
        Mistake(
            name: "assumetype", right: "-- @assume opened: boolean = false", wrong: "-- @assume opened: bolean = false",
            place: "opened", offers: "boolean"),
        Mistake(
            name: "defaultnear", right: "prize | apology = prize", wrong: "prize | apology = prise", place: "occasion",
            offers: "did you mean prize?"),
        Mistake(
            name: "brace", right: "Paid until {paid_until}.", wrong: "Paid until {paid_until.", place: "{paid_until.",
            offers: ""),
        Mistake(
            name: "brace2", right: "A gift, without end.\nplan", wrong: "A {plan, without {email}.\nplan",
            place: "{plan,",
            offers: ""),
        Mistake(
            name: "constant", right: "not for {grace} days", wrong: "not for {grase} days", place: "{grase}",
            offers: "grace"),
        Mistake(
            name: "nokey", right: "-- @object delivery  One letter to one subscriber.\n-- @key id\n",
            wrong: "-- @object delivery  One letter to one subscriber.\n", place: "@object delivery", offers: ""),
        Mistake(
            name: "nodo", right: "-- @do  The plan becomes a gift.\n", wrong: "", place: "update public.subscribers",
            offers: ""),
        Mistake(
            name: "noColon", right: "-- @option since?: timestamptz", wrong: "-- @option since? timestamptz",
            place: "since", offers: "NAME: TYPE"),
        Mistake(
            name: "quoteinbrackets", right: "values (1, 'ada@example.com', 'paid', :now + interval '1 day', :now);",
            wrong: "values (1, 'ada@example.com, 'paid', :now + interval '1 day', :now);", place: "'ada@example.com, ",
            offers: ""),
        Mistake(
            name: "expectabout", right: "-- @expect delivery of title arrived",
            wrong: "-- @expect delivery of titel arrived",
            place: "titel", offers: "title"),
        Mistake(
            name: "expectaboutnone", right: "-- @expect access reads\n\n-- @refuse",
            wrong: "-- @expect access of plan reads\n\n-- @refuse", place: "access", offers: ""),
        Mistake(
            name: "dollars", right: "plan = 'gift';\n\n-- @rule reads  Paid until",
            wrong: "plan = $$gift;\n\n-- @rule reads  Paid until",
            place: "$$gift", offers: ""),
        Mistake(
            name: "quoteBeforeOthers", right: "plan = 'paid' and paid_until <= :now;",
            wrong: "plan = 'paid and paid_until <= :now or plan = 'gift';", place: "'paid and", offers: ""),
        Mistake(
            name: "remark", right: "true;\n\n-- @screen welcome", wrong: "true /* or so;\n\n-- @screen welcome",
            place: "/* or so", offers: ""),
        Mistake(
            name: "remarkWithin", right: "select i.id, i.title, i.sent_at from public.issues i;",
            wrong: "select i.id, /* what it is called: i.title, i.sent_at from public.issues i;", place: "/* what",
            offers: ""),
        Mistake(
            name: "decisionRenamed", right: "-- @decision access ", wrong: "-- @decision acess ", place: "access",
            offers: "did you mean acess? The same is missing in lines"),
        Mistake(
            name: "decisionExplained", right: "-- @decision delivery ", wrong: "-- @decision delivry ",
            place: "delivery", offers: "did you mean delivry? The same is missing in line"),
        Mistake(
            name: "objectRenamed", right: "-- @object issue ", wrong: "-- @object isue ", place: "issue",
            offers: "isue"),
        Mistake(
            name: "objectUsed", right: "-- @object delivery ", wrong: "-- @object delivry ", place: "delivery",
            offers: "did you mean delivry? The same is missing in line"),
        Mistake(
            name: "actionAdvised", right: "-- @action gift give ", wrong: "-- @action gift hand ", place: "`gift give",
            offers: "hand"),
        Mistake(
            name: "screenRenamed", right: "-- @screen welcome ", wrong: "-- @screen welcom ", place: "welcome",
            offers: "did you mean welcom?"),
        Mistake(
            name: "requiresTable", right: "-- @requires public.subscribers.paid_until",
            wrong: "-- @requires public.subscriber.paid_until", place: "public.subscriber", offers: "subscribers"),
        Mistake(
            name: "noKeyOfUsers", right: "-- @users\n-- @key id\n", wrong: "-- @users\n", place: "@users",
            offers: "@key"),
        Mistake(
            name: "noUsers", right: "-- @users\n-- @key id\n", wrong: "-- @key id\n", place: "@key",
            offers: "@users"),
        Mistake(
            name: "usersMisspelt", right: "-- @users\n-- @key id\n", wrong: "-- @user\n-- @key id\n", place: "@user",
            offers: "did you mean @users?"),
        Mistake(
            name: "noAccount", right: "-- @account\n-- @root", wrong: "-- @root", place: "@root", offers: "@account"),
        Mistake(
            name: "files", right: "-- @files portraits {id}/", wrong: "-- @files portraits {uid}/", place: "{uid}",
            offers: "write {id}"),
        Mistake(
            name: "filesOfAll", right: "-- @files portraits {id}/", wrong: "-- @files portraits all/", place: "all/",
            offers: "write {id}"),
        Mistake(
            name: "outcome", right: "-- @rule teaser  The free plan; this",
            wrong: "-- @rule tease  The free plan; this",
            place: "tease", offers: "did you mean teaser?"),
        Mistake(
            name: "choice", right: "-- @option occasion: prize | apology = prize : What for.",
            wrong: "-- @option plan: gift | payd : What for.\n-- @refuse That is what the plan is.\nplan = :plan;",
            place: "payd", offers: "paid"),
        Mistake(
            name: "secretMisspelt", right: "-- @arg note?: text\n", wrong: "-- @arg note: secert\n", place: "note",
            offers: "did you mean secret?"),
        Mistake(
            name: "decisionNamedTwice", right: "-- @decision archive ", wrong: "-- @decision access ", place: "access",
            offers: "taken"),
        Mistake(
            name: "definitionNamedTwice", right: "-- @define sent (id, issues)  How",
            wrong: "-- @define issue (id, issues)  How", place: "issue", offers: "taken"),
        Mistake(
            name: "constantOfNothing", right: "-- @constant grace: int = 3", wrong: "-- @constant grace: int 3",
            place: "grace", offers: "= VALUE"),
        Mistake(
            name: "fixTurned", right: "-- @fix delivery forgive", wrong: "-- @fix forgive delivery", place: "forgive",
            offers: "did you mean delivery forgive?"),
        Mistake(
            name: "screenAdvised", right: "-- @advice Ask for the receipt.", wrong: "-- @advice welcom",
            place: "welcom", offers: "did you mean welcome?"),
        Mistake(
            name: "facttwice", right: "-- @fact paid_until :", wrong: "-- @fact plan :", place: "plan", offers: ""),
        Mistake(
            name: "refusename", right: "-- @refuse paying  This", wrong: "-- @refuse payin  This", place: "paying",
            offers: "payin"),
        Mistake(
            name: "twousers",
            right: "select s.id, s.email, s.phone, s.plan, s.paid_until, s.created_at from public.subscribers s;",
            wrong: "select s.id, s.email, s.phone, s.plan, s.paid_until, s.created_at from public.subscribers s cross "
                + "join generate_series(1,2);",
            place: "select s.id", offers: ""),
    ]

    /// The newsletter of the language's guide.
    private static let letter = Result {
        let page = try String(contentsOf: root.appendingPathComponent("sql/README.md"), encoding: .utf8)
        let database = try TestCluster.emptyDatabase()
        let connection = try database.connect()
        for statement in blocks("schema", of: page).split(separator: ";\n") {
            _ = try connection.execute(Query(unsafe: String(statement)))
        }
        try database.run(
            "create sequence public.n",
            """
            create function public.touch(k bigint) returns boolean language plpgsql as $$ begin
                insert into public.delivery_log values (now(), k::text);
                return true;
            end $$
            """,
            "insert into public.subscribers values (1, 'ada@example.com', 'paid', now(), now())")
        return (file: blocks("sql", of: page), database: database)
    }

    @Test(arguments: mistakes) func oneMistakeIsOneFinding(_ mistake: Mistake) throws {
        let (file, database) = try Self.letter.get()
        try mistake.expectOneFinding(in: file, on: database)
    }

    @Test func theGuideHasNone() throws {
        let (file, database) = try Self.letter.get()
        let scratch = try Scratch()
        let path = try scratch.path(of: "letter.sql", holding: file)
        let result = try Usher.run(["app", "check", path, "--json", "-q"], on: database.conninfo())
        #expect(result.output == "[]\n")
        #expect(result.status == 0)
    }

    @Test func aNewerLanguageSaysWhichAndNothingElse() throws {
        let scratch = try Scratch()
        let path = try scratch.path(
            of: "newer.sql", holding: "-- @app newer\n-- @language 99\n-- @frobnicate all\n-- @conjure\nselect;\n")
        let result = try Usher.run(["app", "show", path, "--json"])
        #expect(result.status != 0)
        #expect(result.errors.contains("edition 99 of the app language"))
        #expect(!result.errors.contains("frobnicate"))
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private static func blocks(_ kind: String, of page: String) -> String {
        page.components(separatedBy: "```\(kind)\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }.joined(separator: "\n")
    }
}
