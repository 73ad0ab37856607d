internal import AppFile
internal import Catalog
internal import PQ

/// Checks the rights that statements need; Postgres finds these rights when it stores the statements in functions.
///
/// The check reports blocks that read secrets, blocks that write although they should only show data, and rights that
/// the role lacks.
struct NeedCheck {
    private(set) var findings: [Diagnostic] = []
    /// The sentence that Postgres could not store any statement, with the reason; nil if it could.
    private(set) var unchecked: String?
    private let app: App

    /// Stores the statements that Postgres has described, and rolls the transaction back.
    init(
        _ app: App, _ described: [AppCheck.Described], on connection: Connection, timeout: Double
    ) throws(PQError) {
        self.app = app
        defer { try? connection.rollbackIfOpen() }
        let reader = try NeedReader(on: connection, timeout: timeout)
        let session = try reader.read(Self.session)
        let role = try session.only().text("role")
        unchecked = try session.only().optionalText("obstacle").map {
            "usher didn't check rights, secrets and writes: \($0)"
        }
        if unchecked != nil { return }
        var needs: [(probe: Probe, needs: Set<Need>)] = []
        let statements = described.map { (sql: $0.probe.query.sql, description: $0.answer) }
        for (probe, answer) in zip(described.map(\.probe), try reader.needs(of: statements)) {
            switch answer {
            case .success(let found): needs.append((probe, found))
            case .failure(let error): findings.append(Diagnostic(error, at: probe.place))
            }
        }
        let read = needs.filter { !$0.probe.isChange && !isUnread($0.probe, among: needs.map(\.probe)) }
        for (probe, needs) in read where needs.contains(where: \.privilege.isWrite) {
            findings.append(
                Diagnostic(
                    "this SQL writes or locks rows, which only the SQL of a @do can do", at: probe.place,
                    hint: "move the statement to the @do of an @action"))
        }
        let secrets = Set((app.account?.secrets ?? []).map(\.names).filter { $0.count == 3 })
        let named = try secretNames(in: Set(read.flatMap(\.needs).compactMap(\.columnPath)), reader)
            .filter { !secrets.contains($0) }
        for (probe, needs) in read {
            for path in Set(needs.compactMap(\.columnPath)).sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                if secrets.contains(path) {
                    findings.append(
                        Diagnostic(
                            "this SQL reads \(SQLName.path(of: path)), which is a @secret, so operators can't run it",
                            at: probe.place,
                            hint:
                                "instead, read a view or a generated column that contains only the needed information"))
                } else if named.contains(path) {
                    let name = SQLName.path(of: path)
                    findings.append(
                        Diagnostic(
                            "this SQL reads \(name), which looks like a secret, but the app file doesn't declare the column",
                            at: probe.place,
                            hint: "declare the column in @account: `-- @secret \(name)`, or `-- @ignore \(name) : WHY`",
                            severity: .warning))
                }
            }
        }
        try reportDenied(read, secrets, role, reader)
    }

    /// The query for the connected role, and for the reason why the role can't create functions.
    private static let session: Query = """
        select current_user::text as role,
               case when current_setting('transaction_read_only')::boolean then 'the session is read-only'
                    when not has_database_privilege(current_database(), 'temporary')
                    then 'your role lacks TEMPORARY on this database'
               end as obstacle
        """

    /// True if only changes use the definition that a probe checks; changes run as the database owner.
    private func isUnread(_ probe: Probe, among probes: [Probe]) -> Bool {
        guard let definition = probe.defined, app.definitions.contains(where: { $0.select == definition }) else {
            return false
        }
        return !probes.contains {
            !$0.isChange && $0.place != definition.place && $0.query.includes(definition)
        }
    }

    /// The columns whose names suggest secrets, except columns that an `@ignore` matches.
    private func secretNames(in columns: Set<[String]>, _ reader: NeedReader) throws(PQError) -> [[String]] {
        let tables = Set(columns.map { Array($0.dropLast()) })
        let answer = try reader.read(Lexicon.query)
        let words = try Lexicon(answer)
        let rows = try reader.read(words.secretColumns(of: tables.map { ($0[0], $0[1]) }))
        let ignored = app.account?.ignored ?? []
        return try rows.rows.map { row throws(PQError) in
            [try row.text("schema"), try row.text("name"), try row.text("column")]
        }.filter { path in columns.contains(path) && !ignored.contains { $0.covers(path) } }
    }

    /// Reports the tables and columns that the connected role can't read.
    private mutating func reportDenied(
        _ read: [(probe: Probe, needs: Set<Need>)], _ secrets: Set<[String]>, _ role: String, _ reader: NeedReader
    ) throws(PQError) {
        // A statement without a column, such as count(*), needs the right to read any one column.
        let all = Set(read.flatMap(\.needs)).filter { need in
            !need.privilege.isWrite && (need.column != nil || !need.privilege.hasColumns)
                && !(need.columnPath.map(secrets.contains) ?? false)
        }
        let missing = try reader.missing(all, of: role)
        for (probe, needs) in read {
            findings += needs.intersection(missing).map {
                Diagnostic(
                    ofRole: "your role lacks \($0.privilege.rawValue.uppercased()) on \($0.path)", at: probe.place)
            }
        }
    }
}

extension Need {
    /// The path of the column that a statement reads; nil for any other need.
    fileprivate var columnPath: [String]? {
        privilege == .select ? column.map { [schema, name, $0] } : nil
    }
}
