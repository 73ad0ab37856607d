internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension Residue {
    /// What is known of the users of a database that is searched for a text: which columns mean them, and how they are written.
    struct KnownUsers {
        /// Where their addresses stand, as far as somebody knows.
        private var directory: UserAddresses?
        private(set) var speech = Spellings.Speech()
        /// What an app file says of columns, and the tables of which it says that all rows stay.
        private let lines: AccountLines
        private let kept: Set<UInt32>
        /// The condition under which a column means users, where each line about it has one.
        private var conditions: [Reading.Key: String] = [:]
        /// Whether columns mean users, or rows of other tables, by their keys and their names.
        private var meaning: [Reading.Key: Bool] = [:]
        private let graph: Graph

        /// Finds them by where accounts begin; where nobody knows that, tables of people are theirs.
        init(_ start: AccountStart?, in transaction: ReadTransaction) throws(Failure) {
            let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
            let account = start?.account
            let answers = try ask([Lexicon.query] + Graph.queries)
            let lexicon = try decoding { () throws(DecodingFailure) in try Lexicon(answers[0]) }
            graph = try decoding { () throws(DecodingFailure) in try Graph(tables: answers[1], references: answers[2]) }
            lines = AccountLines(account, graph)
            let whollyKept = (account?.kept ?? []).filter { $0.column == nil && $0.way.isAll }
            kept = Set(whollyKept.compactMap { [graph] in graph.table(at: $0.name)?.oid })
            let people = Set(graph.tables.values.filter { lexicon.arePeople($0.name) }.map(\.oid))
            let evidence = try ask([OpenColumn.query(in: graph, root: start?.root.oid ?? people.min() ?? 0, lexicon)])[
                0]
            let open = try decoding { () throws(DecodingFailure) in try OpenColumn.all(evidence, graph) }
            let map = start.map { AccountMap(graph, lexicon, of: $0, TableColumns(), open: open) }
            let users = map?.userTables ?? people
            speech = lexicon.speech(of: start?.root.name ?? "users", calledBy: map?.namesOfUsers ?? [])
            directory = try Self.directory(of: users, graph, lexicon, asking: ask)
            for column in open {
                let most = column.spoken.keys.map(column.points).max() ?? 0
                guard most >= Evidence.speaking else { continue }
                meaning[column.key] = column.spoken.keys.contains {
                    users.contains($0.table) && column.points(for: $0) == most
                }
            }
            for reference in graph.references {
                for column in reference.columns {
                    let key = Reading.Key(table: graph.whole(reference.table), column: column.name)
                    if meaning[key] != true { meaning[key] = users.contains(graph.whole(reference.referenced)) }
                }
            }
            if let start { meaning[Reading.Key(table: start.root.oid, column: start.root.column)] = true }
            conditions = Self.conditions(account, users, graph)
        }

        private static func conditions(
            _ account: App.Account?, _ users: Set<UInt32>, _ graph: Graph
        ) -> [Reading.Key: String] {
            let lines = (account?.references ?? []).compactMap { line in
                AccountMap.DeclaredSide.table(of: line.to, in: graph).flatMap { users.contains($0) ? line : nil }
            }
            var conditions: [Reading.Key: [String?]] = [:]
            for line in lines {
                if let column = Reading.Key(line.from, graph) { conditions[column, default: []].append(line.condition) }
            }
            return conditions.compactMapValues { all in
                let some = all.compactMap { $0.map { "(\($0))" } }
                return some.count == all.count ? "(\(some.joined(separator: " or ")))" : nil
            }
        }

        /// The condition under which a column means users; nil where all of its rows may.
        func condition(on column: String, of table: UInt32) -> String? {
            conditions[Reading.Key(table: graph.whole(table), column: column)]
        }

        /// What else the audit log calls a user by a text whose row is not there any more: keys and emails, as far as it still knows them
        /// and this role may read it.
        static func names(
            of text: String, _ start: AccountStart?, in transaction: ReadTransaction
        ) throws(Failure) -> [String] {
            guard let root = start?.root else { return [] }
            func look(_ query: Query) throws(Failure) -> Rows? {
                try? failing { () throws(PQError) in try transaction.read([query], isLast: false)[0] }.get()
            }
            guard let known = try look(Query(file: "catalog/known_as.sql", [text, root.schema, root.name])) else {
                return []
            }
            let names = try decoding(
                try known.rows.map { row throws(DecodingFailure) in
                    (key: try row.text("key"), email: try row.optionalText("email"))
                })
            let table = "\(Identifier(root.schema).quoted).\(Identifier(root.name).quoted)"
            let standing = Query(
                unsafe: """
                    select \(cell(root.column))::pg_catalog.text as key from \(table) t \
                    where \(cell(root.column)) \(root.equals) any ($1::\(root.type)[])
                    """, [arrayLiteral(names.map(\.key))])
            guard !names.isEmpty, let rows = try look(standing) else { return [] }
            let there = Set(try decoding(try rows.texts()))
            return names.filter { !there.contains($0.key) }.flatMap { [$0.key, $0.email].compactMap(\.self) }
        }

        /// Whether a column of a table means users; nil where nothing says what it means.
        func isMeant(by column: String, of table: UInt32) -> Bool? {
            let key = Reading.Key(table: graph.whole(table), column: column)
            if let relation = graph.tables[key.table], lines.isPlain([relation.schema, relation.name, column]) {
                return false
            }
            return meaning[key]
        }

        /// Whether policies may hide rows of a table; nil where it can belong to no account.
        func mayHide(rowsOf table: UInt32) -> Bool? { graph.tables[graph.whole(table)]?.isSecured }

        /// Whether the app file says that somebody who is named in a column stays named there.
        func staysNamed(in column: String, of table: UInt32) -> Bool {
            kept.contains(graph.whole(table)) || lines.stays(Reading.Key(table: graph.whole(table), column: column))
        }

        /// Whether a line takes the person out of a column, as far as it is certainly them who is meant.
        func isEmptied(_ column: String, of table: UInt32) -> Bool {
            lines.emptied.contains(Reading.Key(table: graph.whole(table), column: column))
        }

        /// Whether the app file says what becomes of whoever stands in a column, so that nobody else has to look.
        func isSettled(_ column: String, of table: UInt32) -> Bool {
            let key = Reading.Key(table: graph.whole(table), column: column)
            if staysNamed(in: column, of: table) || lines.names(key) { return true }
            return graph.tables[key.table].map { lines.isPlain([$0.schema, $0.name, column]) } ?? false
        }

        /// Addresses that end like this one: that of whoever is a user still is no residue of somebody else.
        ///
        /// Whoever may not read them is shown too much rather than nothing.
        func others(like addresses: [String], in transaction: ReadTransaction) throws(Failure) -> Spellings.Others {
            guard let directory else { return .unknown }
            return try directory.others(like: addresses) { queries throws(Failure) in try transaction.ask(queries) }
        }

        private static func directory(
            of users: Set<UInt32>, _ graph: Graph, _ lexicon: Lexicon, asking ask: Ask
        ) throws(Failure) -> UserAddresses? {
            do throws(Failure) {
                let rows = try ask([TableColumns.query(of: users.sorted())])[0]
                let columns = try decoding { () throws(DecodingFailure) in try TableColumns(rows) }
                return UserAddresses(in: users, graph, columns, lexicon, asFarAsReadable: true)
            } catch {
                guard error.kind == .forbidden else { throw error }
                return nil
            }
        }
    }
}
