internal import Catalog
internal import EmbeddedSQL
internal import PQ

/// A column that refers to rows of a table by its name, or by a column beside it, and no foreign key says so.
///
/// Whatever it refers to may go and leave it behind, referring to nothing.
struct LooseReference: Hashable {
    let child: UInt32
    let column: String
    let isFillable: Bool
    /// What is compared with the keys of the other table.
    let own: AccountLink.Column
    let key: KeyColumns
    /// The condition under which a row `t` refers to that table and not to another.
    let only: String?

    /// How a column is compared with the key of a table; nil where the two have nothing in common.
    private init?(_ column: Column, to table: Graph.Table, only: String?) {
        guard table.key.count == 1, let key = table.key.first else { return nil }
        let equals = "operator(pg_catalog.=)"
        let isText = column.isTextual
        guard isText || key.type == column.type || Self.numbers.isSuperset(of: [key.type, column.type]) else {
            return nil
        }
        let expression = cell(key.name)
        (child, self.column, isFillable, self.only) = (column.table, column.name, column.isFillable, only)
        own = .init(expression: isText ? "\(cell(column.name))::pg_catalog.text" : cell(column.name), equals: equals)
        self.key = KeyColumns(
            table: table.oid, expressions: [isText ? "\(expression)::pg_catalog.text" : expression],
            types: [isText ? "text" : key.type], equals: [equals])
    }

    private static let numbers: Set = ["smallint", "integer", "bigint", "numeric"]
}

// MARK: Finding them

extension LooseReference {
    /// Asks which columns of tables that hold something may be some.
    static func query(_ graph: Graph) -> Query {
        let tables = graph.tables.values.filter {
            $0.partitionOf == nil && !$0.isEmpty && !$0.isCopy && !$0.asksElsewhere
        }
        return Query(
            EmbeddedSQL.text(of: "catalog/loose_references.sql"),
            [arrayLiteral(tables.map(\.oid).sorted().map(String.init))])
    }

    /// Those that an answer to `query` and the names of tables come to.
    static func all(_ answer: Rows, of map: AccountMap) throws(DecodingFailure) -> [LooseReference] {
        let tables = map.graph.tables.values.filter { table in
            table.partitionOf == nil && !table.isElsewhere && !table.isEmpty && table.key.count == 1
        }.sorted { $0.oid < $1.oid }
        let names = Dictionary(grouping: tables) { Names.thing(ofTable: $0.name) }
        let lastNames = Dictionary(grouping: tables) { Names.last(ofTable: $0.name) }
        let spellings = Spellings(of: answer.rows.isEmpty ? [] : tables)
        var found: [LooseReference] = []
        for row in answer.rows {
            let column = try Column(row)
            guard try row.boolean("readable"), map.kept[column.table] == nil,
                !map.declares(column.name, of: column.table), map.name(column.table) != AccountMap.fileTable
            else { continue }
            if let type = try TypeName(row, map.graph) {
                // The users themselves are looked for as such where a text says what is meant.
                let others = tables.filter { type.isListed || $0.oid != map.root.oid }
                found += others.compactMap { LooseReference(column, to: $0, only: type.means($0, spellings)) }
            } else {
                let stem = Names.stem(of: column.name)
                let meant = names[stem] ?? lastNames[stem] ?? []
                let near = meant.filter { $0.schema == map.graph.tables[column.table]?.schema }
                let table = near.count == 1 ? near.first : meant.count == 1 ? meant.first : nil
                guard let table, table.oid != map.root.oid, table.oid != column.table else { continue }
                found += [LooseReference(column, to: table, only: nil)].compactMap { $0 }
            }
        }
        return found
    }

    private struct Column {
        let table: UInt32
        let name: String
        let type: String
        let isTextual: Bool
        let isFillable: Bool

        init(_ row: Row) throws(DecodingFailure) {
            (table, name) = (try row.identifier("table"), try row.text("column"))
            (type, isTextual) = (try row.text("type"), try row.boolean("textual"))
            isFillable = try row.boolean("fillable")
        }
    }

    /// What says beside a reference which table it is to: a text, or a row of a list of tables.
    private struct TypeName {
        private let column: String
        private let list: (table: Graph.Table, key: String, texts: [String])?

        /// Whether the tables are listed in a table of their own.
        var isListed: Bool { list != nil }

        init?(_ row: Row, _ graph: Graph) throws(DecodingFailure) {
            guard let column = try row.optionalText("type_column") else { return nil }
            self.column = cell(column)
            guard let key = try row.optionalText("type_key") else {
                list = nil
                return
            }
            let texts = try row.texts("type_texts")
            guard let table = graph.tables[try row.identifier("type_table")], !texts.isEmpty else { return nil }
            list = (table, key, texts)
        }

        /// The condition under which it means a table: `Post` and `Blog::Post` are of `posts`, but where there is a
        /// table of `blog_posts`, the second is of those.
        func means(_ table: Graph.Table, _ spellings: Spellings) -> String {
            let names = spellings.own[table.oid] ?? []
            guard !names.isEmpty else { return "false" }
            func squeezed(_ text: String, without: String) -> String {
                "pg_catalog.lower(pg_catalog.regexp_replace(\(text), '\(without)', '', 'g'))"
            }
            guard let list else {
                let text = "\(column)::pg_catalog.text"
                let whole = squeezed(text, without: "[^[:alnum:]]")
                let last = squeezed(text, without: "^.*[^[:alnum:]_]|_")
                let longer = spellings.longer(than: table.oid)
                let own = names.joined(separator: ",")
                return """
                    (\(whole) = any ('{\(own)}') or \(last) = any ('{\(own)}') \
                    and \(whole) <> all ('{\(longer.joined(separator: ","))}'))
                    """
            }
            let texts = list.texts.map { "l.\(Identifier($0).quoted)::pg_catalog.text" }.joined(separator: ", ")
            let label = squeezed("pg_catalog.concat_ws('_', \(texts))", without: "[^[:alnum:]]")
            let endings = names.map { "%\($0)" }.joined(separator: ",")
            return """
                (\(column) in (select l.\(Identifier(list.key).quoted) from \(list.table.sql) l \
                where \(label) like any ('{\(endings)}')))
                """
        }
    }

    /// What rows of tables are called, and the tables themselves, in letters and digits alone.
    private struct Spellings {
        let own: [UInt32: [String]]
        /// All of them, by their last letters.
        private let byEnding: [Substring: [String]]

        init(of tables: [Graph.Table]) {
            own = Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let names = Set([Names.thing(ofTable: table.name), table.name.lowercased()])
                    let squeezed = names.map { $0.split(separator: "_").joined() }
                    return (table.oid, squeezed.filter { !$0.isEmpty && $0.allSatisfy(\.isPlain) }.sorted())
                })
            byEnding = Dictionary(grouping: own.values.joined(), by: { $0.suffix(3) })
        }

        /// The names of other tables that end like those of this one.
        func longer(than table: UInt32) -> [String] {
            let names = own[table] ?? []
            let alike = Set(names.map { $0.suffix(3) }).flatMap { byEnding[$0] ?? [] }
            return alike.filter { longer in names.contains { longer != $0 && longer.hasSuffix($0) } }.sorted()
        }
    }
}

extension Character {
    /// Whether it means nothing but itself in a pattern or a list.
    fileprivate var isPlain: Bool { isASCII && (isLetter || isNumber) }
}

// MARK: Following them

extension AccountMap {
    /// The same map with loose references as ways that lead to rows of the account, as the operator answered.
    func following(_ references: [(reference: LooseReference, answer: SuspectAnswer)]) -> AccountMap {
        var map = self
        for (reference, answer) in references {
            let name = "\(name(reference.child)).\(reference.column)"
            // Deleting one account never means deleting another that merely mentions it.
            let isDeleted = answer == .delete && !userTables.contains(reference.child)
            let detached: AccountLink.Effect =
                reference.isFillable
                ? .detach([reference.column], toDefault: false)
                : .block("\(name) must not be empty: --suspected \(name)=ANSWER with delete or keep")
            map.add(
                AccountLink(
                    id: map.links.count, child: reference.child, key: reference.key, columns: [reference.own],
                    source: .suspected(name), effect: isDeleted ? .delete : detached, loose: reference))
        }
        return map
    }
}

extension AccountClosure {
    /// The columns that refer to rows which go without a foreign key, in rows that stay.
    func looseSuspects(asking ask: Ask) throws(Failure) -> [Suspect] {
        var questions: [(table: Graph.Table, references: [LooseReference], query: Query)] = []
        for (child, all) in Dictionary(grouping: map.loose, by: \.child).sorted(by: { $0.key < $1.key }) {
            guard let table = map.graph.tables[child] else { continue }
            var bindings = Bindings()
            var (references, tests): ([LooseReference], [String]) = ([], [])
            for reference in all {
                guard let test = reference.condition(keys, &bindings) else { continue }
                references.append(reference)
                tests.append(test)
            }
            guard !tests.isEmpty else { continue }
            let counts = tests.map { "pg_catalog.count(*) filter (where \($0))" }
            var condition = "(\(tests.joined(separator: " or ")))"
            if let deleted = self.condition(of: child, &bindings) { condition += " and (\(deleted)) is not true" }
            let sql = "select \(counts.joined(separator: ", ")) from \(table.ownRows) t where \(condition)"
            questions.append((table, references, Query(sql, bindings.values)))
        }
        var found: [Suspect] = []
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let counts = (answer.first?.values ?? []).map { $0.text.flatMap { Int($0) } ?? 0 }
            let hits = zip(question.references, counts).filter { $0.1 > 0 }
            for (column, hits) in Dictionary(grouping: hits, by: \.0.column) {
                found.append(
                    Suspect(
                        table: question.table.qualifiedName, column: column, kind: .key,
                        rows: hits.reduce(0) { $0 + $1.1 }, isWhole: true, isCopy: false, isForeign: false,
                        refersTo: hits.map { map.name($0.0.key.table) }.sorted()))
            }
        }
        return Suspect.inOrder(found)
    }

    /// Goes on over the loose references that somebody answered for, as far as they lead; gives what was found on the way.
    func following(
        _ answers: SuspectAnswers, known: [Suspect]?, asking ask: Ask
    ) throws(Failure) -> (closure: AccountClosure, suspects: [Suspect], isFurther: Bool) {
        var (closure, followed): (AccountClosure, [Suspect]) = (self, [])
        while true {
            let found: [Suspect]
            if let known { found = known } else { found = try closure.looseSuspects(asking: ask) }
            let names = Set(followed.map(\.name))
            let next = found.filter { suspect in
                !names.contains(suspect.name) && (answers[suspect.table, suspect.column] ?? .keep) != .keep
            }
            guard !next.isEmpty else {
                return (closure, followed + found.filter { !names.contains($0.name) }, !followed.isEmpty)
            }
            let nextNames = Set(next.map(\.name))
            let references = closure.map.loose.compactMap { reference in
                let table = closure.map.name(reference.child)
                return nextNames.contains("\(table).\(reference.column)")
                    ? answers[table, reference.column].map { (reference: reference, answer: $0) } : nil
            }
            followed += next
            closure = try AccountClosure(closure.map.following(references), answer: answer, asking: ask)
        }
    }
}

extension LooseReference {
    /// The condition under which a row `t` refers to one of the values; nil when there are none.
    fileprivate func condition(_ keys: [KeyColumns: [String]], _ bindings: inout Bindings) -> String? {
        guard let arrays = keys[key] else { return nil }
        let refers = match([own], bindings.bind(arrays, of: key))
        return only.map { "(\(refers) and \($0))" } ?? refers
    }
}
