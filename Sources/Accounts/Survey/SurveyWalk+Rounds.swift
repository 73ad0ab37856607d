internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension SurveyWalk {
    /// Asks as the lines of an app file stand, and what more there is to ask once the proposals are among them.
    ///
    /// What a line leads to, frees or lets triggers write opens more; so whoever has written all down is asked nothing else.
    static func go(
        from start: AccountStart, _ map: AccountMap, _ columns: Candidates, _ mentioned: Candidates.Mentioned,
        _ answers: [Survey.Answer], asking ask: Ask
    ) throws(Failure) -> SurveyWalk {
        var (start, walk) = (start, SurveyWalk(map, columns, try Readings.Outward(of: map, asking: ask), answers))
        try walk.go(mentioned, asking: ask)
        var (next, new) = (walk, walk.questions)
        var asked = Set(new.map(\.path))
        while !new.allSatisfy(\.proposal.isEmpty) {
            start = start.settled(by: new.flatMap(\.proposal))
            let map = try next.map.settled(by: start, asking: ask)
            next = SurveyWalk(map, columns, try Readings.Outward(of: map, asking: ask), answers)
            try next.go(mentioned, asking: ask)
            new = next.questions.filter { asked.insert($0.path).inserted }
            walk.questions += new
            walk.hidden.formUnion(next.hidden)
        }
        try next.addShared(from: start, asking: ask)
        walk.questions += next.questions.filter { $0.matter == .shared }
        walk.shared = next.shared
        if let idle = next.idleAnswer { throw Failure(AccountRefusal.answersNothing(idle.path)) }
        return walk
    }

    private mutating func go(_ mentioned: Candidates.Mentioned, asking ask: Ask) throws(Failure) {
        go()
        add(mentioned)
        addHidden()
        try addWritten(asking: ask)
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
