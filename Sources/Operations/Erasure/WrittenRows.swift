internal import Catalog
internal import PQ

/// Rows that triggers wrote while an account was deleted, and that speak of the person again: audits, queues, tombstones.
package struct WrittenRows {
    /// What was found in one table.
    package struct Found: Sendable, Hashable {
        package let table: String
        package let rows: Int
        /// Whether they were taken away again; else they are left, with the reason.
        package let isRemoved: Bool
        package let why: String?
        /// Whether the app file says that they stay.
        package let isAccepted: Bool
    }

    let survey: AccountSurvey
    let transaction: ErasureTransaction

    private var map: AccountMap { survey.map }

    /// Finds them in the tables that the server counted writes in, and takes away those that are certainly new.
    ///
    /// A row is new where its table saw inserts and no updates. What was there before and only got touched is left.
    func remove(_ counts: [UInt32: ChangeCounters.Count]) throws(Failure) -> [Found] {
        var found: [Found] = []
        for (table, count) in counts.sorted(by: { $0.key < $1.key }) where count.inserted + count.updated > 0 {
            guard let relation = map.graph.tables[table], let condition = condition(relation) else { continue }
            let count = Query(
                "select pg_catalog.count(*) from \(relation.sql) t where \(condition.sql)", condition.values)
            let rows: Int
            switch try transaction.look([count])[0] {
            case .success(let answer): rows = answer.first?.values.first?.text.flatMap { Int($0) } ?? 0
            case .failure(let error):
                guard error.state == .insufficientPrivilege else { throw Failure(error) }
                let written = counts[table].map { $0.inserted + $0.updated } ?? 0
                let why = "this role may not look whether they are about the person"
                found.append(
                    Found(
                        table: relation.qualifiedName, rows: written, isRemoved: false, why: why,
                        isAccepted: map.kept[table] != nil))
                continue
            }
            guard rows > 0 else { continue }
            found.append(try remove(rows, from: relation, condition, isNew: counts[table]?.updated == 0))
        }
        return found
    }

    private func remove(
        _ rows: Int, from relation: Graph.Table, _ condition: (sql: String, values: [String?]), isNew: Bool
    ) throws(Failure) -> Found {
        func left(_ why: String, isAccepted: Bool = false) -> Found {
            Found(table: relation.qualifiedName, rows: rows, isRemoved: false, why: why, isAccepted: isAccepted)
        }
        if let why = map.kept[relation.oid] { return left(why, isAccepted: true) }
        guard isNew else { return left("they were there before, and a trigger touched them") }
        let deletion = Query("delete from \(relation.sql) t where \(condition.sql)", condition.values)
        if case .failure(let error) = try transaction.attempt([deletion]) {
            if error.state.endsAttempt { throw Failure(error) }
            throw Failure(
                .refused,
                "triggers wrote \(rows) rows about this person into \(relation.qualifiedName), which cannot be removed: \(error.message)",
                hint: "if they have to stay, declare @keep \(relation.qualifiedName) with the reason",
                state: error.state)
        }
        return Found(table: relation.qualifiedName, rows: rows, isRemoved: true, why: nil, isAccepted: true)
    }

    /// What a member of JSON that holds a user is called, the table of users included: `person` where they are people.
    private var names: String {
        let root = map.graph.tables[map.root.oid]?.name.lowercased() ?? ""
        let own = String(root.hasSuffix("s") ? root.dropLast() : root[...])
        let isWord = !own.isEmpty && own.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }
        return "user|owner|author|creat|member|sender|recipient|receiver|actor|assign|person|profile|customer|uid|_by"
            + (isWord ? "|\(own)" : "")
    }

    /// The condition under which this transaction wrote a row that holds the id or an address.
    ///
    /// A row that is visible and whose writer is still in progress can only be our own, subtransactions included.
    private func condition(_ relation: Graph.Table) -> (sql: String, values: [String?])? {
        var bindings = Bindings()
        var tests: [String] = []
        if !survey.needles.texts.isEmpty {
            tests.append(
                "t::pg_catalog.text like any (\(bindings.bind(arrayLiteral(survey.needles.patterns), as: "text[]")))")
        }
        if !Needles.isTelling(map.root.type) {
            // A number means the user only in a column, or behind a name in JSON, that says so.
            let columns = survey.suspectSearch.candidates.filter { $0.table == relation.oid && $0.kind == .key }
            tests += columns.map { survey.needles.test($0.column, .key, type: $0.type, &bindings) }
            let members = map.root.values.map { value in
                "\"[a-z_]*(\(names))[a-z_]*\"+ *: *\"*\(value)[\",} ]"
            }
            tests.append("t::pg_catalog.text ~* any (\(bindings.bind(arrayLiteral(members), as: "text[]")))")
        }
        guard !tests.isEmpty else { return nil }
        return ("\(ownWrite) and (\(tests.joined(separator: " or ")))", bindings.values)
    }
}

/// The condition under which a row `t` was written by this very transaction, subtransactions included.
///
/// It is visible, and its writer still in progress. Asked in turn, since the numbers of older writers need not be any more.
let ownWrite = """
    case when pg_catalog.age(t.xmin) <= pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) \
    then pg_catalog.pg_xact_status((pg_catalog.pg_current_xact_id()::pg_catalog.text::pg_catalog.numeric \
    + pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) - pg_catalog.age(t.xmin)\
    )::pg_catalog.text::pg_catalog.xid8) operator(pg_catalog.=) 'in progress' else false end
    """
