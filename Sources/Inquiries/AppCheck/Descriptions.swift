internal import AppFile
internal import Catalog
internal import PQ

/// What Postgres says of statements without running them: each is asked about once, and many together.
final class Descriptions {
    private let transaction: ReadTransaction
    private var known: [String: Result<Description, ServerError>] = [:]
    /// Which tables there are, of those that were looked for.
    private var tables: [TableName: Bool] = [:]
    /// Whether denials can be found out, of statements that may be right and of those known to be wrong.
    private var mayTry: [Bool: Result<Rows, ServerError>] = [:]

    init(_ transaction: ReadTransaction) { self.transaction = transaction }

    /// The same as `describe`, and nothing is sent that the role lacks the rights to have parsed, or that names a table which is
    /// not there.
    func of(_ statements: [String]) throws(PQError) -> [Result<Description, ServerError>] {
        var seen: Set<String> = []
        let new = statements.filter { known[$0] == nil && seen.insert($0).inserted }
        if !new.isEmpty {
            for (statement, description) in zip(new, try describe(new)) { known[statement] = description }
        }
        return statements.compactMap { known[$0] }
    }

    private func describe(_ statements: [String]) throws(PQError) -> [Result<Description, ServerError>] {
        let absences = try absences(in: statements)
        let denials = try denials(among: statements, areWrong: !absences.isEmpty)
        var failures = denials.ofParsing
        for (place, position) in absences {
            guard let error = denials.ofTables[place] else { continue }
            failures[place] = ServerError(state: error.state, message: error.message, position: position)
        }
        let sent = statements.indices.filter { failures[$0] == nil }
        var described = try transaction.describe(sent.map { statements[$0] })[...]
        return statements.indices.map { place in
            failures[place].map { .failure($0) } ?? described.removeFirst()
        }
    }

    /// What the role may not do of some statements.
    func denials(among statements: [String], areWrong: Bool = false) throws(PQError) -> Denials {
        try Denials(of: statements, areWrong: areWrong) { steps throws(PQError) in
            if steps.count == 1, let answer = mayTry[areWrong] { return answer }
            let answer = try transaction.read(
                Array(steps.suffix(1)), isLast: false, preparing: Array(steps.dropLast()))[0]
            if steps.count == 1 { mayTry[areWrong] = answer }
            return answer
        }
    }

    /// Where statements name a table that is not there, as the character of the first such name by the place of the statement.
    private func absences(in statements: [String]) throws(PQError) -> [Int: Int] {
        let mentions = statements.map(RelationMention.all)
        let names = Set(mentions.joined().map(\.table)).filter { tables[$0] == nil }
        if !names.isEmpty { try look(for: Array(names)) }
        var absences: [Int: Int] = [:]
        for (place, mentions) in mentions.enumerated() {
            absences[place] = mentions.first { tables[$0.table] != true }?.position
        }
        return absences
    }

    private func look(for names: [TableName]) throws(PQError) {
        let (schemas, tables) = (arrayLiteral(names.map(\.schema)), arrayLiteral(names.map(\.name)))
        let rows = try transaction.read(
            """
            select n.nspname as schema, c.relname as name
              from unnest(\(schemas)::text[], \(tables)::text[]) as w (schema, name)
              join pg_namespace n on n.nspname = w.schema
              join pg_class c on c.relnamespace = n.oid and c.relname = w.name
            """)
        for name in names { self.tables[name] = false }
        do throws(DecodingFailure) {
            for row in rows.rows {
                self.tables[TableName(schema: try row.text("schema"), name: try row.text("name"))] = true
            }
        } catch {
            throw .decoding(error)
        }
    }
}
