extension MistakenLetter {
    /// Mistakes in definitions, quotas, panels, timelines, objects and lists.
    static let inReading: [PlantedMistake] = [
        .init("unclosed", "p.letters, 'total', null", "p.letters, 'total, null", at: "'total, null"),
        .init(
            "unclosed2", "select i.id, i.title, i.sent_at from public.issues i;",
            "select i.id, i.title, 'sent_at from public.issues i;", at: "'sent_at"),
        .init(
            "itself", "select i.id, i.title, i.sent_at from public.issues i;",
            "select i.id, i.title, i.sent_at from issue i;"),
        .init("word", "-- @panel Deliveries", "-- @pannel Deliveries", at: "@pannel", offers: "@panel"),
        .init("define", "left join sent s on", "left join sentt s on", at: "sentt", offers: "sent"),
        .init(
            "quotacols", "coalesce(s.issues, 0), p.letters, 'total', null::timestamptz\n",
            "coalesce(s.issues, 0), p.letters, null::timestamptz\n", at: "select u.id"),
        .init("func", "coalesce(s.issues, 0)", "coalesc(s.issues, 0)", at: "coalesc"),
        .init("explains", "-- @explains delivery", "-- @explains delivry", at: "delivry", offers: "delivery"),
        .init(
            "panelcols", "-- @columns title, delivered_at, bounced", "-- @columns title, deliverd_at, bounced",
            at: "deliverd_at", offers: "delivered_at"),
        .init("order", "-- @order 1", "-- @order one", at: "one"),
        .init(
            "paneltable", "select i.title, d.delivered_at, d.bounced, d.id\n  from public.deliveries d",
            "select i.title, d.delivered_at, d.bounced, d.id\n  from public.delivries d", at: "public.delivries"),
        .init(
            "schema", "select d.issue_id, d.subscriber_id from public.deliveries d;",
            "select d.issue_id, d.subscriber_id from pubic.deliveries d;", at: "pubic"),
        .init(
            "objkey", "-- @object delivery  One letter to one subscriber.\n-- @key id",
            "-- @object delivery  One letter to one subscriber.\n-- @key ide", at: "ide", offers: "id"),
        .init(
            "objuser", "-- @user subscriber_id", "-- @user subscriberid", at: "subscriberid", offers: "subscriber_id"),
        .init(
            "members", "select d.issue_id, d.subscriber_id from", "select d.issue_id from", at: "select d.issue_id from"
        ),
        .init("listcols", "-- @columns title, sent_at", "-- @columns title, send_at", at: "send_at", offers: "sent_at"),
        .init("optiontype", "-- @option since?: timestamptz", "-- @option since?: timestampz", offers: "timestamp"),
        .init("bracket", "coalesce(s.issues, 0), p.letters", "coalesce(s.issues, 0, p.letters", at: "("),
        .init(
            "definecols", "-- @define sent (id, issues)", "-- @define sent (id, issues, more)",
            at: "select d.subscriber_id, count(*)"),
        .init(
            "nokey", "-- @object delivery  One letter to one subscriber.\n-- @key id\n",
            "-- @object delivery  One letter to one subscriber.\n", at: "@object delivery"),
        .init(
            "noColon", "-- @option since?: timestamptz", "-- @option since? timestamptz", at: "since",
            offers: "NAME: TYPE"),
        .init(
            "remarkWithin", "select i.id, i.title, i.sent_at from public.issues i;",
            "select i.id, /* what it is called: i.title, i.sent_at from public.issues i;", at: "/* what"),
        .init("objectRenamed", "-- @object issue ", "-- @object isue ", at: "issue", offers: "isue"),
        .init(
            "objectUsed", "-- @object delivery ", "-- @object delivry ", at: "delivery",
            offers: "did you mean delivry? (the same mistake is in line"),
        .init(
            "definitionNamedTwice", "-- @define sent (id, issues)  How", "-- @define issue (id, issues)  How",
            at: "issue", offers: "taken"),
    ]
}
