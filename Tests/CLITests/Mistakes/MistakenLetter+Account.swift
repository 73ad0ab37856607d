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
