import Asking
package import Grants
import Ledger

extension RoleGrants.Unknown {
    /// The part of the app.
    package var name: String {
        switch subject {
        case .reading: "reading"
        case .deleting: "account delete"
        case .settings(let name): "settings \(name)"
        }
    }
}

extension RoleGrants {
    /// The reason why no role gets a column.
    package var whySecret: String {
        "the column is a @secret, so no role can read it; `usher app check` shows the statements that read the column"
    }
}

extension ScriptRemark {
    /// The remark, line by line.
    package var lines: [String] {
        switch self {
        case .roles(let app):
            [
                "The rights that the roles of operators need for \(app), from the statements of its app file. Each role includes",
                "the one before it, except the role that deletes accounts. The owner of a table runs its lines. A grant",
                "that fails is only a warning; `usher roles show` lists what is still missing.",
            ]
        case .noLedger(let ofSchemas):
            [
                "The schema of the audit log doesn't exist yet: "
                    + (ofSchemas ? Ledger.installBeside : "`usher install` creates the schema")
                    + " and grants the roles their rights on the schema."
            ]
        case .deleting: ["Deleting accounts. Grant this role only to people who need it."]
        case .unknown(let unknown):
            [
                "\(unknown.name): usher can't derive the rights, because Postgres rejects the statement: \(unknown.reason.message)"
            ]
        case .triggers(let triggers, let table): ["Changing \(table) runs \(triggers) with the rights of the role."]
        case .secrets(let columns):
            [
                "Not granted, because each is a @secret: \(columns.joined(separator: ", ")). A statement that reads one fails for operators;",
                "`usher app check` shows where.",
            ]
        case .rowSecurity:
            [
                "Row security: without a policy the roles see no rows of these tables. Instead of the policies, a superuser can",
                "give BYPASSRLS to each login role of an operator; roles do not inherit this attribute.",
            ]
        case .owner(let owner): ["tables of \(owner)"]
        }
    }
}
