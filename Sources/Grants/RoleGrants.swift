internal import Accounts
package import AppFile
package import Asking
internal import Catalog
internal import Inquiries
internal import Ledger
package import PQ

/// The rights that each role needs in an app's database, derived from the statements of the app file.
package struct RoleGrants: Sendable {
    package let app: App
    let needs: [GrantedRole: Set<Need>]
    let tables: [GrantableTable]
    /// The blocks with statements that Postgres rejected, so that usher can't derive their rights.
    package let unknown: [Unknown]
    /// The @secret columns that statements of operators read, as SQL; usher never grants the right to read them.
    package let secretsRead: [String]
    package static let whySecret =
        "the column is a @secret, so usher grants no role the right to read it; `usher app check` shows the statements that read the column"
    package let hasLedger: Bool

    /// A block of the app file for which usher can't derive the rights, with the reason.
    package struct Unknown: Sendable, Hashable {
        package let name: String
        package let reason: Failure
    }

    /// Derives the rights from every statement of the app that fits the database, in a transaction that is rolled back.
    package static func derive(
        on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> RoleGrants {
        let question = Ledger.question
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
        let answers = try inquiry.read(
            [question, ReadOnlySession.question].map { ComposedQuery($0) }, isLast: true)
        if let cause = try ReadOnlySession.cause(answers[1].result) {
            throw Failure(
                .refused,
                cause.sentence + "; to derive the rights of the roles, usher creates functions and rolls them back",
                nothing: .changed, hint: cause.hint)
        }
        let hasLedger = try answers.first.flatMap { answer throws(Failure) in try Ledger.installation(answer.result) }
        defer { try? connection.rollbackIfOpen() }
        let reader = try failing(try NeedReader(on: connection, timeout: options.timeout))
        let account = inquiry.app.account.map { account in
            Result { () throws(Failure) in try AccountNeeds(account, by: reader) }
        }
        return try failing(try read(inquiry.app, with: reader, account: account, hasLedger: hasLedger != nil))
    }

    private static func read(
        _ app: App, with reader: NeedReader, account: Result<AccountNeeds, Failure>?, hasLedger: Bool
    ) throws(PQError) -> RoleGrants {
        let directory = try reader.describe(app.probes.directory.map(\.query.sql))
        let uses = app.uses(try app.keyTypes(directory, asking: reader.read))
        var needs: [GrantedRole: Set<Need>] = [:]
        var unknown: [Unknown] = []
        for (use, answer) in zip(uses, try reader.needs(of: uses.map(\.sql))) {
            switch answer {
            case .success(let found):
                for role in use.roles { needs[role, default: []].formUnion(found) }
            case .failure(let error):
                if unknown.last?.name != use.name || unknown.last?.reason.serverError?.message != error.message {
                    unknown.append(Unknown(name: use.name, reason: Failure(error)))
                }
            }
        }
        var secrets: Set<Need> = []
        for answer in try reader.needs(of: app.probes.secrets.map(\.query.sql)) {
            if case .success(let found) = answer { secrets.formUnion(found.filter { $0.privilege == .select }) }
        }
        let read = secrets.intersection(needs.values.joined())
        // A requester of a deletion sees the plan, so the support role needs the rights for the plan.
        if case .success(let found) = account { needs[.support, default: []].formUnion(found.ofPlan) }
        for role in needs.keys { needs[role]?.subtract(secrets) }
        switch account {
        case .success(let found): needs[.eraser, default: []].formUnion(found.all)
        case nil: needs[.eraser] = nil
        case .failure(let failure): unknown.append(Unknown(name: "account delete", reason: failure))
        }
        let tables = try Self.tables(of: needs, reader)
        for role in needs.keys { complete(&needs[role, default: []], tables, secrets) }
        let paths = read.compactMap { need in
            need.column.map { SQLName.path(of: [need.schema, need.name, $0]) }
        }
        return RoleGrants(
            app: app, needs: needs, tables: tables, unknown: unknown, secretsRead: paths.sorted(),
            hasLedger: hasLedger)
    }

    private static func tables(
        of needs: [GrantedRole: Set<Need>], _ reader: NeedReader
    ) throws(PQError) -> [GrantableTable] {
        var deleted: [[String]: Bool] = [:]
        for need in needs.values.joined() where need.privilege != .usage && need.privilege != .execute {
            deleted[[need.schema, need.name], default: false] =
                deleted[[need.schema, need.name]] == true || need.privilege == .delete
        }
        let names = Array(deleted)
        let rows = try reader.read(
            Query(
                file: "catalog/grantable_tables.sql",
                [
                    arrayLiteral(names.map { $0.key[0] }), arrayLiteral(names.map { $0.key[1] }),
                    arrayLiteral(names.map { $0.value ? "t" : "f" }),
                ]))
        return try GrantableTable.all(rows)
    }

    /// Adds the rights to record changes and to use schemas, and replaces table-wide rights by rights on columns.
    private static func complete(_ needs: inout Set<Need>, _ tables: [GrantableTable], _ secrets: Set<Need>) {
        let deleted = Set(needs.lazy.filter { $0.privilege == .delete }.map(\.subject))
        for table in tables {
            let own = needs.filter { $0.schema == table.schema && $0.name == table.name }
            // The audit log records every column of a changed row, also of rows that a cascade deletes.
            if own.contains(where: { $0.privilege.isWrite }) || !table.cascadesFrom.isDisjoint(with: deleted) {
                let columns = table.columns.map { Need(.select, table.schema, table.name, $0.name) }
                needs.formUnion(columns.filter { !secrets.contains($0) })
                // usher finds the written row versions by these system columns; a grant for all columns includes them.
                needs.formUnion(GrantableTable.systemColumns.map { Need(.select, table.schema, table.name, $0) })
            }
            // If a statement uses a table without naming a column, such as count(*) or a lock, a right on any column is
            // enough.
            for need in own where need.privilege.hasColumns && need.column == nil {
                needs.remove(need)
                let isMet = needs.contains { $0.isAlike(need) }
                let open = table.columns.first { column in
                    !secrets.contains { $0.schema == table.schema && $0.name == table.name && $0.column == column.name }
                }
                guard !isMet, let first = open else { continue }
                needs.insert(Need(need.privilege, need.schema, need.name, first.name))
            }
        }
        for schema in Set(needs.map(\.schema)) { needs.insert(Need(.usage, schema, "")) }
    }
}

extension App {
    /// The statements of the app file that the roles run themselves, each with the name of its block.
    ///
    /// Actions need no entry, because database functions run them with the rights of their owner.
    fileprivate func uses(_ types: KeyTypes) -> [(roles: [GrantedRole], name: String, sql: String)] {
        func statements(_ probes: [Probe]) -> [String] {
            probes.filter { !$0.place.isOfNothing }.map(\.query.sql)
        }
        // The eraser must find the users, and read which other users the deletion affects.
        let reading = statements(probes.directory + probes.inquiries(types))
        let additions = statements(probes.additions(types))
        return reading.map { ([.support, .eraser], "reading", $0) }
            + additions.map { ([.eraser], "account delete", $0) }
            + settings.map { settings in
                let columns = ([settings.key] + settings.columns.map(\.name)).map(Composer.quoted)
                let sql = "select \(columns.joined(separator: ", ")) from \(settings.table.quoted)"
                return ([.support], "settings \(settings.name)", sql)
            }
    }
}

/// The catalog data about a table for which roles need rights.
struct GrantableTable: Sendable {
    let schema: String
    let name: String
    /// The name of the table as SQL, with quotes if needed.
    let sql: String
    let owner: String
    let isSecured: Bool
    /// The tables whose deleted rows cascade to this table, as `schema.table`.
    let cascadesFrom: Set<String>
    /// The system columns of every table; a grant for single columns must name them.
    static let systemColumns = ["tableoid", "ctid", "xmin", "xmax"]

    /// The columns in the order of the table, each with its plain and its quoted name.
    var columns: [(name: String, sql: String)] = []
    var sequences: [String] = []

    static func all(_ rows: Rows) throws(PQError) -> [GrantableTable] {
        var tables: [GrantableTable] = []
        for row in rows.rows {
            let schema = try row.text("schema")
            let name = try row.text("name")
            if tables.last?.schema != schema || tables.last?.name != name {
                tables.append(
                    GrantableTable(
                        schema: schema, name: name, sql: try row.text("sql"), owner: try row.text("owner"),
                        isSecured: try row.boolean("secured"),
                        cascadesFrom: Set(try row.texts("cascaded_from"))))
            }
            tables[tables.count - 1].columns.append((try row.text("column"), try row.text("column_sql")))
            if let sequence = try row.optionalText("sequence") { tables[tables.count - 1].sequences.append(sequence) }
        }
        return tables
    }
}

/// A database role that needs rights on the app's tables; the roles of admins and engineers include the role of support.
package enum GrantedRole: String, Sendable, CaseIterable {
    case support, eraser

    package var name: String { "usher_\(rawValue)" }
}
