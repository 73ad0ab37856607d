/// The directives about the app, its decisions and its screens.
extension Vocabulary {
    static let reading: [DirectiveRule] = [
        // The app.
        DirectiveRule(
            word: "app", form: "NAME  TITLE", isUnique: true,
            summary: "Names the app, for programs and for people. The first line of a file.",
            example: "letter  The Letter"),
        DirectiveRule(
            word: "language", within: ["app"], form: "N",
            summary: "States which version of this language the file needs.", example: "2"),
        DirectiveRule(
            word: "requires", within: ["app"], form: "TABLE[.COLUMN] [| …]", repeats: true,
            summary:
                "Names a table or column that must exist. usher chooses the app file whose requirements all exist.",
            example: "public.deliveries | public.sendings"),
        DirectiveRule(
            word: "schema", within: ["app"], form: ":NAME [PATTERN]",
            summary: "Declares a name for the schemas of all tenants, which match the pattern.",
            example: ":publisher letter_%"),
        DirectiveRule(
            word: "optional", within: ["app", "users", "account"], form: "TABLE | TABLE.COLUMN: TYPE", repeats: true,
            summary: "Names a table or column that may be missing. A missing column reads as NULL.",
            example: "public.subscribers.phone: text"),
        DirectiveRule(
            word: "include", within: ["app"], form: "NAME | ./FILE", repeats: true,
            summary: "Adds a file that comes with usher, or one of yours in the same folder or a subfolder.",
            example: "supabase"),
        DirectiveRule(
            word: "constant", within: ["app"], form: "NAME: TYPE = VALUE", repeats: true,
            summary: "Declares a value once. SQL uses the value as :NAME, sentences as {NAME}.",
            example: "grace: int = 3"),

        // Blocks.
        DirectiveRule(
            word: "users", sql: .required, needsText: false, isUnique: true,
            summary: "Selects one row per account. Its columns are the facts about a user.", example: ""),
        DirectiveRule(
            word: "object", form: "NOUN  SUMMARY", sql: .required,
            summary: "Declares a kind of object other than users. Adds the commands NOUN list and NOUN show.",
            example: "issue  A letter that was sent or will be sent."),
        DirectiveRule(
            word: "define", form: "NAME [(COLUMNS)]  SUMMARY", sql: .required,
            summary: "Names a select that other blocks can use like a table.",
            example: "sent (id, issues)  How many issues each subscriber was sent."),
        DirectiveRule(
            word: "screen", form: "NAME  SUMMARY",
            summary: "Names texts and advice that several rules share.",
            example: "welcome  Shown to people who subscribed before."),
        DirectiveRule(
            word: "panel", form: "TITLE", sql: .required,
            summary: "Adds a section to user show. The select reads the rows of :user.", example: "Deliveries"),
        DirectiveRule(
            word: "timeline", form: "SOURCE", sql: .required,
            summary: "Adds a source to user timeline. The select returns at, kind, title and detail of :user.",
            example: "letters"),
        DirectiveRule(
            word: "decision", form: "NAME  QUESTION", sql: .optional,
            summary: "Asks a question about each user and answers it with ordered rules.",
            example: "access  Does this subscriber read everything?"),
        DirectiveRule(
            word: "quota", form: "NAME", sql: .required,
            summary: "Counts usage against a limit. The select returns key, used, limit, period and resets_at.",
            example: "letters"),
        DirectiveRule(
            word: "elsewhere", form: "NAME [PATTERN] : SENTENCE",
            summary: "Names data that is in another system. usher shows the sentence if a search finds nothing.",
            example: "invoice in_* : Invoices are at the payment provider, not in this database."),
        DirectiveRule(
            word: "stat", form: "NAME  SENTENCE", sql: .required,
            summary: "Adds a chart to stats. The select returns label and value.",
            example: "plans  Subscribers by plan."),
        DirectiveRule(
            word: "settings", form: "NAME  SUMMARY", summary: "Allows operators to edit a table of the app.",
            example: "letters  How many letters each plan includes."),
        DirectiveRule(
            word: "action", form: "NOUN VERB  SUMMARY", summary: "Declares a change that operators can make.",
            example: "gift give  Let a subscriber read everything, without end."),
        DirectiveRule(
            word: "list", form: "NOUN VERB  SUMMARY", sql: .required,
            summary: "Adds a command that lists rows, for one user if the SQL uses :user.",
            example: "letter missed  Letters that a subscriber never got."),
        DirectiveRule(
            word: "state", form: "NAME  SUMMARY",
            summary: "Declares a test state. Engineers can force users into this state, except in production.",
            example: "lapsed  The paid time ended a day ago."),
        DirectiveRule(
            word: "check", form: "NAME  SUMMARY", sql: .required,
            summary: "Selects the rows that break an invariant. The first column is their key.",
            example: "paid-undated  Every paying subscriber has an end of the paid time."),
        DirectiveRule(
            word: "account", needsText: false,
            summary: "Declares what belongs to a user, in addition to the foreign keys.", example: ""),
        DirectiveRule(
            word: "example", form: "NAME  SUMMARY", summary: "Tests the decisions with a few rows.",
            example: "ahead  A subscriber who paid ahead reads everything."),

        // Users and objects.
        DirectiveRule(
            word: "key", within: ["users", "object", "settings"], form: "COLUMN",
            summary: "Names the column that identifies a row.", example: "id"),
        DirectiveRule(
            word: "email", within: ["users"], form: "COLUMNS", summary: "Names the columns that contain emails.",
            example: "email"),
        DirectiveRule(
            word: "search", within: ["users", "object"], form: "COLUMNS",
            summary:
                "Names the columns that user find searches, in addition to the key. Default for users: the emails.",
            example: "email, plan"),
        DirectiveRule(
            word: "fact", within: ["users"], form: "NAME : MEANING", repeats: true,
            summary: "Explains a column to people who don't read SQL.",
            example: "plan : The current plan: free, paid or gift."),
        DirectiveRule(
            word: "link", within: ["users", "elsewhere"], form: "TITLE URL", repeats: true,
            summary:
                "Links to a page of another system. The URL can contain {columns}, or {text} for the searched text.",
            example: "Mailbox https://mail.example.org/search?from={email}"),
        DirectiveRule(
            word: "select", within: ["users", "object", "action"], form: "NAME  SENTENCE", sql: .required,
            repeats: true, variants: ["action": .init(form: "NAME", sql: .none)],
            summary: "Names a condition. The selection becomes an option of the list, and of actions that name it.",
            example: "lapsed  The paid time is over."),
        DirectiveRule(
            word: "user", within: ["object", "example"], form: "COLUMN",
            variants: ["example": .init(form: "USER", sql: .none)],
            summary: "Names the column with the user of an object, or the user of an example.", example: "subscriber_id"
        ),
        DirectiveRule(
            word: "members", within: ["object"], sql: .required, needsText: false,
            summary: "Selects key and user, for objects that have several users.", example: ""),

        // Screens.
        DirectiveRule(
            word: "explains", within: ["panel"], form: "DECISION",
            summary: "Shows the panel in user why, too, with this decision.", example: "delivery"),
        DirectiveRule(
            word: "order", within: ["panel", "object"], form: "N",
            variants: ["object": .init(form: "COLUMN [desc], …", sql: .none)],
            summary: "Sorts the panels by number, or the list of an object by columns. Default for objects: the key.",
            example: "sent_at desc"),
        DirectiveRule(
            word: "columns", within: ["users", "object", "panel", "list"], form: "COLUMNS",
            summary: "Chooses the columns of the table on screen, in this order.",
            example: "title, delivered_at, bounced"),
        DirectiveRule(
            word: "limit", within: ["panel"], form: "N", summary: "Limits the rows of a panel. Default: 20.",
            example: "10"),
        DirectiveRule(
            word: "history", within: ["quota"], form: " SENTENCE", sql: .required,
            summary: "Draws the usage over time. The select returns at and used of :user.",
            example: "  A month, over half a year."),

        DirectiveRule(
            word: "tier", within: ["quota"], form: "FACT",
            summary: "Names the fact that labels each line of quota show.", example: "plan"),

        // Decisions.
        DirectiveRule(
            word: "per", within: ["decision", "quota"], form: "COLUMN",
            summary: "Gives a user one answer for each value of this column.", example: "title"),
        DirectiveRule(
            word: "assume", within: ["decision", "example"], form: "NAME: TYPE [= DEFAULT]", repeats: true,
            variants: ["example": .init(form: "NAME=VALUE", sql: .none)],
            summary: "Declares a fact that is not in the database. Operators set the fact with --assume.",
            example: "opened: boolean = false"),
        DirectiveRule(
            word: "rule", within: ["decision"], form: "OUTCOME  SENTENCE", sql: .required, repeats: true,
            summary: "Gives the outcome and the reason if the condition below is true.",
            example: "reads  A gift, without end."),
        DirectiveRule(
            word: "because", within: ["decision"], form: " SENTENCE", sql: .required, repeats: true,
            summary: "Gives the rule above another reason if this condition is true.",
            example: "  The paid time ended at {paid_until}."),
        DirectiveRule(
            word: "advice", within: ["decision", "screen"], form: "SENTENCE | SCREEN", repeats: true,
            summary: "Tells the operator what to do. Put commands in backticks.",
            example: "See what was sent since: `user timeline {email}`"),
        DirectiveRule(
            word: "shows", within: ["decision", "screen"], form: "NAME: TEXT | SCREEN", repeats: true,
            summary: "Adds a detail to the outcome, such as the text on the user's screen.",
            example: "banner: Welcome back"),
        DirectiveRule(
            word: "from", within: ["decision", "state", "example"], form: "NAME",
            summary: "Includes the rules, statements or rows of another block of the same kind.", example: "access"),
    ]
}
