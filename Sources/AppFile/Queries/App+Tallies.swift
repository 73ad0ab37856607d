/// What is counted over all users by reading them once: figures of which it can be told that they read the same rows.
package struct Tally: Sendable {
    /// What is counted of each row.
    package enum Figure: Sendable {
        case selection(App.Selection)
        case decision(App.Decision)
        case quota(App.Quota)
    }

    /// What tells a figure of an app from the others.
    package enum Name: Sendable, Hashable {
        case selection(String)
        case decision(String)
        case quota(String)
    }

    package internal(set) var figures: [Figure] = []
    /// What is read, FROM and all.
    let source: Fragment?
    /// What the users are called there, where each of them is there.
    let users: String?
}

extension App {
    /// The figures that can be counted together, each in one tally at most; the others have selects of their own.
    package var tallies: [Tally] {
        var tallies: [Tally] = []
        // The widest of the sources first, so that what asks about the users alone finds one with them.
        for decision in decisions.filter({ !$0.readsUsersAlone }) where decision.isTallied(in: self) {
            if let source = decision.select?.plain?.source { add(.decision(decision), reading: source, to: &tallies) }
        }
        for quota in quotas where quota.per == nil {
            if let source = quota.select.plain?.source { add(.quota(quota), reading: source, to: &tallies) }
        }
        let ofUsers =
            users.selections.map(Tally.Figure.selection)
            + decisions.filter { $0.readsUsersAlone && $0.isTallied(in: self) }.map(Tally.Figure.decision)
        if !ofUsers.isEmpty {
            let place = tallies.firstIndex { tally in
                tally.users != nil && ofUsers.allSatisfy { tally.figures.agree(with: $0) }
            }
            if let place {
                tallies[place].figures += ofUsers
            } else {
                var own = Tally(source: nil, users: "person")
                for figure in ofUsers where own.figures.agree(with: figure) { own.figures.append(figure) }
                tallies.append(own)
            }
        }
        return tallies.filter { $0.figures.count > 1 }
    }

    private func add(_ figure: Tally.Figure, reading source: Fragment, to tallies: inout [Tally]) {
        let place = tallies.firstIndex { tally in
            tally.source?.normalized == source.normalized && tally.figures.agree(with: figure)
        }
        if let place {
            tallies[place].figures.append(figure)
        } else {
            let leading = source.leading
            tallies.append(
                Tally(figures: [figure], source: source, users: leading?.name == "users" ? leading?.alias : nil))
        }
    }
}

extension App.Decision {
    /// Whether it reads the users and, row by row, nothing else; so do its rules where it has no select.
    var readsUsersAlone: Bool {
        guard let select else { return true }
        guard let plain = select.plain, plain.condition == nil, let leading = plain.source.leading else { return false }
        return leading.name == "users" && !plain.source.names("join")
    }

    /// Whether it says one thing of each row that it reads.
    fileprivate func isTallied(in app: App) -> Bool {
        // A constant of the app file that is called like something assumed would be bound as that for all.
        per == nil && (select == nil || select?.plain.map { $0.condition == nil } == true)
            && !assumptions.contains { assumed in app.constants.contains { $0.name == assumed.name } }
    }
}

extension [Tally.Figure] {
    /// Whether a name means the same to a figure as to these: it is bound once for all.
    fileprivate func agree(with other: Tally.Figure) -> Bool {
        guard bits + other.bits <= 62 else { return false }
        return allSatisfy { figure in
            figure.defaults.allSatisfy { name, value in other.defaults[name].map { $0 == value } ?? true }
        }
    }

    /// How many bits tell apart all that a row can come to.
    var bits: Int { map(\.bits).reduce(0, +) }
}

extension Tally {
    /// Whether each row has to be one user of the directory, and each user one row.
    package var countsUsers: Bool {
        figures.contains { figure in
            switch figure {
            case .selection: true
            case .decision(let decision): decision.readsUsersAlone
            case .quota: false
            }
        }
    }
}

extension Tally.Figure {
    package var name: Tally.Name {
        switch self {
        case .selection(let selection): .selection(selection.name)
        case .decision(let decision): .decision(decision.name)
        case .quota(let quota): .quota(quota.name)
        }
    }

    /// What is supposed where nobody says anything else.
    var defaults: [String: Binding] {
        if case .decision(let decision) = self { decision.defaults } else { [:] }
    }

    /// How many bits tell apart what a row comes to.
    var bits: Int {
        switch self {
        case .selection: 1
        // Whether there is a row, and whether all of it is used.
        case .quota: 2
        case .decision(let decision): Int.bitWidth - decision.outcomes.count.leadingZeroBitCount
        }
    }
}

extension App.Decision {
    /// The outcomes, each once, in the order of the rules.
    package var outcomes: [String] {
        rules.reduce(into: []) { if !$0.contains($1.outcome) { $0.append($1.outcome) } }
    }
}
