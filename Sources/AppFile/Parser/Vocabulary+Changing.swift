/// The directives of changes and accounts.
extension Vocabulary {
    static let changing: [DirectiveRule] = [
        // Changes.
        DirectiveRule(word: "table", within: ["settings"], form: "TABLE", summary: "The table that is edited."),
        DirectiveRule(
            word: "column", within: ["settings"], form: "NAME: TYPE [LOW..HIGH]", repeats: true,
            summary: "A column that may be edited, and within which bounds."),
        DirectiveRule(
            word: "impact", within: ["settings"], form: "SENTENCE", sql: .required, repeats: true,
            summary: "What a change comes to: a select that runs before and after."),
        DirectiveRule(
            word: "on", within: ["action", "check", "state"], form: "NOUN | nothing",
            summary: "What it is about; users unless given."),
        DirectiveRule(
            word: "arg", within: ["action", "list"], form: "NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]",
            repeats: true,
            summary: "A positional parameter."),
        DirectiveRule(
            word: "option", within: ["action", "list"], form: "NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]",
            repeats: true,
            summary: "A parameter called --NAME."),
        DirectiveRule(
            word: "each", within: ["action"], form: "COLUMN",
            summary: "One by one in the order of this column, and not all at once."),
        DirectiveRule(
            word: "role", within: ["action"], form: "support | admin | engineer",
            summary: "Who may; admin unless given."),
        DirectiveRule(
            word: "approve", within: ["action"], form: "support | admin | engineer",
            summary: "In production it takes two: this role approves what another asks for."),
        DirectiveRule(
            word: "grade", within: ["action"], form: "mild | moderate | severe",
            summary: "How it is confirmed: not at all (unless given), by a yes, by what is typed."),
        DirectiveRule(
            word: "ceiling", within: ["action"], form: "N",
            summary: "From how many changed rows on it counts as severe; 1000 unless given."),
        DirectiveRule(
            word: "expect", within: ["action", "state", "example"], form: "DECISION [of COLUMN] OUTCOME [| OUTCOME …]",
            repeats: true,
            variants: [
                "state": .init(form: "DECISION OUTCOME [| OUTCOME …]", sql: .none),
                "example": .init(form: "DECISION OUTCOME [| OUTCOME …]", sql: .none),
            ], summary: "What must be true afterwards, or nothing is done."),
        DirectiveRule(
            word: "final", within: ["action"], needsText: false, summary: "It cannot be undone, and says so."),
        DirectiveRule(
            word: "refuse", within: ["action", "account", "users", "object"], form: "NAME  SENTENCE", sql: .required,
            repeats: true,
            variants: [
                "action": .init(form: "SENTENCE | NAME", sql: .optional),
                "account": .init(form: "SENTENCE", sql: .required),
            ], summary: "Nothing is done while the condition holds."),
        DirectiveRule(
            word: "warn", within: ["action", "account", "users", "object"], form: "NAME  SENTENCE", sql: .required,
            repeats: true,
            variants: [
                "action": .init(form: "SENTENCE | NAME", sql: .optional),
                "account": .init(form: "SENTENCE", sql: .required),
            ], summary: "The same, but it is said, and done."),
        DirectiveRule(
            word: "do", within: ["action", "state", "example", "account"], form: " [SENTENCE]", sql: .required,
            repeats: true, needsText: false, variants: ["account": .init(form: "SENTENCE", sql: .required)],
            summary: "One statement of what is done, of the rows an example gives, or that add to the app's own queue."),
        DirectiveRule(
            word: "fix", within: ["check"], form: "NOUN VERB", summary: "The action that repairs what is found."),

        // What an account is made of.
        DirectiveRule(
            word: "root", within: ["account"], form: "TABLE.COLUMN",
            summary: "The column that an account is a value of."),
        DirectiveRule(
            word: "refers", within: ["account"],
            form: "A [-> B] [where CONDITION] [: delete | detach | keep [: WHY]]", repeats: true,
            summary: "What a column or (expression) refers to, and what happens to its row when that is deleted."),
        DirectiveRule(
            word: "ignore", within: ["account"], form: "TABLE.COLUMN : WHY", repeats: true,
            summary: "No reference and no secret, whatever it looks like; * is any part of a name."),
        DirectiveRule(
            word: "keep", within: ["account"], form: "TABLE [via COLUMN] [where CONDITION] : WHY", repeats: true,
            summary: "These rows of the user stay and lose their references to what is deleted."),
        DirectiveRule(
            word: "set", within: ["account"], form: "TABLE.COLUMN = EXPRESSION [via COLUMN] [where CONDITION] : WHY",
            repeats: true,
            summary: "These rows of the user stay and get a new value, which may be another user."),
        DirectiveRule(
            word: "shared", within: ["account"],
            form: "TABLE [where CONDITION] : delete | detach | give = EXPRESSION : WHY", repeats: true,
            summary: "What happens to rows that also belong to users who stay."),
        DirectiveRule(
            word: "owns", within: ["account"], form: "A -> B", repeats: true,
            summary: "The row of B is deleted when every row that refers to it is."),
        DirectiveRule(
            word: "written", within: ["account"], form: "TABLE : keep | remove : WHY", repeats: true,
            summary: "What happens to rows about the user that triggers write during a deletion."),
        DirectiveRule(
            word: "files", within: ["account"], form: "BUCKET PREFIX", repeats: true,
            summary: "Stored files, which only a storage API can remove; {id} in the prefix is the key of the account."),
        DirectiveRule(
            word: "secret", within: ["account"], form: "TABLE.COLUMN", repeats: true,
            summary: "Never recorded; app check refuses to see it in a panel, a list or the facts."),
    ]
}
