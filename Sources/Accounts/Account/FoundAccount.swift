internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// Everything that is known about an account before anything is done, read at one instant.
struct FoundAccount {
    /// The rows that belong to the account, and where else the person was looked for.
    let search: Readings.Search
    /// What of it belongs to the account whatever anybody answers for columns.
    let certain: AccountClosure
    /// The columns that hold the person although nothing declares it.
    let held: HeldColumns
    /// What triggers do meanwhile.
    let writes: TriggerWrites
    /// What this role lacks of the rights that the deletion needs, with the trigger whose work needs it.
    let lacking: [NeededRight.Lacking]
    /// Triggers that the test of an archive sets off, and that reach outside of the transaction.
    let effectsOfArchive: [NamedTrigger]
    let files: StoredFiles
    /// Rows that lines keep, and that refer to others which stay.
    let hanging: [(link: AccountLink, rows: Int)]
    /// What it would write on other servers.
    let foreignTables: [Graph.Table]
    /// The tables of which rows that others share would go over to somebody who goes.
    let reassigned: [(table: UInt32, to: String?, toNobody: Bool)]
    /// Why the app file says that the accounts do not go, and what to know before.
    let remarks: (refusals: [FilledSentence], warnings: [FilledSentence])
    /// Why nobody is found by the one value.
    let absence: Failure?

    var closure: AccountClosure { search.closure }
    var map: AccountMap { closure.map }

    /// Looks at everything that hangs on a root, whose values are known.
    ///
    /// The rows of some links have to be deleted, since they refused to be detached; columns that are known to hold the person are
    /// not looked for again. A part of a deletion takes only what is certain, and looks into no columns that nothing declares;
    /// what is looked at later, too, may have tables filled that are empty now.
    init(
        of start: AccountStart, _ request: AccountRequest, deleting: Set<Int> = [], known: HeldColumns? = nil,
        isPart: Bool = false, isForLater: Bool = false, archives: Bool = false, asking ask: Ask
    ) throws(Failure) {
        var map = try AccountMap(of: start, asking: ask)
        if map.graph.isSpread { _ = try ask([Graph.oneSession]) }
        let secrets = start.account?.secretNames ?? []
        let answers = isPart ? AccountAnswers(shared: request.answers.shared) : request.answers
        let settled = answers.settled(by: start.account, in: map.graph)
        let doubts = map.defaultsInDoubt
        let users = TableColumns.query(of: map.singleTables.union(map.addressBooks).sorted())
        let further = try ask([users, HeldColumns.instant] + doubts.map(\.query))
        let (columns, since) = try decoding { () throws(DecodingFailure) in
            (try TableColumns(further[0]), try further[1].only().text("since"))
        }
        let lost = zip(doubts, further.dropFirst(2)).filter { $0.1.rows.isEmpty }.map(\.0.link)
        map = map.deleting(deleting.union(lost))
        var readings = try Readings(
            of: map, besides: secrets, withEmptyTables: isForLater, asking: ask)
        if !request.isThorough || isPart {
            readings.narrow(by: settled, in: map, isSurveyed: start.app != nil)
        }
        let closure = try AccountClosure(map.reading(readings), answer: answers.shared, asking: ask)
        let identity = try Identity(of: closure, columns, besides: secrets, asking: ask)
        let certain = Readings.Search(closure: closure, readings: readings, identity: identity)
        try certain.requireKnown(answers)
        let (search, held) =
            isPart
            ? (certain, HeldColumns(unsearched: settled))
            : try certain.answered(settled, known: known, since: since, asking: ask)
        try self.init(start, search, closure, held, archives: archives, asking: ask)
    }

    /// The tables whose shared rows a line gives to somebody who goes or is not there.
    private static func reassigned(
        _ closure: AccountClosure, asking ask: Ask
    ) throws(Failure) -> [(table: UInt32, to: String?, toNobody: Bool)] {
        var reassigned: [(table: UInt32, to: String?, toNobody: Bool)] = []
        for (table, parent, query) in closure.reassigning {
            let other = parent == closure.map.root.oid ? nil : closure.map.path(parent)
            let answer: Rows
            do throws(Failure) { answer = try ask([query])[0] } catch {
                // Where an expression comes to no single key, no row can be told of it.
                guard case AskingRefusal.wire(.server(let why)) = error.refusal,
                    [.cardinalityViolation, .invalidTextRepresentation].contains(why.state)
                else {
                    throw error
                }
                throw Failure(AccountRefusal.noHeir(table: closure.map.path(table), to: other, why))
            }
            let goes = try decoding(try answer.rows.map { row throws(DecodingFailure) in try row.boolean("goes") })
            if let goes = goes.first { reassigned.append((table, other, !goes)) }
        }
        return reassigned
    }

    /// Asks what a deletion of what was found would meet.
    private init(
        _ start: AccountStart, _ search: Readings.Search, _ certain: AccountClosure, _ held: HeldColumns,
        archives: Bool, asking ask: Ask
    ) throws(Failure) {
        (self.search, self.certain, self.held, absence) = (search, certain, held, start.absence)
        let closure = search.closure
        let (filed, remarked) = (try StoredFiles.question(closure, start.account), start.remarkQuestion)
        let events = closure.events
        reassigned = try Self.reassigned(closure, asking: ask)
        let known = [filed, remarked].compactMap(\.self)
        let questions = [TriggerWrites.query(of: events)] + known
        var answers = try ask(questions + closure.questionsAboutForeignParts)[...]
        func answer(to question: Query?) -> Rows? { question.flatMap { _ in answers.popFirst() } }
        let triggers = answers.removeFirst()
        (files, remarks, foreignTables) = try decoding { () throws(DecodingFailure) in
            (
                try StoredFiles(answer(to: filed)),
                try start.remarks(answer(to: remarked)), try closure.foreignTables(Array(answers))
            )
        }
        let beside = closure.hanging
        let counts = try ask(beside.map(\.query))
        hanging = try decoding { () throws(DecodingFailure) in
            var hanging: [(link: AccountLink, rows: Int)] = []
            for ((link, _), answer) in zip(beside, counts) { hanging.append((link, try answer.count())) }
            return hanging.filter { $0.rows > 0 }
        }
        writes = try TriggerWrites(
            events, direct: closure.directEvents, in: closure.map, triggers, asking: ask)
        let needed =
            closure.rights.map { (right: $0, use: TriggerWrites.Use?.none) }
            + writes.uses.map { ($0.right, $0) }
        lacking = NeededRight.lacking(needed, try NeededRight.missing(needed.map(\.right), asking: ask))
        let restoring =
            archives
            ? try TriggerWrites(closure.eventsOfRestoring(after: writes), in: closure.map, asking: ask) : nil
        effectsOfArchive = restoring?.outsideEffects(in: closure.map.graph) ?? []
    }

    /// Columns that hold the person behind a deletion.
    func suspectsLeft(asking ask: Ask) throws(Failure) -> [HeldColumn] {
        try search.runAgain(behind: held, asking: ask) + closure.columnsLeft(behind: true, asking: ask)
    }

    /// Whether what becomes of a row that is written is not for the statement alone to say: a rule, or a trigger before it, may
    /// keep it or make something else of it, and what triggers its partitions have, nobody has asked.
    func hasOthersSay(in relation: Graph.Table, on fires: (TriggerEffect) -> Bool) -> Bool {
        relation.isRuled || relation.isPartitioned
            || writes.known.contains { $0.table == relation.oid && $0.isBefore && $0.isForEachRow && fires($0) }
    }
}

extension AccountMap {
    /// The links that set a default, and what asks whether that refers to a row which stays.
    fileprivate var defaultsInDoubt: [(link: Int, query: Query)] {
        var questions: [(link: Int, query: Query)] = []
        for link in links {
            guard case .detach(_, toDefault: true) = link.effect, let reference = link.reference,
                let parent = graph.tables[link.parent]
            else { continue }
            var bindings = Bindings()
            let pairs = reference.columns.map { "\(cell($0.referenced)) = (\($0.standard))" }.joined(separator: " and ")
            var condition = pairs
            if link.parent == root.oid {
                condition +=
                    " and " + root.key.matches([root.list], as: .root, &bindings)
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
