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
