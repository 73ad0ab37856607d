/// The directives that say what an app is, what it decides and what is shown.
extension Vocabulary {
    static let reading: [DirectiveRule] = [
        // The app.
        DirectiveRule(
            word: "app", form: "NAME  TITLE", isUnique: true,
            summary: "What the app is called, by programs and by people; opens the file."),
        DirectiveRule(
            word: "language", within: ["app"], form: "N", summary: "Which version of this language the file needs."),
        DirectiveRule(
            word: "requires", within: ["app"], form: "TABLE[.COLUMN] [| …]", repeats: true,
            summary: "What must exist for this to be the app's database, or alternatives."),
        DirectiveRule(
            word: "schema", within: ["app"], form: ":NAME [PATTERN]",
            summary: "What stands for a schema, one for each customer; of those that are like the pattern."),
        DirectiveRule(
            word: "optional", within: ["app", "users", "account"], form: "TABLE | TABLE.COLUMN: TYPE", repeats: true,
            summary: "What may be missing: a table, or a column, which is NULL then."),
        DirectiveRule(
            word: "include", within: ["app"], form: "NAME | ./FILE", repeats: true,
            summary: "What the program brings along, or a file in the folder of this one or below it."),
        DirectiveRule(
            word: "constant", within: ["app"], form: "NAME: TYPE = VALUE", repeats: true,
            summary: "A value that stands in one place: :NAME in SQL, {NAME} in sentences."),

        // Blocks.
        DirectiveRule(
            word: "users", sql: .required, needsText: false, isUnique: true,
            summary: "The directory: one row an account; its columns are the facts."),
        DirectiveRule(
            word: "object", form: "NOUN  SUMMARY", sql: .required,
            summary: "Things that are not users; gives NOUN list and NOUN show."),
        DirectiveRule(
            word: "define", form: "NAME [(COLUMNS)]  SUMMARY", sql: .required,
            summary: "A select that other blocks use by name."),
        DirectiveRule(
            word: "screen", form: "NAME  SUMMARY",
            summary: "What people see in several places, with what it shows and advises."),
        DirectiveRule(word: "panel", form: "TITLE", sql: .required, summary: "A section of user show, about :user."),
        DirectiveRule(
            word: "timeline", form: "SOURCE", sql: .required,
            summary: "What happened, about :user: at, kind, title, detail."),
        DirectiveRule(
            word: "decision", form: "NAME  QUESTION", sql: .optional,
            summary: "Ordered rules over the users, or over a select of its own."),
        DirectiveRule(
            word: "quota", form: "NAME", sql: .required,
            summary: "What of a limit is used: key, used, limit, period, resets_at."),
        DirectiveRule(
            word: "elsewhere", form: "NAME [PATTERN] : SENTENCE",
            summary: "What another system holds, for searches and outcomes that find nothing here."),
        DirectiveRule(word: "stat", form: "NAME  SENTENCE", sql: .required, summary: "Labels and numbers for stats."),
        DirectiveRule(word: "settings", form: "NAME  SUMMARY", summary: "A table of the app that operators may edit."),
        DirectiveRule(word: "action", form: "NOUN VERB  SUMMARY", summary: "A change."),
        DirectiveRule(
            word: "list", form: "NOUN VERB  SUMMARY", sql: .required,
            summary: "A listing verb; about one user where it says :user."),
        DirectiveRule(word: "state", form: "NAME  SUMMARY", summary: "A test state that an engineer forces on a user."),
        DirectiveRule(
            word: "check", form: "NAME  SUMMARY", sql: .required,
            summary: "What breaks an invariant; the first column is its key."),
        DirectiveRule(
            word: "account", needsText: false, summary: "What an account is made of, besides what foreign keys say."),
        DirectiveRule(
            word: "example", form: "NAME  SUMMARY", summary: "Rows that are given, and what is decided about them."),

        // Users and objects.
        DirectiveRule(
            word: "key", within: ["users", "object", "settings"], form: "COLUMN",
            summary: "The column that identifies a row."),
        DirectiveRule(word: "email", within: ["users"], form: "COLUMNS", summary: "The columns that hold addresses."),
        DirectiveRule(
            word: "search", within: ["users", "object"], form: "COLUMNS",
            summary: "What find looks into, besides the key; of users the addresses unless given."),
        DirectiveRule(
            word: "fact", within: ["users"], form: "NAME : MEANING", repeats: true,
            summary: "What a column means, for those who do not read SQL."),
        DirectiveRule(
            word: "link", within: ["users", "elsewhere"], form: "TITLE URL", repeats: true,
            summary: "A page of another system; columns in braces, or {text} for the text that was searched."),
        DirectiveRule(
            word: "select", within: ["users", "object", "action"], form: "NAME  SENTENCE", sql: .required,
            repeats: true, variants: ["action": .init(form: "NAME", sql: .none)],
            summary: "A condition with a name: a flag of the list, and of actions that name it."),
        DirectiveRule(
            word: "user", within: ["object", "example"], form: "COLUMN",
            variants: ["example": .init(form: "USER", sql: .none)],
            summary: "The column of an object's user; whom an example is about, by key or address."),
        DirectiveRule(
            word: "members", within: ["object"], sql: .required, needsText: false,
            summary: "The users of an object that has several: key and user."),

        // What is shown.
        DirectiveRule(
            word: "explains", within: ["panel"], form: "DECISION", summary: "The panel stands in user why too."),
        DirectiveRule(
            word: "order", within: ["panel", "object"], form: "N",
            variants: ["object": .init(form: "COLUMN [desc], …", sql: .none)],
            summary: "Panels with a number come first, by it; the order of a list of objects, by key unless given."),
        DirectiveRule(
            word: "columns", within: ["users", "object", "panel", "list"], form: "COLUMNS",
            summary: "Which columns people see, in this order."),
        DirectiveRule(
            word: "limit", within: ["panel"], form: "N", summary: "How many rows it shows at most; 20 unless given."),
        DirectiveRule(
            word: "history", within: ["quota"], form: " SENTENCE", sql: .required,
            summary: "How usage went, about :user: at, used; drawn as a line."),

        DirectiveRule(
            word: "tier", within: ["quota"], form: "FACT",
            summary: "The fact of users that names each line of quota show."),

        // Decisions.
        DirectiveRule(
            word: "per", within: ["decision", "quota"], form: "COLUMN",
            summary: "One answer for each value of this column, and not one a user."),
        DirectiveRule(
            word: "assume", within: ["decision", "example"], form: "NAME: TYPE [= DEFAULT]", repeats: true,
            variants: ["example": .init(form: "NAME=VALUE", sql: .none)],
            summary: "What Postgres cannot know, and whoever asks may say."),
        DirectiveRule(
            word: "rule", within: ["decision"], form: "OUTCOME  SENTENCE", sql: .required, repeats: true,
            summary: "What is decided where the condition holds, and why."),
        DirectiveRule(
            word: "because", within: ["decision"], form: " SENTENCE", sql: .required, repeats: true,
            summary: "Words of its own for one cause of the rule above."),
        DirectiveRule(
            word: "advice", within: ["decision", "screen"], form: "SENTENCE | SCREEN", repeats: true,
            summary: "What to do about it; commands in backticks."),
        DirectiveRule(
            word: "shows", within: ["decision", "screen"], form: "NAME: TEXT | SCREEN", repeats: true,
            summary: "What else comes with an outcome."),
        DirectiveRule(
            word: "from", within: ["decision", "state", "example"], form: "NAME",
            summary: "Takes the rules, statements or rows of another one."),
    ]
}
