internal import Asking

/// What is suspected about an account, and the account as far as the answers to that let it grow.
struct Suspicions {
    private(set) var closure: AccountClosure
    private(set) var search: SuspectSearch
    /// All that was found, with what somebody answered for.
    private(set) var all: [Suspect]
    private let answers: SuspectAnswers
    /// Columns of other users' rows, which stay although they were to go.
    private let untouchable: Set<String>

    /// Nothing, where nobody asks.
    init(none search: SuspectSearch) {
        (closure, self.search, all) = (search.closure, search, [])
        (answers, untouchable) = (SuspectAnswers(), [])
    }

    /// Looks for suspects unless they are known; where somebody answered, their rows belong to the account.
    init(
        _ search: SuspectSearch, known: [Suspect]?, answers: SuspectAnswers, asking ask: Ask
    ) throws(Failure) {
        let map = search.closure.map
        var mentions = known?.filter(\.refersTo.isEmpty) ?? []
        if known == nil { mentions = try search.run(asking: ask) }
        let answered = search.answered(mentions, by: answers).filter { $0.answer != .keep }
        untouchable = Set(answered.filter { map.isAboutOthers($0.suspicion) }.map(\.suspicion.name))
        self.answers = answers
        (closure, self.search, all) = (search.closure, search, [])
        let reaching = answered.filter { !map.isAboutOthers($0.suspicion) }
        if !reaching.isEmpty {
            let others = OtherUsers(map, needles: search.needles, candidates: search.candidates)
            closure = try AccountClosure(
                map.suspecting(reaching, others: others), answer: closure.answer, asking: ask)
        }
        let loose = known?.filter { !$0.refersTo.isEmpty }
        let followed = try closure.following(answers, known: loose, asking: ask)
        closure = followed.closure
        self.search = search.besides(closure)
        if !reaching.isEmpty || followed.isFurther {
            // The account has grown, perhaps over rows in which the others stand.
            let reached = Set(reaching.map(\.suspicion.name))
            let rest = Set(mentions.map(\.name)).subtracting(reached)
            mentions = mentions.filter { reached.contains($0.name) }
            mentions += try self.search.run(
                search.candidates.filter { rest.contains(search.name($0)) }, .all, asking: ask)
        }
        all = Suspect.inOrder(mentions + followed.suspects)
    }

    /// Those that nobody answered for.
    var unanswered: [Suspect] { all.filter { answers[$0.table, $0.column] == nil } }

    /// Those that nobody answered for, or that stay whatever somebody answered.
    var open: [Suspect] {
        all.filter { suspect in
            let answer = answers[suspect.table, suspect.column]
            return answer == nil || untouchable.contains(suspect.name)
                || (suspect.isCopy || suspect.trouble != nil) && answer != .keep
        }
    }

    /// Those that stay although they were to go: they stand in rows of other users.
    var untouched: [Suspect] { open.filter { untouchable.contains($0.name) } }

    /// Those that stay on request.
    var kept: [Suspect] {
        let open = Set(open)
        return all.filter { !open.contains($0) && answers[$0.table, $0.column] == .keep }
    }
}
