internal import AppFile
internal import Catalog
package import PQ

/// Finds the rights that statements need: Postgres stores each statement in a function, and usher rolls the functions
/// back.
///
/// Postgres parses the statements without running them, so the reader needs no rights on the tables.
package struct NeedReader {
    private let connection: Connection
    private let timeout: Double

    /// Begins the transaction that is rolled back later; if a role is given, the transaction has the rights of this
    /// role.
    package init(on connection: Connection, timeout: Double, as role: String? = nil) throws(PQError) {
        self.connection = connection
        self.timeout = timeout
        var steps: [Query] = [
            "begin", "set local search_path = pg_catalog, pg_temp", "set local jit = off", Self.fastCompression,
        ]
        if let role { steps.append("set local role \(Identifier(role))") }
        for step in steps + ["savepoint step"] { _ = try connection.execute(step) }
    }

    /// Selects a fast compression for the stored statements; with pglz, compressing takes nearly half of the check's time.
    private static let fastCompression: Query = """
        select set_config(name, 'lz4', true)
          from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)
        """

    package func describe(_ statements: [String]) throws(PQError) -> [Result<Description, ServerError>] {
        try connection.describe(statements, after: "rollback to savepoint step", timeout: timeout * 3)
    }

    package func read(_ query: Query) throws(PQError) -> Rows {
        let answers = try connection.pipeline([["rollback to savepoint step", query]], timeout: timeout)
        do throws(ServerError) { return try answers[0][1].get() } catch { throw .server(error) }
    }

    /// The rights that each statement needs; an error for a statement that Postgres can't store.
    package func needs(of statements: [String]) throws(PQError) -> [Result<Set<Need>, ServerError>] {
        let described = try describe(statements)
        let right = zip(statements, described).compactMap { statement, description in
            (try? description.get()).map { (statement, $0) }
        }
        var needs = try self.needs(of: right)[...]
        return described.map { description in
            if case .failure(let error) = description { .failure(error) } else { needs.removeFirst() }
        }
    }

    /// The rights that each statement needs, for statements that Postgres has described.
    package func needs(
        of described: [(sql: String, description: Description)]
    ) throws(PQError) -> [Result<Set<Need>, ServerError>] {
        let types = Set(described.flatMap { $0.description.parameters.map(\.rawValue) })
        let names = try TypeNames.of(Array(types), asking: read)
        return try needs(
            of: described.map { ($0.sql, $0.description.parameters.map { names[$0.rawValue] ?? "text" }) },
            areDescribed: true)
    }

    /// The rights that each statement needs, for statements with known parameter types.
    ///
    /// Postgres has rewritten a described statement without an error, so it needn't do so again.
    package func needs(
        of statements: [(sql: String, parameters: [String])], areDescribed: Bool = false
    ) throws(PQError) -> [Result<Set<Need>, ServerError>] {
        guard !statements.isEmpty else { return [] }
        let definitions = statements.map { statement in
            """
            (\(statement.parameters.joined(separator: ", "))) returns void
            language sql begin atomic
            \(statement.sql)
            ;
            end
            """
        }
        // The stored functions remain until one query has read the rights of all of them. If Postgres can't store a
        // statement, usher returns to the savepoint before that statement. Equal statements have one function.
        let (stored, places) = definitions.distinct
        let batches = stored.enumerated().map { place, definition -> [Query] in
            let function = Query(unsafe: "create function pg_temp.usher_probe_\(place)" + definition)
            return ["rollback to savepoint stored", function, "savepoint stored"]
        }
        let question: [Query] = [
            "rollback to savepoint stored", Query(file: "catalog/required_privileges.sql"),
            "rollback to savepoint step",
        ]
        let checking = Query(unsafe: "set local check_function_bodies = \(areDescribed ? "off" : "on")")
        let first: [Query] = ["rollback to savepoint step", checking, "savepoint stored"]
        let outcomes = try connection.pipeline([first] + batches + [question], timeout: timeout * 3)
        let needs = try Self.needs(outcomes[outcomes.count - 1][1])
        return places.map { place in
            switch (outcomes[place + 1][1], needs) {
            case (.failure(let error), _), (_, .failure(let error)): .failure(error)
            case (.success, .success(let needs)): .success(needs[place] ?? [])
            }
        }
    }

    /// The needed rights that a role lacks.
    package func missing(_ needs: Set<Need>, of role: String) throws(PQError) -> Set<Need> {
        let needs = Array(needs)
        let rows = try read(Need.granted(needs.map { (role, $0) }))
        var missing: Set<Need> = []
        for (need, row) in zip(needs, rows.rows) where try row.optionalBoolean("granted") == false {
            missing.insert(need)
        }
        return missing
    }

    /// The rights that each statement needs, by the number of the statement.
    private static func needs(
        _ answer: Result<Rows, ServerError>
    ) throws(PQError) -> Result<[Int: Set<Need>], ServerError> {
        guard case .success(let rows) = answer else { return answer.map { _ in [:] } }
        var needs: [Int: Set<Need>] = [:]
        for row in rows.rows {
            if let need = try Need(row) { needs[try row.integer("statement"), default: []].insert(need) }
        }
        return .success(needs)
    }
}

/// A right that a role needs, on a single column if possible.
package struct Need: Sendable, Hashable {
    package enum Privilege: String, Sendable, CaseIterable {
        case usage, execute, select, insert, update, delete, truncate

        package var isWrite: Bool { [.insert, .update, .delete, .truncate].contains(self) }
        package var hasColumns: Bool { [.select, .insert, .update].contains(self) }
    }

    package let privilege: Privilege
    package let schema: String
    /// The name of the table, or of the function with its arguments; empty for a schema.
    package let name: String
    /// The column; nil for the whole table, and for a statement that uses the table without naming a column.
    package var column: String?

    package init(_ privilege: Privilege, _ schema: String, _ name: String, _ column: String? = nil) {
        self.privilege = privilege
        self.schema = schema
        self.name = name
        self.column = column
    }

    /// The query that tests if each role has the right that it needs; the result has one row for each pair.
    package static func granted(_ wanted: [(role: String, need: Need)]) -> Query {
        Query(
            file: "catalog/granted_privileges.sql",
            [
                arrayLiteral(wanted.map(\.role)), arrayLiteral(wanted.map(\.need.privilege.rawValue)),
                arrayLiteral(wanted.map(\.need.schema)), arrayLiteral(wanted.map(\.need.name)),
                arrayLiteral(wanted.map { $0.need.column ?? "" }),
            ])
    }

    /// The object that the right applies to.
    package var subject: String { name.isEmpty ? "schema \(schema)" : "\(schema).\(name)" }

    /// The path of the object as SQL; for a function, with its arguments in brackets.
    package var path: String {
        if name.isEmpty { return "schema \(SQLName.path(of: [schema]))" }
        guard privilege == .execute, let bracket = name.firstIndex(of: "(") else {
            return SQLName.path(of: [schema, name])
        }
        return SQLName.path(of: [schema, String(name[..<bracket])]) + name[bracket...]
    }

    init?(_ row: Row) throws(PQError) {
        guard let privilege = Privilege(rawValue: try row.text("privilege")) else { return nil }
        self.init(
            privilege, try row.text("schema"), try row.optionalText("name") ?? "", try row.optionalText("column"))
    }
}
