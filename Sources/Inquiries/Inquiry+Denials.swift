internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The missing rights of a role, read from the catalog, since a refusal would leave an error in the server's log.
extension Inquiry {
    /// The error of Postgres for a statement with a table that the role can't read at all; nil if it can.
    ///
    /// To parse a statement, a role only needs the right to use the schemas.
    func denial(of sql: String, toParse: Bool = false) -> ServerError? {
        guard relations.areClosed else { return nil }
        for mention in RelationMention.all(in: sql) {
            guard let relation = relations[mention.table.relationName], relation.exists,
                !(toParse ? relation.isReachable : relation.isReadable)
            else {
                continue
            }
            return .denied(relation.name)
        }
        return nil
    }

    /// The error of Postgres for columns that the role can't read; nil if it can read all of them.
    func denial(ofColumns columns: [String], in table: TableName) throws(Failure) -> ServerError? {
        let names = columns.map { RelationName(schema: table.schema, name: table.name, column: $0) }
        let answer = try ask([NamedTables.query(about: names)])
        let relations = try decoding { () throws(DecodingFailure) in try Relations(names, answer) }
        return names.contains(where: relations.hides) ? .denied(table.name) : nil
    }

    /// Sends what the role may ask, and answers the rest itself; one answer a question, in order.
    func answers(
        to statements: [String], by send: ([Int]) throws(PQError) -> [Result<Rows, ServerError>]
    ) throws(PQError) -> [Result<Rows, ServerError>] {
        let denials = statements.map { denial(of: $0) }
        var sent = try send(denials.indices.filter { denials[$0] == nil })[...]
        return denials.map { $0.map { .failure($0) } ?? sent.removeFirst() }
    }
}
