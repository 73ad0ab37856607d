package import AppFile
internal import Catalog
package import PQ

/// What each role needs in an app's database, derived from the statements of the app file.
package struct RoleGrants: Sendable {
    package let app: App
    /// What each role needs beyond the role before it.
    let needs: [OperatorRole: Set<Need>]
    let tables: [GrantableTable]
    /// Statements that Postgres did not take, so that what they need is not known.
    package let unknown: [(subject: String, reason: String)]
    package let hasLedger: Bool

    /// Reads every statement of the app that fits, in a transaction that is rolled back.
    package static func derive(
        on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> RoleGrants {
        let question = Ledger.question
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
        let answers = try inquiry.read([.plain(question.sql, question.parameters)], isLast: true)
        let hasLedger = try answers.first.flatMap { answer throws(Failure) in try Ledger.installation(answer.result) }
        defer { try? connection.rollbackIfOpen() }
        let reader = try failing { () throws(PQError) in try NeedReader(on: connection, timeout: options.timeout) }
        let account = needs(of: inquiry.app.account, reader)
        return try failing { () throws(PQError) in
            try read(inquiry.app, with: reader, account: account, hasLedger: hasLedger != nil)
        }
    }

    /// What deleting an account needs.
    private static func needs(of account: App.Account?, _ reader: NeedReader) -> Result<Set<Need>, Failure> {
        guard let account else { return .success([]) }
        do throws(Failure) {
            return .success(
                try AccountNeeds(account) { queries throws(Failure) in
                    try failing { () throws(PQError) in
                        try queries.map { query throws(PQError) in try reader.read(query) }
                    }
                }.all)
        } catch {
            return .failure(error)
        }
    }

    private static func read(
        _ app: App, with reader: NeedReader, account: Result<Set<Need>, Failure>, hasLedger: Bool
    ) throws(PQError) -> RoleGrants {
        let directory = try reader.describe(app.directoryProbes.map(\.query.sql))
        let uses = app.uses(try app.keyTypes(directory, names: reader.typeNames))
        var needs: [OperatorRole: Set<Need>] = [:]
        var unknown: [(String, String)] = []
        for (use, answer) in zip(uses, try reader.needs(of: uses.map(\.sql))) {
            switch answer {
            case .success(let found): needs[use.role, default: []].formUnion(found)
            case .failure(let error):
                if unknown.last?.0 != use.subject || unknown.last?.1 != error.message {
                    unknown.append((use.subject, error.message))
                }
            }
        }
        switch account {
        // What the ledger knows of a person is forgotten by administrators alone.
        case .success(let found): needs[.admin, default: []].formUnion(found)
        case .failure(let failure): unknown.append(("account delete", failure.message))
        }
        var secrets: Set<Need> = []
        for answer in try reader.needs(of: app.account?.secretProbes.map(\.sql) ?? []) {
            if case .success(let found) = answer { secrets.formUnion(found) }
        }
        let tables = try Self.tables(of: needs, reader)
        for role in OperatorRole.allCases { complete(&needs[role, default: []], tables, secrets) }
        return RoleGrants(
            app: app, needs: beyondTheOneBefore(needs), tables: tables, unknown: unknown, hasLedger: hasLedger)
    }

    private static func tables(
        of needs: [OperatorRole: Set<Need>], _ reader: NeedReader
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
        do throws(DecodingFailure) { return try GrantableTable.all(rows) } catch { throw .decoding(error) }
    }

    /// Adds what the engine needs to show and record a change, and makes every need a column or a whole.
    private static func complete(_ needs: inout Set<Need>, _ tables: [GrantableTable], _ secrets: Set<Need>) {
        let deleted = Set(needs.lazy.filter { $0.privilege == .delete }.map(\.subject))
        for table in tables {
            let own = needs.filter { $0.schema == table.schema && $0.name == table.name }
            // Images hold every column of a changed row, also of rows that a cascade takes.
            if own.contains(where: { $0.privilege.isWrite }) || !table.cascadesFrom.isDisjoint(with: deleted) {
                let columns = table.columns.map { Need(.select, table.schema, table.name, $0.name) }
                needs.formUnion(columns.filter { !secrets.contains($0) })
                // By these it knows which row versions a change wrote; a grant of all columns holds for them too.
                needs.formUnion(GrantableTable.systemColumns.map { Need(.select, table.schema, table.name, $0) })
            }
            // Where a statement names no column, as count(*) or a lock, any will do.
            for need in own where need.privilege.hasColumns && need.column == nil {
                needs.remove(need)
                let isMet = needs.contains {
                    $0.privilege == need.privilege && $0.schema == need.schema && $0.name == need.name
                }
                guard !isMet, let first = table.columns.first else { continue }
                needs.insert(Need(need.privilege, need.schema, need.name, first.name))
            }
        }
        for schema in Set(needs.map(\.schema)) { needs.insert(Need(.usage, schema, "")) }
    }

    private static func beyondTheOneBefore(_ needs: [OperatorRole: Set<Need>]) -> [OperatorRole: Set<Need>] {
        var before: Set<Need> = []
        var own: [OperatorRole: Set<Need>] = [:]
        for role in OperatorRole.allCases {
            own[role] = (needs[role] ?? []).subtracting(before)
            before.formUnion(needs[role] ?? [])
        }
        return own
    }
}

extension App {
    /// A statement, and the least role that has to be able to run it.
    struct Use {
        let role: OperatorRole
        let subject: String
        let sql: String
    }

    /// Everything the app file has run, and by whom.
    func uses(_ types: KeyTypes) -> [Use] {
        var uses: [Use] = []
        func add(_ role: OperatorRole, _ subject: String, _ probes: [Probe]) {
            uses += probes.filter { !$0.place.isOfNothing }.map { Use(role: role, subject: subject, sql: $0.query.sql) }
        }
        add(.support, "reading", directoryProbes + inquiryProbes(types))
        for action in actions {
            add(action.role, "\(action.noun) \(action.verb)", actionProbes(action, types))
        }
        for state in states { add(.engineer, "state \(state.name)", stateProbes(state, types)) }
        for settings in settings {
            let subject = "settings \(settings.name)"
            add(.admin, subject, settingsProbes(settings))
            let columns = settings.columns.map { Composer.quoted($0.name) }
            let all = ([Composer.quoted(settings.key)] + columns).joined(separator: ", ")
            let changes = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
            uses.append(Use(role: .support, subject: subject, sql: "select \(all) from \(settings.table)"))
            if columns.isEmpty { continue }
            uses.append(Use(role: .admin, subject: subject, sql: "update \(settings.table) set \(changes)"))
        }
        return uses
    }
}
