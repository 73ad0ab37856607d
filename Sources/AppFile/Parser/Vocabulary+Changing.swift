/// The directives of changes and accounts.
extension Vocabulary {
    static let changing: [DirectiveRule] = [
        // Changes.
        DirectiveRule(
            word: "table", within: ["settings"], form: "TABLE", summary: "Names the table that operators edit.",
            example: "public.plans"),
        DirectiveRule(
            word: "column", within: ["settings"], form: "NAME: TYPE [LOW..HIGH]", repeats: true,
            summary: "Allows operators to edit a column, within these limits.", example: "letters: int 0..1000"),
        DirectiveRule(
            word: "impact", within: ["settings"], form: "SENTENCE", sql: .required, repeats: true,
            summary: "Shows the effect of an edit. The select runs before and after.",
            example: "{subscribers} subscribers have received more letters than their plan includes."),
        DirectiveRule(
            word: "on", within: ["action", "check", "state"], form: "NOUN | nothing",
            summary: "Names the object that the block applies to, or nothing. Default: users.", example: "issue"),
        DirectiveRule(
            word: "arg", within: ["action", "list"], form: "NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]",
            repeats: true,
            summary: "Declares a positional parameter.", example: "why: text : The answer to its author."),
        DirectiveRule(
            word: "option", within: ["action", "list"], form: "NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]",
            repeats: true,
            summary: "Declares a parameter that is typed as --NAME.", example: "note?: text"),
        DirectiveRule(
            word: "each", within: ["action"], form: "COLUMN",
            summary: "Runs the action once for each row, in the order of this column.", example: "sent_at"),
        DirectiveRule(
            word: "role", within: ["action"], form: "support | admin | engineer",
            summary: "States which role can run the action. Default: admin.", example: "admin"),
        DirectiveRule(
            word: "approve", within: ["action"], form: "support | admin | engineer",
            summary: "Requires a second person in production: this role approves the request.", example: "admin"),
        DirectiveRule(
            word: "grade", within: ["action"], form: "mild | moderate | severe",
            summary: "States how the action is confirmed: not at all (mild), with yes, or by typing. Default: mild.",
            example: "moderate"),
        DirectiveRule(
            word: "ceiling", within: ["action"], form: "N",
            summary: "Counts the action as severe from this number of changed rows on. Default: 1000.", example: "500"),
        DirectiveRule(
            word: "expect", within: ["action", "state", "example"], form: "DECISION [of COLUMN] OUTCOME [| OUTCOME …]",
            repeats: true,
            variants: [
                "state": .init(form: "DECISION OUTCOME [| OUTCOME …]", sql: .none),
                "example": .init(form: "DECISION OUTCOME [| OUTCOME …]", sql: .none),
            ], summary: "States the outcome that a decision must have after the change. Otherwise nothing is changed.",
            example: "access reads"),
        DirectiveRule(
            word: "final", within: ["action"], needsText: false, summary: "Declares that the action can't be undone.",
            example: ""),
        DirectiveRule(
            word: "refuse", within: ["action", "account", "users", "object"], form: "NAME  SENTENCE", sql: .required,
            repeats: true,
            variants: [
                "action": .init(form: "SENTENCE | NAME", sql: .optional),
                "account": .init(form: "SENTENCE", sql: .required),
            ], summary: "Refuses the action while the condition is true.", example: "{title} was sent."),
        DirectiveRule(
            word: "warn", within: ["action", "account", "users", "object"], form: "NAME  SENTENCE", sql: .required,
            repeats: true,
            variants: [
                "action": .init(form: "SENTENCE | NAME", sql: .optional),
                "account": .init(form: "SENTENCE", sql: .required),
            ], summary: "Shows a warning while the condition is true. The action still runs.",
            example: "Signed up less than a day ago."),
        DirectiveRule(
            word: "do", within: ["action", "state", "example", "account"], form: " [SENTENCE]", sql: .required,
            repeats: true, needsText: false, variants: ["account": .init(form: "SENTENCE", sql: .required)],
            summary: "Runs one statement of the action, the test state, the example or the deletion.",
            example: "  The plan becomes a gift."),
        DirectiveRule(
            word: "run", within: ["example"], form: "NOUN VERB [VALUE …] [--NAME VALUE …]",
            summary: "Runs an action on the user of the example, or on the object that the first value names.",
            example: "gift give --note thanks"),
        DirectiveRule(
            word: "refused", within: ["example"], form: "SENTENCE",
            summary: "States that the action is refused, and how the sentence begins.",
            example: "This subscriber pays until"),
        DirectiveRule(
            word: "used", within: ["example"], form: "QUOTA N [of N]", repeats: true,
            summary: "States the expected usage of a quota.", example: "letters 0 of 10"),
        DirectiveRule(
            word: "fix", within: ["check"], form: "NOUN VERB",
            summary: "Names the action that repairs the rows that a check finds.", example: "delivery forgive"),

        // Parts of an account.
        DirectiveRule(
            word: "root", within: ["account"], form: "TABLE.COLUMN",
            summary: "Names the column that identifies an account.", example: "public.subscribers.id"),
        DirectiveRule(
            word: "refers", within: ["account"],
            form: "A [-> B] [where CONDITION] [: delete | detach | keep [: WHY]]", repeats: true,
            summary:
                "Declares a reference without a foreign key, and what happens to the row if its target is deleted.",
            example: "public.unsubscribes.email -> public.subscribers.email"),
        DirectiveRule(
            word: "ignore", within: ["account"], form: "TABLE.COLUMN : WHY", repeats: true,
            summary: "Declares columns that contain neither a reference nor a secret. * stands for any part of a name.",
            example: "public.remarks.*_type : The column contains a kind of object."),
        DirectiveRule(
            word: "keep", within: ["account"], form: "TABLE [via COLUMN] [where CONDITION] : WHY", repeats: true,
            summary: "Keeps rows of the user. References to deleted rows are emptied.",
            example:
                "public.gifts via giver_id where opened_at is not null : The person who opened the gift still needs it."
        ),
        DirectiveRule(
            word: "set", within: ["account"], form: "TABLE.COLUMN = EXPRESSION [via COLUMN] [where CONDITION] : WHY",
            repeats: true,
            summary: "Keeps rows of the user and writes a new value, which can be another user.",
            example: "public.unsubscribes.email = 'gone-' || md5(email) : The wish to get no mail stays valid."
        ),
        DirectiveRule(
            word: "shared", within: ["account"],
            form: "TABLE [where CONDITION] : delete | detach | give = EXPRESSION : WHY", repeats: true,
            summary: "Says what happens to rows that also belong to users who stay.",
            example:
                "public.remarks : give = (select min(s.id) from public.subscribers s) : The oldest subscriber gets these rows."
        ),
        DirectiveRule(
            word: "owns", within: ["account"], form: "A -> B", repeats: true,
            summary: "Deletes a row of B when the last row that refers to it is deleted.",
            example: "public.deliveries.receipt_id -> public.receipts.id"),
        DirectiveRule(
            word: "written", within: ["account"], form: "TABLE : keep | remove : WHY", repeats: true,
            summary: "Says what happens to rows about the user that triggers write during a deletion.",
            example: "public.delivery_log : keep : The mail room needs these rows for statistics."),
        DirectiveRule(
            word: "files", within: ["account"], form: "BUCKET PREFIX", repeats: true,
            summary: "Names stored files of the user. {id} in the prefix is the key of the account.",
            example: "portraits {id}/"),
        DirectiveRule(
            word: "secret", within: ["account"], form: "TABLE.COLUMN", repeats: true,
            summary: "Names a column that no operator can read and that usher never records.",
            example: "public.unsubscribes.email"),
    ]
}
