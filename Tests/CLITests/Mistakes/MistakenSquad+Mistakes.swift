extension MistakenSquad {
    /// Mistakes with quoted names, and with values that the database doesn't list.
    static let mistakes: [PlantedMistake] = [
        .init(
            "column without quotes", #"u."createdAt" as"#, "u.createdAt as", at: "u.createdAt", offers: "createdAt"),
        .init("table without quotes", #"from public."User" u;"#, "from public.User u;", at: "public.User"),
        .init("column set without quotes", #"set "endsAt" ="#, "set endsAt =", at: "endsAt"),
        .init(
            "column of settings without quotes", #"-- @column "isOpen":"#, "-- @column isOpen:", at: "isOpen",
            offers: "isOpen"),
        .init(
            "required column without quotes", #"-- @requires public."Team"."endsAt""#,
            #"-- @requires public."Team".endsAt"#, at: #"public."Team".endsAt"#),
        .init(
            "secret without quotes", #"-- @secret public."User"."apiToken""#, "-- @secret public.User.apiToken",
            at: "public.User.apiToken"),
        .init(
            "misspelt secret", #"-- @secret public."User"."apiToken""#, #"-- @secret public."User"."apiTokn""#,
            at: #"public."User"."apiTokn""#, offers: "apiToken"),
        .init(
            "misspelt column without a similar name in its table", "select t.title,", "select t.titel,", at: "t.titel"),
        .init(
            "setting whose type differs from its column", "-- @column seats: int 0..10", "-- @column seats: boolean",
            at: "seats",
            offers: "integer"),
    ]
}
