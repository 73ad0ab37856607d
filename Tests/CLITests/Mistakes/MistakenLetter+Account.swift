extension MistakenLetter {
    /// Mistakes in `@account`.
    static let inAccount: [PlantedMistake] = [
        .init(
            "root", "-- @root public.subscribers.id", "-- @root public.subscribers.ident",
            at: "public.subscribers.ident", offers: "id"),
        .init(
            "reftable", "-- @refers public.unsubscribes.email ->", "-- @refers public.unsubscribe.email ->",
            at: "public.unsubscribe.email"),
        .init(
            "refcol", "-- @refers public.unsubscribes.email ->", "-- @refers public.unsubscribes.emial ->",
            at: "public.unsubscribes.emial", offers: "email"),
        .init(
            "refcond", "where about_type = 'Subscriber'", "where about_typ = 'Subscriber'", at: "about_typ",
            offers: "about_type"),
        .init("keep", "-- @keep public.plans :", "-- @keep public.plas :", at: "public.plas"),
        .init(
            "keepimpossible", "-- @keep public.plans : Prices belong to no user.",
            "-- @keep public.deliveries : Prices belong to no user."),
        .init(
            "detach", "-- @refers public.remarks.author_id :", "-- @refers public.remarks.authr_id :",
            at: "public.remarks.authr_id", offers: "author_id"),
        .init("detachnn", "-- @refers public.remarks.author_id :", "-- @refers public.deliveries.subscriber_id :"),
        .init(
            "anon", "-- @set public.unsubscribes.email = 'gone-' || md5(email)",
            "-- @set public.unsubscribes.email = 'gone-' || md5(emial)", at: "emial", offers: "email"),
        .init(
            "answer", "public.remarks.author_id : detach :", "public.remarks.author_id : detatch :", at: "detatch",
            offers: "detach"),
        .init(
            "ignore", "-- @ignore public.remarks.body :", "-- @ignore public.remarks.bdy :",
            at: "public.remarks.bdy", offers: "body"),
        .init("way", "via giver_id where", "via givr_id where", at: "via givr_id", offers: "giver_id"),
        .init(
            "wayexpr", "via giver_id where", "via (abs(giver_id)) where", at: "@keep public.gifts",
            offers: "write only the name of the column"),
        .init("waycond", "opened_at is not null", "open_at is not null", at: "open_at", offers: "opened_at"),
        .init(
            "queue", "insert into public.printer_jobs (kind", "insert into public.printer_job (kind",
            at: "public.printer_job"),
        .init("owns", "-> public.receipts.id", "-> public.receipt.id", at: "public.receipt.id"),
        .init(
            "shared", "-- @shared public.remarks :", "-- @shared public.remark :", at: "public.remark"),
        .init(
            "sharedimpossible",
            "-- @shared public.remarks : give = (select min(s.id) from public.subscribers s) :",
            "-- @shared public.deliveries : detach :"),
        .init(
            "written", "-- @written public.delivery_log : keep", "-- @written public.delivery_logs : keep",
            at: "public.delivery_logs", offers: "delivery_log"),
        .init(
            "secret", "-- @secret public.unsubscribes.email", "-- @secret public.unsubscribes.emil",
            at: "public.unsubscribes.emil", offers: "email"),
        .init("secretshown", "-- @secret public.unsubscribes.email", "-- @secret public.issues.title"),
        .init("noAccount", "-- @account\n-- @root", "-- @root", at: "@root", offers: "@account"),
        .init("files", "-- @files portraits {id}/", "-- @files portraits {uid}/", at: "{uid}", offers: "write {id}"),
        .init("filesOfAll", "-- @files portraits {id}/", "-- @files portraits all/", at: "all/", offers: "write {id}"),
    ]
}
