internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// What an operator wants to know or to be done about accounts.
package struct AccountRequest: Sendable {
    /// Ids or addresses, or values of the root's column.
    package var users: [String]
    /// The table to start from where no app file says so.
    package var root: RootName?
    /// What becomes of rows that also belong to others.
    package var collateral: CollateralAnswer?
    /// What becomes of columns that hold the person although nothing declares it.
    package var suspected = SuspectAnswers()
    /// Whether everything is searched for the person, whatever names say.
    package var isThorough = false

    /// A request about some users.
    package init(users: [String], root: RootName? = nil, collateral: CollateralAnswer? = nil) {
        self.users = users
        self.root = root
        self.collateral = collateral
    }
}

/// Everything that is known about an account before anything is done, read at one instant.
struct AccountSurvey {
    let closure: AccountClosure
    /// Suspected columns that will hold the person still: nobody answered for them, or what was answered cannot be done.
    let suspects: [HeldColumn]
    /// Those of them that nobody answered for.
    let unanswered: [HeldColumn]
    /// Those that stay although they were to go: they stand in rows of other users.
    let untouched: [HeldColumn]
    /// Those of them that stay.
    let keptSuspects: [HeldColumn]
    /// Where they were looked for, and when.
    let searched: Searched
    let search: ReadingSearch
    let triggers: [TriggerEffect]
    let files: StoredFiles
    let foreignTargets: ForeignTargets
    let remarks: AccountRemarks
    /// Who the only one of the users is.
    let person: Person?

    var map: AccountMap { closure.map }

    /// Columns that hold the person behind a deletion.
    func suspectsLeft(asking ask: Ask) throws(Failure) -> [HeldColumn] {
        try search.runAgain(behind: searched, asking: ask) + closure.columnsLeft(asking: ask)
    }

    /// Whether what becomes of a row that is written is not for the statement alone to say: a rule, or a trigger before it, may
    /// keep it or make something else of it, and what triggers its partitions have, nobody has asked.
    func hasOthersSay(in relation: Graph.Table, on fires: (TriggerEffect) -> Bool) -> Bool {
        relation.isRuled || relation.isPartitioned
            || triggers.contains { $0.table == relation.oid && $0.isBefore && $0.isForEachRow && fires($0) }
    }

    /// Looks at everything that hangs on a root, whose values are known; with `again` so that it can be looked at later.
    ///
    /// What is suspected is looked for unless that is known; where somebody answered, its rows belong to the account.
    static func make(
        of start: AccountStart, collateral: CollateralAnswer?, deleting forced: Set<Int> = [],
        answers: SuspectAnswers = SuspectAnswers(), thoroughly isThorough: Bool = false, known: Searched? = nil,
        suspecting: Bool = true, again: Bool = false, asking ask: Ask
    ) throws(Failure) -> AccountSurvey {
        // What an account is made of is read at one instant, and asked for once.
        let catalog = try ask(Graph.queries(apart: start.apart) + [Lexicon.query, Searched.instant])
        let graph = try start.graph(Array(catalog.prefix(2)))
        if graph.isSpread { _ = try ask([Graph.oneSession]) }
        let lexicon = try decoding { () throws(DecodingFailure) in try Lexicon(catalog[2]) }
        let answered = answers.settled(by: start.account, in: graph)
        let tables = [start.root.oid] + (start.account.map { DeclaredSide.tables(of: $0, in: graph) } ?? [])
        let evidence = try ask([TableColumns.query(of: tables), OpenReadings.query(start.root, graph, lexicon)])
        let columns = try decoding { () throws(DecodingFailure) in try TableColumns(evidence[0]) }
        var map = AccountMap(graph, root: start.root, account: start.account, columns: columns, lexicon, of: start.app)
        let users = TableColumns.query(of: map.singleTables.union(map.addressBooks).sorted())
        let defaults = defaultsInDoubt(map)
        let further = try ask([users] + defaults.map(\.query))
        let userColumns = try decoding { () throws(DecodingFailure) in try TableColumns(further[0]) }
        let lost = zip(defaults, further.dropFirst()).filter { $0.1.rows.isEmpty }.map(\.0.link)
        map = map.deleting(forced.union(lost))
        let secrets = start.account?.secretNames ?? []
        var readings = try OpenReadings(
            evidence[1], of: map, besides: secrets, withEmptyTables: again, asking: ask)
        if !isThorough { readings.narrow(by: answered, in: map, isSurveyed: start.app != nil) }
        map = map.reading(readings)
        let closure = try AccountClosure(map, answer: collateral, asking: ask)
        let row = Person.query(start.root, graph, userColumns, lexicon, besides: secrets)
        let questions = Identity.queries(closure, userColumns, besides: secrets)
        let names = try ask(questions + [row].compactMap(\.self))
        let person = names.dropFirst(questions.count).first?.first.map { Person($0, lexicon) }
        var identity = try decoding(
            try Identity(
                map, Array(names.prefix(questions.count)),
                everybody: Identity.addresses(of: map, userColumns, besides: secrets)))
        try identity.leaveOthers(asking: ask)
        let search = ReadingSearch(closure: closure, readings: readings, identity: identity)
        try search.requireKnown(answers)
        let open =
            suspecting
            ? try AnsweredReadings(search, known: known?.columns, answers: answered, asking: ask)
            : AnsweredReadings(none: search)
        var since = known?.since
        if since == nil, suspecting { since = try decoding(try catalog[3].only().text("since")) }
        let (filed, remarked) = (try StoredFiles.question(open.closure, start.account), AccountRemarks.question(start))
        let last = [TriggerEffect.query(of: touched(by: open.closure))] + [filed, remarked].compactMap(\.self)
        let rest = try ask(last + ForeignTargets.questions(open.closure))
        let (triggers, files, remarks, foreign) = try decoding { () throws(DecodingFailure) in
            (
                try TriggerEffect.all(rest[0]), try StoredFiles(filed == nil ? nil : rest[1]),
                try AccountRemarks(start, remarked == nil ? nil : rest[last.count - 1]),
                try ForeignTargets(open.closure, Array(rest.dropFirst(last.count)))
            )
        }
        return AccountSurvey(
            closure: open.closure, suspects: open.open,
            unanswered: open.unanswered, untouched: open.untouched, keptSuspects: open.kept,
            searched: Searched(columns: open.all, since: since), search: open.search,
            triggers: triggers, files: files,
            foreignTargets: foreign, remarks: remarks, person: person)
    }

    /// The tables in which something is deleted or changed.
    private static func touched(by closure: AccountClosure) -> [UInt32] {
        let deleted = closure.found.filter { $0.value.rows > 0 }.keys
        let changed = closure.staying.keys.map { closure.map.links[$0].child }
        return Set(deleted).union(changed).union(closure.map.lines.added.keys).sorted()
    }

    /// The links that set a default, and what asks whether that refers to a row which stays.
    private static func defaultsInDoubt(_ map: AccountMap) -> [(link: Int, query: Query)] {
        var questions: [(link: Int, query: Query)] = []
        for link in map.links {
            guard case .detach(_, toDefault: true) = link.effect, let reference = link.reference,
                let parent = map.graph.tables[link.parent]
            else { continue }
            var bindings = Bindings()
            let pairs = reference.columns.map { "\(cell($0.referenced)) = (\($0.standard))" }.joined(separator: " and ")
            var condition = pairs
            if link.parent == map.root.oid {
                condition +=
                    " and " + map.root.key.matches([map.root.list], as: .root, &bindings)
                    + " is not true"
            }
            questions.append(
                (
                    link.id,
                    Query(
                        unsafe: "select 1 from \(parent.ownRows) t where \(condition) limit 1", values: bindings.values)
                ))
        }
        return questions
    }
}

/// Where an account begins: the root with its values, and what the app file says about accounts.
struct AccountStart {
    private(set) var root: AccountRoot
    let account: App.Account?
    /// The app file that says who the users are, where there is one.
    var app: App?
    /// The schemas that are those of other customers.
    var apart: Graph.Apart?

    /// The graph by the answers to its queries: tables fill and schemas change, and whoever follows an account reads it himself.
    func graph(_ answers: [Rows]) throws(Failure) -> Graph {
        let graph = try Graph(followed: answers)
        guard graph.tables[root.oid]?.qualifiedName == root.table else {
            throw Failure(AccountRefusal.otherTable(root.table))
        }
        return graph
    }

    /// Finds the root in the catalog, and the values there that were typed, each once.
    ///
    /// Keys that an app file's own look-up told are each another one.
    static func find(
        _ root: RootName, values: [String], account: App.Account?, of app: App? = nil, in transaction: ReadTransaction
    ) throws(Failure) -> AccountStart {
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let apart = try app.flatMap { app throws(Failure) in try Tenants.apart(app, asking: ask) }
        var start = try find(root, account: account, of: app, apart: apart, asking: ask)
        let found = start.root
        let typed = values.map { TypedText($0, found.type) }
        for case .failure(let error) in try transaction.readings(of: typed) {
            guard error.isMisfit else { throw Failure(error) }
            throw Failure(AccountRefusal.noValue(table: found.table, column: found.column, error))
        }
        start.root.values = values
        if app == nil {
            // The same user named twice is one, and looked for as the database writes the key.
            let same = Query(
                unsafe:
                    "select distinct v::\(found.type)::pg_catalog.text, min(place) from pg_catalog.unnest($1::text[]) with ordinality as n (v, place) group by 1 order by 2",
                [arrayLiteral(values)])
            let answer = try ask([same])[0]
            start.root.values = try decoding(try answer.texts())
        }
        return start
    }

    /// Finds the root in the catalog.
    static func find(
        _ root: RootName, account: App.Account?, of app: App? = nil, apart: Graph.Apart? = nil, asking ask: Ask
    ) throws(Failure) -> AccountStart {
        AccountStart(root: try AccountRoot.find(root, asking: ask), account: account, app: app, apart: apart)
    }
}
