package import AppFile
package import Asking
internal import Catalog
package import Inquiries
internal import PQ

/// The rights that a role needs to delete and restore accounts.
///
/// The role needs all rights on tables whose rows are deleted with users. It needs SELECT on columns that refer to
/// these rows or could contain a key or an email.
package struct AccountNeeds {
    private let model: AccountModel
    package private(set) var all: Set<Need> = []

    package init(_ account: App.Account, by reader: NeedReader) throws(Failure) {
        let ask: Ask = { queries throws(Failure) in
            try failing { () throws(PQError) in try queries.map { query throws(PQError) in try reader.read(query) } }
        }
        let root = try AccountRoot.find(account.root, asking: ask)
        model = try AccountModel(root, account, asking: ask)
        for table in model.reached { needRows(of: table) }
        for edge in model.edges where model.reached.contains(edge.parent) {
            // An expression may read any column.
            need(.select, edge.child, edge.columns.isEmpty ? names(of: edge.child) : edge.columns)
            if edge.effect == .detach || edge.effect == .delete && model.rules.kept[edge.child] != nil {
                need(.select, edge.child, model.graph.tables[edge.child]?.key.map(\.name) ?? [])
                need(.update, edge.child, edge.emptied)
            }
        }
        for (table, lines) in model.rules.assignments {
            let columns = lines.map(\.column.name.column)
            need(.select, table, columns)
            need(.update, table, columns)
        }
        for (table, line) in model.rules.written {
            need(.select, table, names(of: table))
            if line.answer == .remove { needDelete(from: table) }
        }
        for edge in model.owned.map({ model.edges[$0] }) { needRows(of: edge.parent) }
        if let files = model.graph.table(Platform.files) { need(.select, files.oid, names(of: files.oid)) }
        for email in model.emails { need(.select, email.table, [email.column]) }
    }

    /// The rights that a role needs to see the plan: SELECT on the columns that identify the owner of a row.
    ///
    /// These rights don't cover undeclared columns, which the plan and the deletion search.
    package var ofPlan: Set<Need> {
        var sql: [UInt32: [String]] = [:]
        for edge in model.edges where model.reached.contains(edge.parent) && !edge.isAsked {
            sql[edge.child, default: []] += edge.terms.map(\.expression) + [edge.condition ?? ""]
        }
        for table in model.reached { sql[table, default: []] += model.keys(of: table).flatMap(\.expressions) }
        for (table, lines) in model.rules.kept { sql[table, default: []] += lines.compactMap(\.way.condition) }
        for (table, line) in model.rules.shared { sql[table, default: []].append(line.condition ?? "") }
        if let files = model.graph.table(Platform.files) {
            sql[files.oid] =
                StoredFile.columns + model.fileEdges.flatMap { $0.terms.map(\.expression) + [$0.condition ?? ""] }
        }
        var needs = self
        needs.all = []
        for (table, texts) in sql {
            let named = texts.reduce(into: Set<String>()) { $0.formUnion(SQLName.all(in: $1)) }
            let key = model.graph.tables[table]?.key.map(\.name) ?? []
            needs.need(.select, table, key + names(of: table).filter(named.contains))
        }
        return needs.all
    }

    private func names(of table: UInt32) -> [String] { model.columns.of(table).map(\.name.column) }

    private mutating func needRows(of table: UInt32) {
        needDelete(from: table)
        for privilege in [Need.Privilege.select, .insert, .update] { need(privilege, table, names(of: table)) }
    }

    private mutating func needDelete(from table: UInt32) {
        guard let relation = model.graph.tables[table] else { return }
        all.insert(Need(.delete, relation.schema, relation.name))
    }

    private mutating func need(_ privilege: Need.Privilege, _ table: UInt32, _ columns: [String]) {
        guard let relation = model.graph.tables[table] else { return }
        all.formUnion(columns.map { Need(privilege, relation.schema, relation.name, $0) })
    }
}
