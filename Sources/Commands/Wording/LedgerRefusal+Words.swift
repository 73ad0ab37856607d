internal import Asking
package import Ledger

extension LedgerRefusal: Worded {
    /// How a ledger comes to where an app is about many schemas.
    static let installBeside = "the owner runs `usher install` without an app, or with a file that names one schema"

    package func words(_ wording: Wording) -> Words {
        switch self {
        case .noLedger(let use):
            Words("\(use.complaint): run `usher install`", hint: "`usher install --sql` shows what it creates")
        case .noLedgerOfSchemas(let app):
            Words(
                Use.reading.complaint,
                hint: "\(Self.installBeside), because \(app) has one schema per tenant")
        case .otherLedger(let version, let known):
            Words(
                "the schema usher has version \(version), and this program only works with version \(known)",
                hint: "use the usher that installed it")
        case .mayNotRecord:
            Words("this role can't record changes, so it can't make any", hint: Self.anyRole)
        case .mayNotAct: Words("this role can't run the app's actions", hint: Self.anyRole)
        case .mayNotErase:
            Words(
                "you need the role usher_eraser to delete or restore accounts",
                hint: "request it with `account delete --request`; `usher roles sql` prints the grants")
        case .withheld(let right, let role):
            Words(
                "\(role) lacks a right that it needs: to \(right.use)",
                hint: "ask the database owner to run `usher install` again, which grants it")
        case .dormant(let role):
            Words(
                "this role is a member of \(role) and does not inherit it",
                hint: "`alter role NAME inherit`; since Postgres 16 `grant \(role) to NAME with inherit true`")
        case .mayNotRead: Words("this role can't read the audit log", hint: Self.anyRole)
        case .unexpectedCatalog(let what): Words("unexpected catalog: \(what)")
        case .noOperation(let text, let isID):
            Words(
                "there is no operation \(text)",
                hint: (isID ? "" : "an id or its first 8 characters or more; ") + "`usher audit list` lists them")
        case .severalOperations(let text, let count, let first):
            Words(
                "\(count > first.count ? "more than \(first.count)" : "\(count)") operations begin with \(text)",
                hint: Self.more, details: first)
        case .noRequest(let text):
            Words("there is no request \(text)", hint: "`usher request list --all` lists them, by id")
        case .severalRequests(let text): Words("several requests begin with \(text)", hint: Self.more)
        case .answeredRequest(let id, let state, let by):
            Words("request \(id) is \(state) already" + (by.map { ", by \($0)" } ?? ""))
        case .noHead: Words("--head must be 64 hexadecimal digits, as `audit verify` prints them")
        case .noTally: Words("the ledger does not report the number of its rows")
        case .undoneLater(let cause, let command, let by, let operation):
            cause.words(wording).advising(
                "`\(command)` by \(by) came after it: `usher undo \(operation)` first, or leave the user out with --except"
            )
        }
    }

    private static let anyRole =
        "grant it usher_support, usher_admin or usher_engineer; `usher roles sql` prints what each needs"
    private static let more = "give more of the id"
}

extension LedgerRefusal.Right {
    /// What somebody without it may not do.
    fileprivate var use: String {
        switch self {
        case .schema: "use the schema usher"
        case .attempt, .run, .erase: "call usher.\(rawValue)"
        case .operation: "read usher.operation"
        }
    }
}

extension LedgerRefusal.Use {
    fileprivate var complaint: String {
        switch self {
        case .changes: "changes need the audit schema"
        case .accounts: "deleting and restoring accounts needs the audit schema"
        case .reading: "this database has no audit schema"
        }
    }
}
