extension MistakenSquad {
    /// Of names in double quotes, and of values that nobody wrote down as such.
    static let mistakes: [PlantedMistake] = [
        .init(
            "column without quotes", #"u."createdAt" as"#, "u.createdAt as", at: "u.createdAt",
            offers: #"did you mean "createdAt"?"#),
        .init(
            "table without quotes", #"from public."User" u;"#, "from public.User u;", at: "public.User",
            offers: #"public."User""#),
        .init("column set without quotes", #"set "endsAt" ="#, "set endsAt =", at: "endsAt", offers: #""endsAt""#),
        .init(
            "column of settings without quotes", #"-- @column "isOpen":"#, "-- @column isOpen:", at: "isOpen",
            offers: #""isOpen""#),
        .init(
            "required column without quotes", #"-- @requires public."Team"."endsAt""#,
            #"-- @requires public."Team".endsAt"#, at: #"public."Team".endsAt"#, offers: #""endsAt""#),
        .init(
            "secret without quotes", #"-- @secret public."User"."apiToken""#, "-- @secret public.User.apiToken",
            at: "public.User.apiToken", offers: #"public."User""#),
        .init(
            "secret misspelt", #"-- @secret public."User"."apiToken""#, #"-- @secret public."User"."apiTokn""#,
            at: #"public."User"."apiTokn""#, offers: #""apiToken""#),
        .init(
            "secrets that nobody declared",
            "-- @secret public.\"User\".\"apiToken\"\n-- @secret public.\"File\".\"passwordHash\"", "--",
            at: "select u.id", offers: #"-- @secret public."User"."apiToken""#),
        .init(
            "nothing near in this table", "select t.title,", "select t.titel,", at: "t.titel",
            offers: "did you mean title?"),
        .init("constant", "-- @constant days: int = 3", "-- @constant days: int = many", at: "days"),
        .init(
            "type of a setting", "-- @column seats: int 0..10", "-- @column seats: boolean", at: "seats",
            offers: "integer"),
        .init("refusal that nothing uses", "plan = 'free';", "plann = 'free';", at: "plann", offers: "plan"),
        .init("value in a refusal that nothing uses", "plan = 'free';", "plan = 'fre';", at: "'fre'", offers: "free"),
        .init(
            "value of a definition's column", "where s.state = 'open' and", "where s.plan = 'pra' and", at: "'pra'",
            offers: "pro"),
        .init(
            "value that a definition computes", "where s.state = 'open' and", "where s.state = 'opne' and",
            at: "'opne'", offers: "open"),
        .init(
            "value that a definition computes, handed on", "state = 'open' and metal", "state = 'opne' and metal",
            at: "'opne'", offers: "open"),
        .init("value that a decision computes", "metal = 'tin'", "metal = 'tim'", at: "'tim'", offers: "tin"),
        .init("value that the users compute", "plan = 'free';", "stage = 'payin';", at: "'payin'", offers: "paying"),
        .init(
            "column that may be missing and that nothing reads", #"-- @optional public."Team".slug: text"#,
            #"-- @optional public."Team".slgu: text"#, at: #"public."Team".slgu"#, offers: "slug"),
    ]
}
