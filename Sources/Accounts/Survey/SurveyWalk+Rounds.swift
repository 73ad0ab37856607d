internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension SurveyWalk {
    /// Asks what the data and the catalog ask together, or the catalog alone.
    static func go(
        from start: AccountStart, _ map: AccountMap, _ answers: [Survey.Answer], weighingData: Bool, asking ask: Ask
    ) throws(Failure) -> SurveyWalk {
        guard weighingData else {
            return try go(
                from: start, map, answers, try Candidates.all(in: map, weighingData: false, asking: ask), asking: ask)
        }
        let weighed = try Candidates.all(in: map, weighingData: true, asking: ask)
        var walk = try go(from: start, map, answers, weighed, asking: ask)
        let settled = start.settled(by: walk.questions.flatMap(\.proposal))
        let named = try go(
            from: settled, try map.settled(by: settled, asking: ask), answers,
            try Candidates.all(in: map, weighingData: false, asking: ask), weighed: weighed.columns, asking: ask)
        let asked = Set(walk.questions.map(\.path))
        walk.questions += named.questions.filter { !asked.contains($0.path) }
        return walk
    }

    /// Asks as the lines of an app file stand, and what more there is to ask once the proposals are among them.
    ///
    /// What a line leads to, frees or lets triggers write opens more; so whoever has written all down is asked nothing else.
    private static func go(
        from start: AccountStart, _ map: AccountMap, _ answers: [Survey.Answer],
        _ found: (columns: Candidates, mentioned: Candidates.Mentioned), weighed: Candidates? = nil, asking ask: Ask
    ) throws(Failure) -> SurveyWalk {
        let weighsData = found.columns.weighsData
        func walk(_ map: AccountMap) throws(Failure) -> SurveyWalk {
            let outward = weighsData ? try Readings.Outward(of: map, asking: ask) : Readings.Outward(of: map)
            var walk = SurveyWalk(map, found.columns, weighed, outward, answers)
            try walk.go(found.mentioned, asking: ask)
            return walk
        }
        var (start, all) = (start, try walk(map))
        var (next, new) = (all, all.questions)
        var asked = Set(new.map(\.path))
        while !new.allSatisfy(\.proposal.isEmpty) {
            start = start.settled(by: new.flatMap(\.proposal))
            next = try walk(try next.map.settled(by: start, asking: ask))
            new = next.questions.filter { asked.insert($0.path).inserted }
            all.questions += new
            all.hidden.formUnion(next.hidden)
        }
        guard weighsData else { return all }
        try next.addShared(from: start, asking: ask)
        all.questions += next.questions.filter { $0.matter == .shared }
        all.shared = next.shared
        if let idle = next.idleAnswer { throw Failure(AccountRefusal.answersNothing(idle.path)) }
        return all
    }

    private mutating func go(_ mentioned: Candidates.Mentioned, asking ask: Ask) throws(Failure) {
        go()
        add(mentioned)
        addHidden()
        try addWritten(asking: ask)
    }
}

extension Candidates {
    /// All columns that could mean somebody, by keys and in texts.
    fileprivate static func all(
        in map: AccountMap, weighingData: Bool, asking ask: Ask
    ) throws(Failure) -> (columns: Candidates, mentioned: Mentioned) {
        var columns = try Candidates(of: map, weighingData: weighingData, asking: ask)
        let outward = weighingData ? map.outwardKeys : []
        if weighingData { try columns.lookForNames(besides: outward, asking: ask) }
        try columns.lookForClaims(on: outward, asking: ask)
        let mentioned = try Mentioned(in: columns, of: map, asking: ask)
        columns.yield(to: mentioned)
        return (columns, mentioned)
    }
}

extension AccountMap {
    /// The same of what was read before, as other lines have it.
    func settled(by start: AccountStart, asking ask: Ask) throws(Failure) -> AccountMap {
        let tables = [start.root.oid] + (start.account.map { DeclaredSide.tables(of: $0, in: graph) } ?? [])
        let answer = try ask([TableColumns.query(of: tables)])[0]
        let columns = try decoding { () throws(DecodingFailure) in try TableColumns(answer) }
        return AccountMap(graph, lexicon, of: start, columns, open: openColumns)
    }
}

extension AccountStart {
    /// The same as if the app file had some lines more.
    fileprivate func settled(by proposals: [Survey.Proposal]) -> AccountStart {
        let column = SQLName.path(of: [root.column])
        let lines = proposals.map { proposal in
            // A name may hold a line end, which would end the comment that a directive is.
            "-- @" + proposal.line.dropFirst().map { $0.isNewline ? " " : String($0) }.joined()
                + (proposal.reason == nil ? "" : " : Proposed.")
        }
        let text = """
            -- @app proposed  Proposed
            -- @requires \(SQLName.path(of: [root.schema, root.name]))
            -- @users
            -- @key \(column)
            select u.\(column) from \(SQLName.path(of: [root.schema, root.name])) u;
            -- @account
            -- @root \(SQLName.path(of: [root.schema, root.name, root.column]))
            \(lines.joined(separator: "\n"))

            """
        let file = SourceFile(name: "proposed", bytes: Array(text.utf8))
        // What is called so that no line can name it opens nothing: `app check` says so of the lines.
        let proposed = try? AppParser.parse(sound: file) { _ in nil }.account
        var start = self
        start.account = proposed.map { account?.settling($0) ?? $0 } ?? account
        return start
    }
}
