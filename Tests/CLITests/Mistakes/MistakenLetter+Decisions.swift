extension MistakenLetter {
    /// Mistakes in decisions.
    static let inDecisions: [PlantedMistake] = [
        .init("word2", "-- @advice See what", "-- @advise See what", at: "@advise", offers: "@advice"),
        .init(
            "param", "paid_until > :now - make_interval(days => :grace)",
            "paid_until > :now - make_interval(days => :grase)", at: ":grase", offers: ":grace"),
        .init(
            "sentencefact", "Paid until {paid_until}.", "Paid until {paid_untill}.", at: "{paid_untill}",
            offers: "paid_until"),
        .init(
            "advicecmd", "`user timeline {email}`", "`user timelin {email}`", at: "`user timelin", offers: "timeline"),
        .init("shows", "-- @shows welcome", "-- @shows welcom", at: "welcom", offers: "welcome"),
        .init("from", "-- @from access", "-- @from acces", at: "acces", offers: "access"),
        .init("per", "-- @per title\nselect u.id", "-- @per titel\nselect u.id", at: "titel", offers: "title"),
        .init(
            "lastrule", "-- @rule teaser  The free plan.\ntrue;", "-- @rule teaser  The free plan.\nplan = 'free';",
            at: "plan = 'free'"),
        .init(
            "quote", "plan = 'gift';\n\n-- @rule reads  Paid until", "plan = 'gift;\n\n-- @rule reads  Paid until",
            at: "'gift"),
        .init(
            "semicolon", "plan = 'gift';\n\n-- @rule reads  Paid until", "plan = 'gift'\n\n-- @rule reads  Paid until"),
        .init("cutoff", "-- @advice Ask for the receipt.", "-- @advice Ask for\n--  the receipt."),
        .init(
            "assumetype", "-- @assume opened: boolean = false", "-- @assume opened: bolean = false", at: "bolean"),
        .init("brace", "Paid until {paid_until}.", "Paid until {paid_until.", at: "{paid_until."),
        .init("brace2", "A gift, without end.\nplan", "A {plan, without {email}.\nplan", at: "{plan,"),
        .init(
            "dollars", "plan = 'gift';\n\n-- @rule reads  Paid until", "plan = $$gift;\n\n-- @rule reads  Paid until",
            at: "$$gift"),
        .init("remark", "true;\n\n-- @screen welcome", "true /* or so;\n\n-- @screen welcome", at: "/* or so"),
        .init(
            "decisionRenamed", "-- @decision access ", "-- @decision acess ", at: "access",
            offers: "did you mean acess? (the same mistake is in lines"),
        .init(
            "decisionExplained", "-- @decision delivery ", "-- @decision delivry ", at: "delivery"),
        .init(
            "screenRenamed", "-- @screen welcome ", "-- @screen welcom ", at: "welcome", offers: "did you mean welcom?"),
        .init("decisionNamedTwice", "-- @decision archive ", "-- @decision access ", at: "access", offers: "taken"),
        .init(
            "screenAdvised", "-- @advice Ask for the receipt.", "-- @advice welcom", at: "welcom",
            offers: "did you mean welcome?"),
    ]
}
