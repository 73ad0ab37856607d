package import AppFile
internal import Catalog
package import PQ

/// Whether columns hold users that nobody classified, asked about all users at once.
package struct AccountCheck: Sendable {
    /// The column that users are values of.
    package let root: String
    /// Columns that hold users besides the one whom the row belongs to.
    package let suspects: [Suspect]
    /// Columns that this role may not see, or that another server does not show.
    package let hidden: [String]
    /// What the app file names and this database does not have.
    package let missing: [String]

    package var isClean: Bool { suspects.isEmpty && hidden.isEmpty && missing.isEmpty }

    /// Looks into every column that could hold a user; nothing is written.
    package static func make(
        _ request: AccountRequest, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> AccountCheck {
        let reading = try AccountReading.open(request, on: connection, candidates: candidates, options: options)
        let survey = try AccountSurvey.make(
            of: reading.start, collateral: nil, suspecting: false, asking: reading.ask)
        let search = survey.suspectSearch
        let users = AllUsers(map: survey.map, needles: survey.needles, columns: survey.userColumns)
        let tables = survey.map.graph.tables
        let questions = search.candidates.filter {
            // What a policy is written for is classified.
            !$0.isOverwritten && ($0.isTelling || $0.isAddress || $0.type == "uuid" || $0.kind == .json)
                && tables[$0.table]?.isForeign == false
        }.compactMap { candidate in
            users.question(candidate).map { (candidate: candidate, query: $0) }
        }
        let near = questions.filter { tables[$0.candidate.table]?.asksElsewhere == false }
        var answered = Array(zip(near, try reading.ask(near.map(\.query))))
        var hidden = search.hidden
        for question in questions where tables[question.candidate.table]?.asksElsewhere == true {
            // Another server may be down, and that says nothing about this one.
            do throws(Failure) { answered.append((question, try reading.ask([question.query])[0])) } catch {
                guard let state = error.state, !state.isCollision else { throw error }
                hidden.append(search.name(question.candidate))
            }
        }
        var suspects: [Suspect] = []
        for (question, answer) in answered {
            let rows = try decoding(try answer.count())
            if rows == 0 { continue }
            suspects.append(search.suspect(question.candidate, rows: rows, isWhole: true))
        }
        let reached = survey.map.reached
        suspects += try survey.map.looseSuspects(among: reached, asking: reading.ask)
        hidden += survey.map.references.hidden.filter { $0.table.map(reached.contains) ?? true }.map(\.column)
        return AccountCheck(
            root: "\(survey.map.root.table).\(survey.map.root.column)", suspects: Suspect.inOrder(suspects),
            hidden: Set(hidden).sorted(), missing: survey.map.missing)
    }
}

extension AccountMap {
    /// The tables whose rows may belong to users, and go with them.
    var reached: Set<UInt32> {
        var (reached, open): (Set<UInt32>, [UInt32]) = ([root.oid], [root.oid])
        while let table = open.popLast() {
            for id in linksByParent[table] ?? [] where links[id].isDeleting {
                if reached.insert(links[id].child).inserted { open.append(links[id].child) }
            }
        }
        return reached
    }

    /// The columns that refer without a foreign key to rows of some tables.
    fileprivate func looseSuspects(among reached: Set<UInt32>, asking ask: Ask) throws(Failure) -> [Suspect] {
        let within = loose.filter { reached.contains($0.key.table) }
        let questions = within.compactMap { reference in question(reference).map { (reference, $0) } }
        var found: [Suspect] = []
        for ((reference, _), answer) in zip(questions, try ask(questions.map(\.1))) {
            let rows = try decoding(try answer.count())
            if rows == 0 { continue }
            found.append(
                Suspect(
                    table: name(reference.child), column: reference.column,
                    path: path(reference.child, reference.column), kind: reference.isList ? .list : .key,
                    rows: rows, isWhole: true, isCopy: false, isForeign: false,
                    refersTo: [name(reference.key.table)], isHalf: reference.half != nil))
        }
        return found
    }

    /// Counts the rows that refer to a row which is there.
    private func question(_ reference: LooseReference) -> Query? {
        guard let child = graph.tables[reference.child], let parent = graph.tables[reference.key.table] else {
            return nil
        }
        let rows = "select \(reference.key.expressions[0]) as k0 from \(parent.ownRows) t"
        var bindings = Bindings()
        let only = reference.only.map { $0.condition(&bindings) }
        let conditions = [only, reference.meets { "\($0.expression) in (\(rows))" }].compactMap { $0 }
        let alone = reference.half.map { "\($0.count(reference.own)) = 1" }
        let all = (conditions + [alone].compactMap(\.self)).joined(separator: " and ")
        return Query(unsafe: "select pg_catalog.count(*) from \(child.ownRows) t where \(all)", bindings.values)
    }
}

/// The users of a database as subqueries, to compare columns with.
private struct AllUsers {
    let map: AccountMap
    let needles: Needles
    let columns: TableColumns

    /// Counts the rows whose column holds a user that no declared column of the row does.
    func question(_ candidate: SuspectSearch.Candidate) -> Query? {
        guard let table = map.graph.tables[candidate.table], !table.isEmpty, let test = test(candidate) else {
            return nil
        }
        let column = "\(cell(candidate.column))::pg_catalog.text"
        let conditions: [String]
        switch candidate.kind {
        case .json, .list: conditions = [test]
        case .text where candidate.isAddress: conditions = [test] + ownAddresses(candidate).map { "not \($0)" }
        case .key, .text:
            conditions = [test] + declared(candidate).map { "\(column) is distinct from \($0)::pg_catalog.text" }
        }
        let sql = "select pg_catalog.count(*) from \(table.ownRows) t where \(conditions.joined(separator: " and "))"
        return Query(unsafe: sql)
    }

    private func test(_ candidate: SuspectSearch.Candidate) -> String? {
        guard let root = map.graph.tables[map.root.oid] else { return nil }
        let (column, key) = (cell(candidate.column), cell(map.root.column))
        let users = "from \(root.ownRows) t"
        switch candidate.kind {
        case .key:
            let equals = candidate.type == map.root.type ? map.root.equals : "operator(pg_catalog.=)"
            let test = "\(column) \(equals) any (select \(key) \(users))"
            return needles.isOfUsers(candidate).map { "\(test) and \($0)" } ?? test
        case .list:
            return
                "exists (select from (select \(key) as k0 \(users)) users where users.k0 operator(pg_catalog.=) any (\(column)))"
        case .text where candidate.type == "uuid" && map.root.type != "uuid" && !Needles.isTelling(map.root.type):
            return nil
        case .text where !candidate.isAddress:
            let test = "\(column)::pg_catalog.text = any (select \(key)::pg_catalog.text \(users))"
            return needles.isOfUsers(candidate).map { "\(test) and \($0)" } ?? test
        case .text:
            guard !map.userTables.contains(candidate.table), !addresses.isEmpty else { return nil }
            return "pg_catalog.lower(\(column)::pg_catalog.text) = any (\(addresses.joined(separator: " union all ")))"
        case .json:
            // Whatever looks like an id in it is looked up; an id of another shape cannot be told from other words.
            guard map.root.type == "uuid" else { return nil }
            // Whose the row is it may well say again.
            let own = declared(candidate).map { " and m.parts[1] is distinct from \($0)::pg_catalog.text" }
            let besides = own.joined()
            return """
                exists (select from pg_catalog.regexp_matches(\(column)::pg_catalog.text, '\(Self.uuid)', 'g') as m (parts) \
                where m.parts[1]::pg_catalog.uuid = any (select \(key) \(users))\(besides))
                """
        }
    }

    private static let uuid = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"

    /// The columns by which a row says whose it is.
    private func declared(_ candidate: SuspectSearch.Candidate) -> [String] {
        let own = candidate.table == map.root.oid ? [cell(map.root.column)] : []
        return own
            + (map.linksByChild[candidate.table] ?? []).map { map.links[$0] }.filter { link in
                map.userTables.contains(link.parent) && link.columns.count == 1 && link.isDeleting
            }.compactMap { $0.columns.first?.expression }
    }

    /// The conditions under which a column holds an address of a user whose the row is.
    private func ownAddresses(_ candidate: SuspectSearch.Candidate) -> [String] {
        let links = (map.linksByChild[candidate.table] ?? []).map { map.links[$0] }.filter { link in
            map.userTables.contains(link.parent) && link.columns.count == 1 && link.isDeleting
        }
        return links.flatMap { link -> [String] in
            guard let users = map.graph.tables[link.parent], let own = link.columns.first else { return [] }
            let named = (columns.names[users.oid] ?? []).filter { columns.isAddress(users.oid, $0) }
            return named.map { name in
                let rows =
                    "select \(link.key.expressions[0]) as k0, pg_catalog.lower(\(cell(name))::pg_catalog.text) as a0 "
                    + "from \(users.ownRows) t"
                return "exists (select from (\(rows)) own where \(own.expression) \(own.equals) own.k0 "
                    + "and own.a0 = pg_catalog.lower(\(cell(candidate.column))::pg_catalog.text))"
            }
        }
    }

    /// All addresses of users, in small letters.
    private var addresses: [String] {
        map.userTables.sorted().flatMap { table -> [String] in
            guard let relation = map.graph.tables[table] else { return [] }
            let named = (columns.names[table] ?? []).filter { columns.isAddress(table, $0) }
            return named.map { name in
                "select pg_catalog.lower(\(cell(name))::pg_catalog.text) from \(relation.ownRows) t where \(cell(name))::pg_catalog.text like '%_@_%'"
            }
        }
    }
}
