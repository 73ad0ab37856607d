extension MistakenLetter {
    /// In what an account is made of.
    static let inAccount: [PlantedMistake] = [
        .init(
            "root", "-- @root public.subscribers.id", "-- @root public.subscribers.ident",
            at: "public.subscribers.ident", offers: "id"),
        .init(
            "reftable", "-- @reference public.unsubscribes.email ->", "-- @reference public.unsubscribe.email ->",
            at: "public.unsubscribe.email", offers: "unsubscribes"),
        .init(
            "refcol", "-- @reference public.unsubscribes.email ->", "-- @reference public.unsubscribes.emial ->",
            at: "public.unsubscribes.emial", offers: "email"),
        .init(
            "reftype", "-- @reference public.unsubscribes.email -> public.subscribers.email\n",
            "-- @reference public.unsubscribes.at -> public.subscribers.id\n", at: "@reference"),
        .init(
            "refcond", "where about_type = 'Subscriber'", "where about_typ = 'Subscriber'", at: "about_typ",
            offers: "about_type"),
        .init("keep", "-- @keep public.plans :", "-- @keep public.plas :", at: "public.plas", offers: "plans"),
        .init(
            "keepimpossible", "-- @keep public.plans : Prices are nobody's.",
            "-- @keep public.deliveries : Prices are nobody's."),
        .init(
            "detach", "-- @detach public.remarks.author_id", "-- @detach public.remarks.authr_id",
            at: "public.remarks.authr_id", offers: "author_id"),
        .init("detachnn", "-- @detach public.remarks.author_id", "-- @detach public.deliveries.subscriber_id"),
        .init(
            "anon", "-- @anonymise public.unsubscribes.email = 'gone-' || md5(email)",
            "-- @anonymise public.unsubscribes.email = 'gone-' || md5(emial)", at: "emial", offers: "email"),
        .init(
            "mention", "-- @mention public.remarks.body : keep", "-- @mention public.remarks.body : keeep", at: "keeep",
            offers: "keep"),
        .init("way", "via giver_id where", "via givr_id where", at: "via givr_id", offers: "giver_id"),
        .init(
            "wayexpr", "via giver_id where", "via (abs(giver_id)) where", at: "@keep public.gifts",
            offers: "write the column alone"),
        .init("waycond", "opened_at is not null", "open_at is not null", at: "open_at", offers: "opened_at"),
        .init(
            "queue", "insert into public.printer_jobs (kind", "insert into public.printer_job (kind",
            at: "public.printer_job", offers: "printer_jobs"),
        .init("owns", "-> public.receipts.id", "-> public.receipt.id", at: "public.receipt.id", offers: "receipts"),
        .init(
            "collateral", "-- @collateral public.remarks :", "-- @collateral public.remark :", at: "public.remark",
            offers: "remarks"),
        .init(
            "collateralimpossible",
            "-- @collateral public.remarks : reassign = (select min(s.id) from public.subscribers s) :",
            "-- @collateral public.deliveries : keep :"),
        .init(
            "written", "-- @written public.delivery_log : keep", "-- @written public.delivery_logs : keep",
            at: "public.delivery_logs", offers: "delivery_log"),
        .init(
            "writtenNowhere", "-- @written public.delivery_log : keep", "-- @written public.plans : keep",
            at: "public.plans"),
        .init(
            "writes", "-- @writes public.note_delivery ->", "-- @writes public.note_deliver ->",
            at: "public.note_deliver"),
        .init(
            "secret", "-- @secret public.unsubscribes.email", "-- @secret public.unsubscribes.emil",
            at: "public.unsubscribes.emil", offers: "email"),
        .init("secretshown", "-- @secret public.unsubscribes.email", "-- @secret public.issues.title"),
        .init("noAccount", "-- @account\n-- @root", "-- @root", at: "@root", offers: "@account"),
        .init("files", "-- @files portraits {id}/", "-- @files portraits {uid}/", at: "{uid}", offers: "write {id}"),
        .init("filesOfAll", "-- @files portraits {id}/", "-- @files portraits all/", at: "all/", offers: "write {id}"),
    ]
}
