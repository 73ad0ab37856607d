internal import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// What an account hangs on: a unique column of a table, and its values for the users in question.
package struct AccountRoot: Sendable {
    let schema: String
    let name: String
    package let column: String
    let oid: UInt32
    let type: String
    let equals: String
    /// The table with its schema.
    package var table: String { "\(schema).\(name)" }
    /// The values as texts of the column's type.
    package internal(set) var values: [String] = [] {
        didSet { list = BoundValue(values, of: type) }
    }
    /// All of them as they are bound.
    private(set) var list: BoundValue = "{}"

    /// The column as others refer to it.
    var key: KeyColumns { KeyColumns(table: oid, expressions: [cell(column)], types: [type], equals: [equals]) }
}

extension AccountRoot {
    /// How a command names the root: `TABLE[.COLUMN]`, with or without a schema, quoted as in SQL.
    package struct Name: Sendable, Hashable {
        package let text: String
        private let parts: [String]

        /// Reads `TABLE`, `SCHEMA.TABLE`, `TABLE.COLUMN` or `SCHEMA.TABLE.COLUMN`.
        package init(_ text: String) throws(Failure) {
            guard let parts = SQLName.parts(ofPath: text), (1...3).contains(parts.count) else {
                throw Failure(AccountRefusal.noRootName(text))
            }
            self.text = text
            self.parts = parts
        }

        /// The table whose name comes nearest: another in nothing but its capitals, as a shell leaves it, or misspelt.
        private func nearestTable(among tables: [Table]) -> String? {
            let tables = tables.sorted { $0.path < $1.path }
            let written = parts.joined(separator: ".").lowercased()
            let alike = tables.first { table in
                [table.name, table.qualifiedName].contains { $0.lowercased() == written }
            }
            if let alike { return alike.path }
            let names = tables.flatMap { [$0.name, $0.qualifiedName] }
            guard let near = nearest(to: written, among: names) else { return nil }
            return tables.first { [$0.name, $0.qualifiedName].contains(near) }?.path
        }

        /// A table as it can be named.
        fileprivate struct Table {
            let oid: UInt32
            let schema: String
            let name: String
            var qualifiedName: String { "\(schema).\(name)" }
            var path: String { SQLName.path(of: [schema, name]) }

            init(_ row: Row) throws(DecodingFailure) {
                oid = try row.identifier("oid")
                (schema, name) = (try row.text("schema"), try row.text("name"))
            }
        }

        /// Asks for all tables by name, and for the columns of those that it may mean.
        fileprivate var queries: [Query] {
            [
                Query(file: "catalog/root_tables.sql"),
                Query(file: "catalog/root_columns.sql", [arrayLiteral(parts)]),
            ]
        }

        /// The table, and the column when one is named.
        fileprivate func find(among tables: [Table]) throws(Failure) -> (table: Table, column: String?) {
            var found: [(Table, String?)] = []
            for table in tables {
                switch parts.count {
                case 3 where [table.schema, table.name] == Array(parts.prefix(2)): found.append((table, parts[2]))
                case 2 where [table.schema, table.name] == parts: found.append((table, nil))
                case 1 where [table.name] == parts: found.append((table, nil))
                default: continue
                }
            }
            if found.isEmpty, parts.count == 2 {
                found = tables.filter { $0.name == parts[0] }.map { ($0, parts[1]) }
            }
            guard let first = found.first else {
                throw Failure(AccountRefusal.noTable(text, near: nearestTable(among: tables)))
            }
            guard found.count == 1 else {
                throw Failure(AccountRefusal.severalTables(text, found.map(\.0.path).sorted()))
            }
            return first
        }
    }
}

extension AccountRoot {
    /// Finds it in the catalog.
    package static func find(
        _ name: Name, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AccountRoot {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        return try find(name) { queries throws(Failure) in try transaction.ask(queries) }
    }

    static func find(_ name: Name, asking ask: Ask) throws(Failure) -> AccountRoot {
        let answers = try ask(name.queries)
        let tables = try decoding(
            try answers[0].rows.map { row throws(DecodingFailure) in try Name.Table(row) })
        let (table, column) = try name.find(among: tables)
        return try AccountRoot(table, column: column, answers[1])
    }

    /// A column that could be the root, and the operator that compares its values.
    private struct Column {
        let table: UInt32
        let name: String
        let type: String
        let equals: String
        let isUnique: Bool
        let isPrimary: Bool

        init(_ row: Row) throws(DecodingFailure) {
            table = try row.identifier("table")
            name = try row.text("name")
            type = try row.text("type")
            equals = try row.text("equals")
            isUnique = try row.boolean("unique")
            isPrimary = try row.boolean("primary")
        }
    }

    /// The root in a table, by the column that was named or else its primary key.
    private init(_ table: Name.Table, column: String?, _ answer: Rows) throws(Failure) {
        let columns = try decoding(try answer.rows.map { row throws(DecodingFailure) in try Column(row) })
            .filter { $0.table == table.oid }
        let unique = columns.filter(\.isUnique)
        if let column, !columns.contains(where: { $0.name == column }) {
            throw Failure(AccountRefusal.noColumn(table: table.qualifiedName, column))
        }
        guard let chosen = unique.first(where: { column == nil ? $0.isPrimary : $0.name == column }) else {
            throw Failure(
                AccountRefusal.notUnique(
                    table: table.qualifiedName, column: column, others: unique.map(\.name)))
        }
        self.init(
            schema: table.schema, name: table.name, column: chosen.name, oid: table.oid, type: chosen.type,
            equals: chosen.equals)
    }
}

extension AccountRoot.Name {
    /// The table of users in a database that no app file describes, where there is no doubt which it is.
    ///
    /// A deletion begins there, so a second table that could be meant refuses, unless its rows hang on the first one's.
    static func guessed(by transaction: ReadTransaction) throws(Failure) -> AccountRoot.Name {
        let answers = try transaction.ask(Schema.queries + [Lexicon.query])
        let (schema, words) = try decoding { () throws(DecodingFailure) in
            (try Schema(columns: answers[0], foreignKeys: answers[1]), try Lexicon(answers[2]))
        }
        let candidates = AppDraft.candidates(in: schema, words).filter { $0.points >= AppDraft.telling }
        guard let best = candidates.first, let key = best.table.key.first else {
            throw Failure(AccountRefusal.noGuess)
        }
        let dependent = schema.tables(dependingOn: best.table.qualifiedName)
        let rivals = candidates.filter { $0.table != best.table && !dependent.contains($0.table.qualifiedName) }
        guard rivals.isEmpty else {
            throw Failure(AccountRefusal.severalGuesses(([best] + rivals).map(\.table.sql)))
        }
        return try AccountRoot.Name("\(best.table.sql).\(key.sql)")
    }
}

extension Schema {
    /// The tables whose rows refer to those of a table, themselves or through others.
    fileprivate func tables(dependingOn root: String) -> Set<String> {
        var found: Set<String> = [root]
        var isGrowing = true
        while isGrowing {
            let next = references.filter { found.contains($0.referenced) }.map(\.table)
            isGrowing = !found.isSuperset(of: next)
            found.formUnion(next)
        }
        return found
    }
}
