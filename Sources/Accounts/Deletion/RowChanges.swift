import AppFile
internal import Acts
internal import Asking
internal import Catalog
internal import PQ

/// Updates kept rows: removes references, or writes the values of `@set` lines.
struct RowChanges {
    let account: FoundAccount
    let transaction: ActTransaction
    private(set) var changed: [UInt32: Int] = [:]

    private var model: AccountModel { account.model }

    init(_ account: FoundAccount, in transaction: ActTransaction) {
        (self.account, self.transaction) = (account, transaction)
    }

    /// Runs one UPDATE per table; refuses if a row keeps a reference, since a cascade would delete the row.
    mutating func run() throws(Failure) {
        for table in account.changed.compactMap({ model.graph.tables[$0] }) {
            guard let statement = statement(table) else { continue }
            switch try transaction.attempt([statement]) {
            case .success(let answers): changed[table.oid] = answers[0].affected ?? 0
            case .failure(let error):
                if error.state.endsAttempt { throw Failure(error) }
                let columns = (account.staying[table.oid]?.columns ?? []).sorted().joined(separator: ", ")
                throw Failure(
                    .refused,
                    "\(pasted(table.qualifiedName)): rows that stay can't get another value in \(columns): \(error.message)",
                    nothing: .deleted, hint: error.searchPathHint ?? error.hint, state: error.state,
                    details: error.lines)
            }
        }
        let verification = Verification(account)
        let left = try verification.unchanged(in: changed, asking: transaction.ask)
        if !left.isEmpty { throw verification.explained(left) }
    }

    /// True if the UPDATE changed the planned rows, and none of them refers to a deleted row.
    func isCertain(_ table: UInt32) -> Bool {
        changed[table] == account.staying[table]?.changed && model.edges(from: table).allSatisfy(\.values.isEmpty)
    }

    private func statement(_ table: Graph.Table) -> Query? {
        var bindings = Bindings()
        guard let change = account.conditions.changes(table.oid, &bindings) else { return nil }
        let values = change.values.map { column, cases in
            let whens = cases.map { "when \($0.when) then \($0.then)" }.joined(separator: " ")
            return "\(Identifier(column).quoted) = case \(whens) else \(cell(column)) end"
        }
        return Query(
            unsafe:
                "update \(table.ownRows) t set \(values.joined(separator: ", ")) where \(change.condition)",
            values: bindings.values)
    }
}
