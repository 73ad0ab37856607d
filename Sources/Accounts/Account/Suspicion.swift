internal import Catalog
internal import PQ

/// A column that holds the person although nothing declares it, as a way by which rows belong to the account.
struct Suspicion {
    let candidate: SuspectSearch.Candidate
    let needles: Needles
    let name: String

    /// The condition under which a row `t` belongs to the account.
    func test(_ bindings: inout Bindings) -> String? { needles.test(candidate, &bindings) }

    /// The condition under which a row `t` names another user in the column; nil where only texts could tell.
    func namesAnother(than root: Graph.Table, _ bindings: inout Bindings) -> String? {
        let (key, column) = (needles.root.column, cell(candidate.column))
        // The row of the user is called `t` in its own select, so the row in question goes in under another name.
        func somebody(_ condition: String) -> String {
            "exists (select from (select \(cell(key)) as k0 from \(root.ownRows) t) users where \(condition))"
        }
        let other: String
        switch candidate.kind {
        case .key:
            let key = somebody("\(column) \(needles.equals) users.k0")
            other = needles.isOfUsers(candidate).map { "(\($0) and \(key))" } ?? key
        case .text:
            // Whatever it mentions besides, the key of another is that other's.
            let values = bindings.bind(arrayLiteral(needles.root.values), as: "text[]")
            let text = "\(column)::pg_catalog.text"
            let another = "(\(somebody("users.k0::pg_catalog.text = \(text)")) and \(text) <> all (\(values)))"
            return needles.isOfUsers(candidate).map { "(\($0) and \(another))" } ?? another
        case .list:
            let type = needles.element(of: candidate)
            let values = bindings.bind(arrayLiteral(needles.root.values), as: type + "[]")
            let key = "users.k0::\(type)"
            return somebody(
                "\(key) operator(pg_catalog.=) any (\(column)::\(type)[]) and \(key) operator(pg_catalog.<>) all (\(values))"
            )
        case .json: return nil
        }
        return test(&bindings).map { "(\(other) and (\($0)) is not true)" }
    }

    /// Whether the column can be without the person.
    var isDetachable: Bool { candidate.isFillable || candidate.kind == .list }

    /// What stands in the column once the person does not.
    func emptied(_ bindings: inout Bindings) -> String {
        guard candidate.kind == .list else { return "null" }
        let type = needles.element(of: candidate)
        let values = bindings.bind(arrayLiteral(needles.root.values), as: type + "[]")
        // Others who are listed stay.
        let addresses = (needles.addresses + needles.furtherAddresses).map { $0.lowercased() }
        let spoken =
            type == "text"
            ? "and pg_catalog.lower(k) <> all (\(bindings.bind(arrayLiteral(addresses), as: "text[]")))" : ""
        return """
            array(select k from pg_catalog.unnest(\(cell(candidate.column))) with ordinality as l (k, place) \
            where k::\(type) operator(pg_catalog.<>) all (\(values)) \(spoken) or k is null order by place)
            """
    }
}

extension Suspicion {
    /// Whether a row is found for what it says rather than for whose it is.
    var isMention: Bool {
        switch candidate.kind {
        case .key: false
        case .text: !candidate.isTelling
        case .list, .json: true
        }
    }

    /// How many steps the row is away from the person: it points at them, or speaks of them from afar.
    var steps: Int { isMention ? 1000 : 1 }

    /// Whether the column holds a reference and nothing else in the world, so that to empty it takes nothing from others.
    var isReference: Bool { [.key, .list].contains(candidate.kind) && needles.root.type == "uuid" }
}

extension AccountMap {
    /// Whether a suspicion is about rows of other users, whom nobody touches for a mention of somebody else.
    func isAboutOthers(_ suspicion: Suspicion) -> Bool {
        userTables.contains(suspicion.candidate.table) && !suspicion.isReference
    }

    /// The same map with suspected columns as ways that lead to rows of the account, as the operator answered.
    func suspecting(
        _ answered: [(suspicion: Suspicion, answer: SuspectAnswer)], others: OtherUsers?
    ) -> AccountMap {
        var map = naming(others)
        for (suspicion, answer) in answered where answer != .keep {
            let candidate = suspicion.candidate
            var way = AccountLink(
                id: map.links.count, child: candidate.table, key: root.key,
                columns: [.init(expression: cell(candidate.column), equals: root.equals)],
                source: .suspected(suspicion.name), effect: .delete, suspicion: suspicion)
            // Deleting one account never means deleting another that merely mentions it.
            if answer != .delete || userTables.contains(candidate.table) {
                let path = path(candidate.table, candidate.column)
                let instead = userTables.contains(candidate.table) ? "keep" : "delete or keep"
                way.effect =
                    detachable(way)
                    ?? .block("\(path) must not be empty: --suspected '\(path)=ANSWER' with \(instead)")
            }
            map.add(way)
        }
        return map
    }
}
