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
