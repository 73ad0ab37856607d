import Asking
package import Grants
import Ledger
import PQ

extension RoleGrants.Unknown {
    /// What it is of the app.
    package var name: String {
        switch subject {
        case .reading: "reading"
        case .deleting: "account delete"
        case .settings(let name): "settings \(name)"
        }
    }
}

extension RoleGrants {
    /// Why a column is granted to nobody.
    package var whySecret: String { "it is a @secret, so no role is granted it; `usher app check` shows what reads it" }
}

extension ScriptRemark {
    /// The remark, line by line.
    package var lines: [String] {
        switch self {
        case .roles(let app):
            [
                "What the roles of operators need for \(app), from the statements of its app file. Each role may do what",
                "the one before it may; who deletes accounts stands apart. Whoever owns a table, or may grant on it, runs its",
                "lines; a grant that one may not make is only a warning, and `usher roles show` says what is still missing.",
            ]
        case .noLedger(let ofSchemas):
            [
                "There is no audit schema yet: "
                    + (ofSchemas ? LedgerRefusal.installBeside : "`usher install` makes it")
                    + "; that grants the roles what is theirs of it."
            ]
        case .deleting: ["Deleting accounts, for those alone who are given the role on purpose."]
        case .unknown(let unknown):
            [
                "\(unknown.name): not known, because Postgres does not take the statement: \(unknown.reason.words.message)"
            ]
        case .triggers(let triggers, let table): ["Changing \(table) runs \(triggers) with the rights of the role."]
        case .secrets(let columns):
            [
                "Not granted, because each is a @secret: \(columns.joined(separator: ", ")). What reads one fails for operators;",
                "`usher app check` shows where.",
            ]
        case .rowSecurity:
            [
                "Row security: without a policy the roles see no row of these tables. Instead of the policies a superuser can",
                "give each login role of an operator BYPASSRLS, which membership in a role does not hand on.",
            ]
        case .owner(let owner): ["tables of \(owner)"]
        }
    }
}

extension GrantsRefusal: Worded {
    package func words(_: Wording) -> Words {
        switch self {
        case .readOnly(let cause):
            let words = Words(PQError.readOnly(cause))
            return Words(
                words.complaint + "; what roles need is read from functions that are made and taken back",
                hint: words.hint)
        }
    }
}
