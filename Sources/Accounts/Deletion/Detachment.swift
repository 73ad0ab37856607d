internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Frees the rows that stay from what they refer to, and overwrites what the app file wants overwritten.
struct Detachment {
    let account: FoundAccount
    let transaction: ActTransaction
    /// How many rows of each table its statements changed; a row that two of them changed counts twice.
    private(set) var changed: [UInt32: Int] = [:]
    /// Which of those stand under another key.
    private(set) var moved = MovedRows()

    private var closure: AccountClosure { account.closure }
    private var map: AccountMap { account.map }

    /// Does it; the links whose rows the database will not have emptied come back, to be deleted instead.
    mutating func run() throws(Failure) -> Set<Int> {
        try anonymise()
        var stubborn: Set<Int> = []
        let links = closure.staying.keys.sorted().map { map.links[$0] }
        for (table, links) in Dictionary(grouping: links, by: \.child).sorted(by: { $0.key < $1.key }) {
            if links.count > 1, let update = update(links), try error(of: update, in: table) == nil { continue }
            // What the server refuses together is told link by link.
            stubborn.formUnion(try empty(links))
        }
        return stubborn
    }

    /// Frees the rows of one table, of those that came meanwhile.
    mutating func detach(_ table: UInt32) throws(Failure) {
        _ = try empty((map.linksByChild[table] ?? []).map { map.links[$0] })
    }

    /// Empties links one after the other; those whose rows the database will not have emptied come back.
    private mutating func empty(_ links: [AccountLink]) throws(Failure) -> Set<Int> {
        var stubborn: Set<Int> = []
        for link in links {
            guard let update = update([link]) else { continue }
            guard let error = try error(of: update, in: link.child) else { continue }
            // The database's own SET NULL may be let through where ours is not.
            let isOwn = link.reference?.action == .setNull || link.reference?.action == .setDefault
            if error.state.forbidsEmptying, isOwn, !map.hasPolicy(link.child) {
                stubborn.insert(link.id)
            } else if !isOwn || link.isDeleting {
                throw Failure(ErasureRefusal.notEmptied(link: map.name(link), error, by: word(link)))
            }
        }
        return stubborn
    }

    private func word(_ link: AccountLink) -> ErasureRefusal.Word {
        guard link.isDeleting else { return .key }
        return map.lines.shared[link.child].map { .line(reassigns: $0.heir != nil) } ?? .answer
    }

    /// Runs a statement that changes rows of a table, and tells why the server refused it.
    private mutating func error(of update: Query, in table: UInt32) throws(Failure) -> ServerError? {
        switch try transaction.attempt([update]) {
        case .success(let answers):
            changed[table, default: 0] += try decoding(try answers[0].written())
            let steps = try decoding(
                try answers[0].rows.map { row throws(DecodingFailure) in try MovedRows.Step(row) })
            moved.note(table, steps)
            changed.merge(try moved.follow(table, steps, in: map.graph, transaction), uniquingKeysWith: +)
            return nil
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            return error
        }
    }

    /// The statement that writes columns of the rows `t` of a table; where they identify a row, or rows that move along refer to
    /// them, it says which went where.
    private func update(
        _ relation: Graph.Table, _ columns: [(name: String, value: String)], where condition: String,
        _ bindings: Bindings
    ) -> Query {
        let values = columns.map { "\(Identifier($0.name).quoted) = \($0.value)" }.joined(separator: ", ")
        let telling = Set(relation.key.map(\.name) + map.graph.referred(in: relation.oid)).sorted()
        let moves = columns.contains { telling.contains($0.name) }
        func alias(_ column: String) -> String { "\"usher \(telling.firstIndex(of: column) ?? 0)\"" }
        let old = telling.map { ", \(asText($0)) as \(alias($0))" }.joined()
        let sql =
            !moves || relation.isElsewhere || relation.isDistributed
            ? "update \(relation.ownRows) t set \(values) where \(condition)"
            : """
            update \(relation.ownRows) t set \(values) from (
                select t.tableoid as "usher part", t.ctid as "usher place"\(old)
                  from \(relation.ownRows) t where \(condition)) "usher old"
             where t.tableoid = "usher old"."usher part" and t.ctid = "usher old"."usher place"
            returning \(MovedRows.Step.outputs(of: relation, in: map.graph, was: { "\"usher old\".\(alias($0))" }))
            """
        return Query(unsafe: sql, values: bindings.values)
    }

    /// What becomes of the columns of a link, and in which rows.
    private typealias Emptying = (columns: [String], value: String, condition: String)

    /// The statement that empties the columns of links from one table in the rows that stay; of several links only where each
    /// row can be written once.
    private func update(_ links: [AccountLink]) -> Query? {
        var bindings = Bindings()
        let parts = links.compactMap { link in bindings.attempt { emptying(link, &$0) } }
        guard let first = links.first, let relation = map.graph.tables[first.child], !parts.isEmpty else { return nil }
        let columns = parts.flatMap(\.columns)
        let isOne = parts.count == 1
        guard isOne || Set(columns).count == columns.count && !parts.contains(where: { $0.value == "default" }) else {
            return nil
        }
        let values = parts.flatMap { part in
            part.columns.map { name in
                let value = isOne ? part.value : "case when \(part.condition) then \(part.value) else \(cell(name)) end"
                return (name: name, value: value)
            }
        }
        let condition = isOne ? parts[0].condition : parts.map { "(\($0.condition))" }.joined(separator: " or ")
        return update(relation, values, where: condition, bindings)
    }

    /// How the rows that stay lose what they refer to by a link.
    private func emptying(_ link: AccountLink, _ bindings: inout Bindings) -> Emptying? {
        guard map.graph.tables[link.child] != nil, !closure.isLeft(link),
            let condition = closure.staying(link, &bindings)
        else { return nil }
        let effect = link.isDeleting ? map.sharedEffect(link) : link.effect
        guard case .detach(let columns, let toDefault)? = effect else { return nil }
        let others =
            link.reference == nil && link.isDeleting
            ? closure.isKept(link.child, &bindings).map { "(\(condition)) and \($0) is not true" } : nil
        let rest = rest(link, &bindings)
        return (columns, rest ?? reassigned(link) ?? (toDefault ? "default" : "null"), others ?? condition)
    }

    /// What a column says besides, where that stays.
    private func rest(_ link: AccountLink, _ bindings: inout Bindings) -> String? {
        guard let reading = link.reading else { return nil }
        if map.lines.rewrites(reading), let identity = link.identity { return identity.without(reading, &bindings) }
        return reading.emptied(closure.keys, link.identity, &bindings)
    }

    /// Whom the rows that others share are to belong to from now on.
    private func reassigned(_ link: AccountLink) -> String? {
        guard link.isDeleting, let expression = map.lines.shared[link.child]?.heir else { return nil }
        return "(\(expression))"
    }

    /// Overwrites what the app file says in rows that hold the users, and in others that lose a reference what they lose.
    ///
    /// Those others first, while it can be told which rows hold the users.
    private mutating func anonymise() throws(Failure) {
        for (table, columns) in map.anonymised.sorted(by: { $0.key < $1.key }) {
            for id in closure.staying.keys.sorted() where map.links[id].child == table {
                var bindings = Bindings()
                let condition = closure.losing(by: [map.links[id]], &bindings)
                try overwrite(map.overwritten(by: map.links[id]), of: table, where: condition, bindings)
            }
            for (number, line) in (map.lines.partly[table] ?? []).enumerated() where line.isOverwritten {
                var bindings = Bindings()
                let condition = closure.isKept(table, by: number, &bindings)
                try overwrite(columns.filter { $0.via == line.way.via }, of: table, where: condition, bindings)
            }
            if mayHold(table) { try overwrite(table) }
        }
    }

    /// Whether rows of a table hold the users, as far as they were counted: what is left to others was not.
    private func mayHold(_ table: UInt32) -> Bool {
        (closure.stayingRows[table]?.held ?? 0) > 0
            || (map.linksByChild[table] ?? []).contains { closure.isLeft(map.links[$0]) }
    }

    /// Overwrites what the app file says in all rows of a table that hold the users.
    mutating func overwrite(_ table: UInt32) throws(Failure) {
        guard map.hasPolicy(table), let columns = map.anonymised[table] else { return }
        var bindings = Bindings()
        let condition = closure.holding(table, &bindings)
        try overwrite(columns.filter { $0.via == nil }, of: table, where: condition, bindings)
    }

    /// Takes the person out of what lines rewrite in the rows of a table that came meanwhile, as out of those that were there.
    mutating func rewrite(_ table: UInt32) throws(Failure) {
        let identity = account.search.identity
        for reading in account.search.readings.users where reading.table == table && map.lines.rewrites(reading) {
            var bindings = Bindings()
            guard let relation = map.graph.tables[table], let speaks = identity.test(reading, &bindings) else {
                continue
            }
            let rest = identity.without(reading, &bindings)
            let update = update(
                relation, [(reading.name, rest)], where: "\(ownWrite) and (\(speaks))", bindings)
            guard let error = try error(of: update, in: table) else { continue }
            throw Failure(ErasureRefusal.notOverwritten(table: relation.qualifiedName, error))
        }
    }

    private mutating func overwrite(
        _ columns: [App.Account.Anonymised], of table: UInt32, where condition: String?, _ bindings: Bindings
    ) throws(Failure) {
        guard let relation = map.graph.tables[table], let condition, !columns.isEmpty else { return }
        let values = columns.map { column in
            let name = Identifier(column.name).quoted
            let value = column.condition.map { "case when (\($0)) then (\(column.expression)) else \(name) end" }
            return (name: column.name, value: value ?? "(\(column.expression))")
        }
        guard let error = try error(of: update(relation, values, where: condition, bindings), in: table) else { return }
        throw Failure(ErasureRefusal.notOverwritten(table: relation.qualifiedName, error))
    }
}
