/// The rules for one directive.
package struct DirectiveRule: Sendable {
    package enum SQL: String, Sendable { case none, optional, required }

    package let word: String
    /// The blocks that can contain the directive; empty if the directive itself begins a block.
    package let within: [String]
    /// The syntax after the word: capitals are placeholders, and parts in brackets are optional.
    ///
    /// Two spaces separate a name from free text, such as a title.
    package let form: String
    package let sql: SQL
    /// True if a block can contain the directive more than once.
    package let repeats: Bool
    /// True if a file can contain the block only once; has no effect on a directive inside a block.
    package let isUnique: Bool
    /// The syntax in blocks where it differs from `form`, by the name of the block.
    private let variants: [String: String]
    /// The rule for SQL in actions, if it differs from the usual rule.
    let sqlInActions: SQL?
    /// A summary in one or two sentences.
    package let summary: String
    /// The text after the word in an example.
    let example: String

    /// Creates a rule from its notation, which is the word and the form: `@limit N`.
    init(
        _ notation: String, within: [String] = [], sql: SQL = .none, repeats: Bool = false, isUnique: Bool = false,
        variants: [String: String] = [:], sqlInActions: SQL? = nil, _ summary: String, example: String = ""
    ) {
        let parts = notation.dropFirst().split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        (word, form) = (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        (self.within, self.sql, self.variants, self.sqlInActions) = (within, sql, variants, sqlInActions)
        (self.repeats, self.isUnique, self.summary, self.example) = (repeats, isUnique, summary, example)
    }

    package var isBlock: Bool { within.isEmpty }

    /// True if text must follow the word.
    package var needsText: Bool { !form.isEmpty && !form.hasPrefix(" [") }

    /// An example of the directive, as a line of an app file.
    package var exampleLine: String { "-- @\(word)\(example.isEmpty || example.hasPrefix(" ") ? "" : " ")\(example)" }

    /// The different forms of the directive, each with the blocks that use the form.
    package var forms: [(text: String, blocks: [String])] {
        var forms: [(text: String, blocks: [String])] = []
        for block in isBlock ? [""] : within {
            let text = "@\(word) \(form(in: block))".split(separator: " ").joined(separator: " ")
            if let same = forms.firstIndex(where: { $0.text == text }) {
                forms[same].blocks.append(block)
            } else {
                forms.append((text, isBlock ? [] : [block]))
            }
        }
        return forms
    }

    /// The syntax of the directive in a block.
    package func form(in block: String) -> String { variants[block] ?? form }

    /// The rule for SQL below the directive in a block: required, optional or none.
    package func sql(in block: String) -> SQL { block == "action" ? sqlInActions ?? sql : sql }
}

/// The directives of the app language, each with its rules.
package enum Language {
    /// The version of the language that this program reads; `@language` declares the version that a file needs.
    package static let version = 5

    package static let directives = reading + changing

    static func rule(for word: String) -> DirectiveRule? { byWord[word] }

    private static let byWord = Dictionary(uniqueKeysWithValues: directives.map { ($0.word, $0) })

    static let blocks = directives.filter(\.isBlock).map(\.word)

    /// The words of earlier versions of the language, and their replacements.
    static let renamed = [
        "reference": "@refers A -> B [where CONDITION]", "detach": "@refers TABLE.COLUMN : detach : WHY",
        "plain": "@ignore TABLE.COLUMN : WHY", "mention": "@ignore TABLE.COLUMN : WHY",
        "anonymise": "@set TABLE.COLUMN = EXPRESSION : WHY",
        "collateral": "@shared TABLE : delete | detach | give = EXPRESSION : WHY",
        "writes": "@written TABLE : keep | remove : WHY, one line for each table that the triggers fill",
    ]

    /// The reference of `usher help language`: one entry per directive.
    package static var reference: String {
        directives.map { rule in
            // If a directive has several forms, the summary follows the last form.
            let forms = rule.forms.enumerated().map { place, form in
                let blocks = form.blocks.isEmpty ? [] : ["In \(form.blocks.map { "@\($0)" }.joined(separator: ", "))."]
                let summary = place == rule.forms.count - 1 ? [rule.summary] : []
                return "  \(form.text)  \((blocks + summary).joined(separator: " "))\n"
            }
            return forms.joined() + "      \(rule.exampleLine)\n"
        }.joined(separator: "\n")
    }

    /// The parameters that SQL can use without a declaration, and their meanings.
    package static let parameters: [(name: String, meaning: String)] = [
        (":now", "the current time, or the time of `--at`"), (":user", "the key of one user"),
        (":users", "the keys of the affected users, as an array"),
        (":key", "the key of one object"), (":keys", "the keys of the affected objects, as an array"),
    ]
}

/// The directives about the app, its decisions and its screens.
extension Language {
    static let reading: [DirectiveRule] = [
        // The app.
        DirectiveRule(
            "@app NAME  TITLE", isUnique: true, "Names the app: NAME is for programs, TITLE is for people.",
            example: "letter  The Letter"),
        DirectiveRule(
            "@language N", within: ["app"], "States which version of this language the file needs.", example: "5"),
        DirectiveRule(
            "@requires TABLE[.COLUMN] [| …]", within: ["app"], repeats: true,
            "Names a table or column that must exist. usher chooses the app file whose requirements all exist.",
            example: "public.deliveries | public.sendings"),
        DirectiveRule(
            "@schema :NAME [PATTERN]", within: ["app"],
            "Declares a name that stands for the schema of each tenant. PATTERN matches the names of these schemas.",
            example: ":publisher letter_%"),
        DirectiveRule(
            "@optional TABLE | TABLE.COLUMN: TYPE", within: ["app", "users", "account"], repeats: true,
            "Names a table or column that may be missing. A missing column is NULL; usher leaves out blocks that read a missing table.",
            example: "public.subscribers.phone: text"),
        DirectiveRule(
            "@include NAME | ./FILE", within: ["app"], repeats: true,
            "Adds a file that comes with usher, or a file of yours from the same folder or a subfolder.",
            example: "supabase"),
        DirectiveRule(
            "@constant NAME: TYPE = VALUE", within: ["app"], repeats: true,
            "Declares a value once. Write the value as :NAME in SQL, and as {NAME} in sentences.",
            example: "grace: int = 3"),

        // Blocks.
        DirectiveRule(
            "@users", sql: .required, isUnique: true,
            "Selects one row per user. The columns of the row are the facts about the user."),
        DirectiveRule(
            "@object NOUN  SUMMARY", sql: .required,
            "Declares a kind of object other than users. Adds the commands `NOUN list` and `NOUN show`.",
            example: "issue  A letter that was sent or will be sent."),
        DirectiveRule(
            "@define NAME [(COLUMNS)]  SUMMARY", sql: .required,
            "Names a select that other blocks can use like a table.",
            example: "sent (id, issues)  The number of letters sent to each subscriber."),
        DirectiveRule(
            "@screen NAME  SUMMARY", "Names texts and advice that several rules share.",
            example: "welcome  Shown to people who subscribed before."),
        DirectiveRule(
            "@panel TITLE", sql: .required,
            "Adds a section to `user show`. The select returns the rows of the user :user.", example: "Deliveries"),
        DirectiveRule(
            "@timeline SOURCE", sql: .required,
            "Adds events to `user timeline`. The select returns at, kind, title and detail of each event.",
            example: "letters"),
        DirectiveRule(
            "@decision NAME  QUESTION", sql: .optional,
            "Asks a question about each user and answers it with ordered rules.",
            example: "access  Can this subscriber read everything?"),
        DirectiveRule(
            "@quota NAME", sql: .required,
            "Counts usage against a limit. The select returns key, used, limit, period (like month) and resets_at.",
            example: "letters"),
        DirectiveRule(
            "@elsewhere NAME [PATTERN] : SENTENCE",
            "Names data of another system. If usher finds no user for a text that matches PATTERN, usher shows the sentence.",
            example: "invoice in_* : Invoices are at the payment provider, not in this database."),
        DirectiveRule(
            "@stat NAME  SENTENCE", sql: .required,
            "Adds a chart to `stats`. The select returns the label and the value of each bar.",
            example: "plans  Subscribers by plan."),
        DirectiveRule(
            "@settings NAME  SUMMARY", "Allows operators to edit a table of the app.",
            example: "letters  How many letters each plan includes."),
        DirectiveRule(
            "@action NOUN VERB  SUMMARY", "Declares a change that operators can make.",
            example: "gift give  Let a subscriber read everything, with no end date."),
        DirectiveRule(
            "@list NOUN VERB  SUMMARY", sql: .required,
            "Adds a command that lists rows. If the SQL uses :user, the command takes a user.",
            example: "letter missed  Letters that a subscriber never got."),
        DirectiveRule(
            "@state NAME  SUMMARY",
            "Declares a test state. Engineers can force users into this state, except in production.",
            example: "lapsed  The paid time ended a day ago."),
        DirectiveRule(
            "@check NAME  SUMMARY", sql: .required,
            "Selects the rows that break an invariant. The first column is the key of the row.",
            example: "paid-undated  Every paying subscriber has a date on which the paid time ends."),
        DirectiveRule("@account", "Declares what belongs to a user, in addition to the foreign keys."),
        DirectiveRule(
            "@example NAME  SUMMARY", "Inserts a few rows and tests the outcomes of the decisions.",
            example: "ahead  A subscriber who paid in advance reads everything."),

        // Users and objects.
        DirectiveRule(
            "@key COLUMN", within: ["users", "object", "settings"], "Names the column that identifies a row.",
            example: "id"),
        DirectiveRule("@email COLUMNS", within: ["users"], "Names the columns that contain emails.", example: "email"),
        DirectiveRule(
            "@search COLUMNS", within: ["users", "object"],
            "Names the columns that `user find` searches, in addition to the key. Default for users: the emails.",
            example: "email, plan"),
        DirectiveRule(
            "@fact NAME : MEANING", within: ["users"], repeats: true, "Explains a column to people who don't read SQL.",
            example: "plan : The current plan: free, paid or gift."),
        DirectiveRule(
            "@link TITLE URL", within: ["users", "elsewhere"], repeats: true,
            "Links to a page of another system. In the URL, write {email} or another column in braces, or {text} for the searched text.",
            example: "Mailbox https://mail.example.org/search?from={email}"),
        DirectiveRule(
            "@select NAME  SENTENCE", within: ["users", "object", "action"], sql: .required, repeats: true,
            variants: ["action": "NAME"], sqlInActions: DirectiveRule.SQL.none,
            "Names a condition: for `user list --where NAME`, `NOUN list --NAME`, and actions with @select.",
            example: "lapsed  The paid time is over."),
        DirectiveRule(
            "@user COLUMN", within: ["object", "example"], variants: ["example": "USER"],
            "Names the column that contains the user of an object. In @example, names the user.",
            example: "subscriber_id"),
        DirectiveRule(
            "@members", within: ["object"], sql: .required,
            "Selects the key of the object and the key of each of its users, if objects have several users."),

        // Panels and lists.
        DirectiveRule(
            "@explains DECISION", within: ["panel"], "Shows the panel also in `user why`, with this decision.",
            example: "delivery"),
        DirectiveRule(
            "@order N", within: ["panel", "object"], variants: ["object": "COLUMN [desc], …"],
            "Sorts the panels by number, or the list of an object by columns. Default for objects: the key.",
            example: "sent_at desc"),
        DirectiveRule(
            "@columns COLUMNS", within: ["users", "object", "panel", "list"],
            "Chooses the columns of the table on screen, in this order.", example: "title, delivered_at, bounced"),
        DirectiveRule(
            "@limit N", within: ["panel"], "Limits the number of rows of a panel. Default: 20.", example: "10"),
        DirectiveRule(
            "@history  SENTENCE", within: ["quota"], sql: .required,
            "Draws the usage of the user :user over time. The select returns a time and the usage at that time.",
            example: "  Letters per month, over half a year."),
        DirectiveRule(
            "@tier FACT", within: ["quota"], "Names the fact by which `quota show` groups users.", example: "plan"),

        // Decisions.
        DirectiveRule(
            "@per COLUMN", within: ["decision", "quota"], "Gives a user one answer for each value of this column.",
            example: "title"),
        DirectiveRule(
            "@assume NAME: TYPE [= DEFAULT]", within: ["decision", "example"], repeats: true,
            variants: ["example": "NAME=VALUE"],
            "Declares a fact that is not in the database. Operators set the fact with `--assume`.",
            example: "opened: boolean = false"),
        DirectiveRule(
            "@rule OUTCOME  SENTENCE", within: ["decision"], sql: .required, repeats: true,
            "Gives the outcome and the reason if the condition below is true.",
            example: "reads  The subscriber got a gift that never ends."),
        DirectiveRule(
            "@because  SENTENCE", within: ["decision"], sql: .required, repeats: true,
            "Replaces the reason of the rule above if the condition below is true.",
            example: "  The paid time ended at {paid_until}."),
        DirectiveRule(
            "@advice SENTENCE | SCREEN", within: ["decision", "screen"], repeats: true,
            "Tells the operator what to do. Put commands in backticks.",
            example: "See what was sent since: `user timeline {email}`"),
        DirectiveRule(
            "@shows NAME: TEXT | SCREEN", within: ["decision", "screen"], repeats: true,
            "Adds a detail to the outcome, such as the text on the user's screen.", example: "banner: Welcome back"),
        DirectiveRule(
            "@from NAME", within: ["decision", "state", "example"],
            "Includes the rules, statements or rows of another block of the same kind.", example: "access"),
    ]
}

/// The directives of changes and accounts.
extension Language {
    static let changing: [DirectiveRule] = [
        // Changes.
        DirectiveRule(
            "@table TABLE", within: ["settings"], "Names the table that operators edit.", example: "public.plans"),
        DirectiveRule(
            "@column NAME: TYPE [LOW..HIGH]", within: ["settings"], repeats: true,
            "Allows operators to edit a column, within these limits.", example: "letters: int 0..1000"),
        DirectiveRule(
            "@impact SENTENCE", within: ["settings"], sql: .required, repeats: true,
            "Shows the effect of an edit. The select runs before and after the edit.",
            example: "{subscribers} subscribers have received more letters than their plan includes."),
        DirectiveRule(
            "@on NOUN | nothing", within: ["action", "check", "state"],
            "Names the kind of object that the block applies to; `nothing` means no object. Default: users.",
            example: "issue"),
        DirectiveRule(
            "@arg NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]", within: ["action", "list"], repeats: true,
            "Declares an argument of the command. Operators type its value, without its name.",
            example: "why: text : The reason, for the author of the letter."),
        DirectiveRule(
            "@option NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]", within: ["action", "list"], repeats: true,
            "Declares an option of the command. Operators type it as `--NAME`.", example: "note?: text"),
        DirectiveRule(
            "@each COLUMN", within: ["action"], "Runs the action once for each row, in the order of this column.",
            example: "sent_at"),
        DirectiveRule(
            "@role support | admin | engineer", within: ["action"],
            "States which role can run the action. Default: admin.", example: "admin"),
        DirectiveRule(
            "@approve support | admin | engineer", within: ["action"],
            "Requires a second person in production: this role approves the request.", example: "admin"),
        DirectiveRule(
            "@grade mild | moderate | severe", within: ["action"],
            "Sets the confirmation: none (mild), yes (moderate), typing the email or number (severe). Default: mild.",
            example: "moderate"),
        DirectiveRule(
            "@ceiling N", within: ["action"],
            "Counts the action as severe if it changes more than N rows. Default: 1000.", example: "500"),
        DirectiveRule(
            "@expect DECISION [of COLUMN] OUTCOME [| OUTCOME …]", within: ["action", "state", "example"], repeats: true,
            variants: ["state": "DECISION OUTCOME [| OUTCOME …]", "example": "DECISION OUTCOME [| OUTCOME …]"],
            "States the outcome that a decision must have after the change. Otherwise usher doesn't save the change.",
            example: "access reads"),
        DirectiveRule("@final", within: ["action"], "Declares that the action can't be undone."),
        DirectiveRule(
            "@refuse NAME  SENTENCE", within: ["action", "account", "users", "object"], sql: .required, repeats: true,
            variants: ["action": "SENTENCE | NAME", "account": "SENTENCE"], sqlInActions: .optional,
            "Refuses the action or the deletion while the condition is true.", example: "{title} was sent."),
        DirectiveRule(
            "@warn NAME  SENTENCE", within: ["action", "account", "users", "object"], sql: .required, repeats: true,
            variants: ["action": "SENTENCE | NAME", "account": "SENTENCE"], sqlInActions: .optional,
            "Shows a warning while the condition is true. The action or deletion still runs.",
            example: "Signed up less than a day ago."),
        DirectiveRule(
            "@do  [SENTENCE]", within: ["action", "state", "example", "account"], sql: .required, repeats: true,
            variants: ["account": "SENTENCE"],
            "Runs one statement of the action, the test state, the example or the deletion.",
            example: "  The plan becomes a gift."),
        DirectiveRule(
            "@run NOUN VERB [VALUE …] [--NAME VALUE …]", within: ["example"],
            "Runs an action on the user of the example, or on the object that the first value names.",
            example: "gift give --note thanks"),
        DirectiveRule(
            "@refused SENTENCE", within: ["example"],
            "States that usher must refuse the action, with a sentence that begins with SENTENCE.",
            example: "This subscriber pays until"),
        DirectiveRule(
            "@used QUOTA N [of N]", within: ["example"], repeats: true, "States the expected usage of a quota.",
            example: "letters 0 of 10"),
        DirectiveRule(
            "@fix NOUN VERB", within: ["check"],
            "Names the action that repairs the rows of a check. The action must run without options.",
            example: "delivery forgive"),

        // Parts of an account.
        DirectiveRule(
            "@root TABLE.COLUMN", within: ["account"], "Names the column that identifies an account.",
            example: "public.subscribers.id"),
        DirectiveRule(
            "@refers A [-> B] [where CONDITION] [: delete | detach | keep [: WHY]]", within: ["account"], repeats: true,
            "Declares a reference without a foreign key, and what happens to the row if its target is deleted.",
            example: "public.unsubscribes.email -> public.subscribers.email"),
        DirectiveRule(
            "@ignore TABLE.COLUMN : WHY", within: ["account"], repeats: true,
            "Declares columns that contain neither a reference nor a secret. `*` stands for any characters.",
            example: "public.remarks.*_type : The column contains the name of a class."),
        DirectiveRule(
            "@keep TABLE [via COLUMN] [where CONDITION] : WHY", within: ["account"], repeats: true,
            "Keeps rows of the user. In these rows, usher sets references to deleted rows to NULL.",
            example:
                "public.gifts via giver_id where opened_at is not null : The person who opened the gift still needs it."
        ),
        DirectiveRule(
            "@set TABLE.COLUMN = EXPRESSION [via COLUMN] [where CONDITION] : WHY", within: ["account"], repeats: true,
            "Keeps rows of the user and writes a new value into the column, for example another user.",
            example: "public.unsubscribes.email = 'gone-' || md5(email) : Statistics still count the row."),
        DirectiveRule(
            "@shared TABLE [where CONDITION] : delete | detach | give = EXPRESSION : WHY", within: ["account"],
            repeats: true, "Declares what happens to rows that also belong to users who stay.",
            example:
                "public.remarks : give = (select min(s.id) from public.subscribers s) : The oldest subscriber gets these rows."
        ),
        DirectiveRule(
            "@owns A -> B", within: ["account"], repeats: true,
            "Deletes a row of B when the last row that refers to it is deleted.",
            example: "public.deliveries.receipt_id -> public.receipts.id"),
        DirectiveRule(
            "@written TABLE : keep | remove : WHY", within: ["account"], repeats: true,
            "Declares what happens to rows about the user that triggers write during a deletion.",
            example: "public.delivery_log : keep : The mail room needs these rows for statistics."),
        DirectiveRule(
            "@files BUCKET PREFIX", within: ["account"], repeats: true,
            "Names stored files of the user. Write {id} in PREFIX for the key of the account.",
            example: "portraits {id}/"),
        DirectiveRule(
            "@secret TABLE.COLUMN", within: ["account"], repeats: true,
            "Names a column that usher never shows or records. `usher roles sql` grants only usher_eraser the right to read the column.",
            example: "public.unsubscribes.email"),
    ]
}
