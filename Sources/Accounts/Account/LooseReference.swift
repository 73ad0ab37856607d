internal import Asking
internal import Catalog
internal import PQ

/// A column that refers to rows of a table by its name, or by a column beside it, and no foreign key says so.
///
/// Whatever it refers to may go and leave it behind, referring to nothing.
struct LooseReference: Hashable {
    let child: UInt32
    let column: String
    let isFillable: Bool
    /// Whether it lists several.
    let isList: Bool
    /// What is compared with the keys of the other table: the column, or an element of it that is called `k`.
    let own: AccountLink.Column
    let key: KeyColumns
    /// Which rows refer to that table and not to another.
    let only: Only?
    /// Those that refer to it instead, where it is the other half of what goes.
    var half: Half?

    /// The words in the column beside it that mean the table.
    struct Only: Hashable {
        let column: String
        let words: [String]

        /// The condition under which one of them stands in a row `t`.
        func condition(_ bindings: inout Bindings) -> String {
            let list = bindings.bind(arrayLiteral(words), as: "text[]")
            return "(\(cell(column))::pg_catalog.text collate pg_catalog.\"C\") = any (\(list))"
        }
    }

    /// The column by which rows of users refer to rows that nobody else has, and what identifies those users.
    struct Half: Hashable {
        let table: String
        let column: String
        let equals: String
        let user: Graph.KeyColumn

        /// The users who refer to a row `t`: that row is called so in its own select, and goes in under another name.
        private func users(_ own: AccountLink.Column) -> String {
            let rows = "select \(cell(column)) as k0, \(cell(user.name)) as k1 from \(table) t"
            return "from (\(rows)) users where users.k0 \(equals) \(own.expression)"
        }

        /// How many of them there are.
        func count(_ own: AccountLink.Column) -> String { "(select pg_catalog.count(*) \(users(own)))" }

        /// The condition under which there are none but those whom an array names.
        func areAmong(_ array: String, _ own: AccountLink.Column) -> String {
            "not exists (select \(users(own)) and (users.k1 \(user.equals) any (\(array))) is not true)"
        }
    }

    /// How a column is compared with a key of a table; nil where the two have nothing in common.
    init?(_ column: LooseColumn, to table: Graph.Table, _ key: SingleKeys.Key, only: Only?) {
        let isText = column.isTextual || (key.isText && column.type != key.type)
        guard isText || key.type == column.type || Self.numbers.isSuperset(of: [key.type, column.type]) else {
            return nil
        }
        /// A uuid is written with dashes or without, in small letters or large ones.
        func compared(_ value: String) -> String {
            guard isText else { return value }
            let text = "(\(value)::pg_catalog.text collate pg_catalog.\"C\")"
            return [key.type, column.type].contains("uuid")
                ? "pg_catalog.lower(pg_catalog.translate(\(text), '-{}', ''))" : text
        }
        (child, self.column, isFillable, self.only) = (column.table, column.name, column.isFillable, only)
        isList = column.isList
        let equals = "operator(pg_catalog.=)"
        own = .init(expression: compared(isList ? "k" : cell(column.name)), equals: equals)
        self.key = KeyColumns(
            table: table.oid, expressions: [compared(cell(key.name))], types: [isText ? "text" : key.type],
            equals: [equals])
    }

    /// Whether a row refers by it to one row at most, of a table that is always the same.
    var isPlain: Bool { only == nil && !isList && half == nil }

    /// The condition under which what stands in a row `t`, or one of what is listed there, meets another one.
    func meets(_ condition: (AccountLink.Column) -> String) -> String {
        guard isList else { return condition(own) }
        return "exists (select from pg_catalog.unnest(\(cell(column))) as l (k) where \(condition(own)))"
    }

    private static let numbers: Set = ["smallint", "integer", "bigint", "numeric"]
}

extension LooseReference {
    /// The rows that users refer to one to one: what is known of somebody may stand there, and only there.
    static func halves(of map: AccountMap) -> [LooseReference] {
        map.graph.references.compactMap { reference in
            guard reference.columns.count == 1, !reference.columns[0].isList,
                let users = map.graph.tables[reference.table], users.partitionOf == nil,
                let other = map.graph.tables[reference.referenced], other.partitionOf == nil, users.key.count == 1
            else { return nil }
            let isOwned = map.lines.owned.contains(Reading.Key(table: users.oid, column: reference.columns[0].name))
            let isHalf = map.userTables.contains(users.oid) && (reference.isSingle || PersonNames.arePeople(other.name))
            guard isOwned || isHalf else { return nil }
            return LooseReference(to: other, by: reference, of: users)
        }
    }

    private init(to other: Graph.Table, by reference: Graph.Reference, of users: Graph.Table) {
        let (column, user) = (reference.columns[0], users.key[0])
        (child, self.column, isFillable, isList, only) = (other.oid, column.referenced, false, false, nil)
        half = Half(table: users.ownRows, column: column.name, equals: column.equals, user: user)
        own = .init(expression: cell(column.referenced), equals: column.referencedEquals)
        key = KeyColumns(
            table: users.oid, expressions: [cell(column.name), cell(user.name)],
            types: [column.referencedType, user.type], equals: [column.referencedEquals, user.equals])
    }
}

// MARK: Following them

extension AccountMap {
    /// The same map with loose references as ways that lead to rows of the account, as the operator answered.
    func following(_ references: [(reference: LooseReference, answer: SuspectAnswer)]) -> AccountMap {
        var map = self
        for (reference, answer) in references {
            let name = "\(name(reference.child)).\(reference.column)"
            let path = path(reference.child, reference.column)
            // Deleting one account never means deleting another that merely mentions it.
            // Nor does a list go with one of those that it lists.
            let isDeleted = answer == .delete && !userTables.contains(reference.child) && !reference.isList
            let detached: AccountLink.Effect =
                reference.isFillable
                ? .detach([reference.column], toDefault: false)
                : .block("\(path) must not be empty: --suspected '\(path)=ANSWER' with delete or keep")
            // What refers to the other half of somebody else is somebody else's.
            if isDeleted, reference.half != nil, userTables.contains(reference.key.table) {
                map.takeForUsers(reference.child)
            }
            map.add(
                AccountLink(
                    id: map.links.count, child: reference.child, key: reference.key, columns: [reference.own],
                    source: .suspected(name), effect: isDeleted ? .delete : detached, loose: reference))
        }
        return map
    }
}

extension AccountClosure {
    /// Columns that this role may not read, and that may refer without a foreign key to rows which go.
    var hiddenReferences: [String] {
        map.references.hidden.filter { $0.table.map { (found[$0]?.rows ?? 0) > 0 } ?? true }.map(\.column)
    }

    /// The columns that refer to rows which go without a foreign key, in rows that stay.
    func looseSuspects(asking ask: Ask) throws(Failure) -> [Suspect] {
        var questions: [(table: Graph.Table, references: [LooseReference], query: Query)] = []
        // What stands in a column for good is nobody's to ask about.
        let open = map.loose.filter { !map.lines.kept.contains(Reading.Key(table: $0.child, column: $0.column)) }
        for (child, all) in Dictionary(grouping: open, by: \.child).sorted(by: { $0.key < $1.key }) {
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
            questions.append((table, references, Query(unsafe: sql, bindings.values)))
        }
        var found: [Suspect] = []
        for (question, answer) in zip(questions, try ask(questions.map(\.query))) {
            let counts = try decoding(try answer.only().integers())
            let hits = zip(question.references, counts).filter { $0.1 > 0 }
            for (column, hits) in Dictionary(grouping: hits, by: \.0.column) {
                found.append(
                    Suspect(
                        table: question.table.qualifiedName, column: column,
                        path: map.path(question.table.oid, column),
                        kind: hits.contains { $0.0.isList } ? .list : .key,
                        rows: hits.reduce(0) { $0 + $1.1 }, isWhole: true, isCopy: question.table.isCopy,
                        isForeign: false,
                        refersTo: hits.map { map.name($0.0.key.table) }.sorted(),
                        isHalf: hits.contains { $0.0.half != nil }))
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
                !names.contains(suspect.name) && !suspect.isCopy
                    && (answers[suspect.table, suspect.column] ?? .keep) != .keep
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
    func condition(
        _ keys: [KeyColumns: [String]], as role: Bindings.Role = .deleted, _ bindings: inout Bindings
    ) -> String? {
        guard let arrays = keys[key] else { return nil }
        let values = bindings.bind(arrays, of: key, as: role)
        var refers = meets { match([$0], [values[0]]) }
        if let half { refers = "(\(refers) and \(half.areAmong(values[1], own)))" }
        guard let only else { return refers }
        return "(\(refers) and \(only.condition(&bindings)))"
    }

    /// What stands in the column once it does not refer to the values any more: of a list the rest of it.
    func emptied(_ keys: [KeyColumns: [String]], _ bindings: inout Bindings) -> String {
        guard isList, let arrays = keys[key] else { return "null" }
        return """
            array(select k from pg_catalog.unnest(\(cell(column))) with ordinality as l (k, place) \
            where \(match([own], bindings.bind(arrays, of: key))) is not true order by place)
            """
    }
}
