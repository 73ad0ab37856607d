/// On which events a statement of a trigger's function runs, as far as it asks for TG_OP.
extension Fragment {
    /// What a function may run for.
    private static let everyEvent: Set = ["insert", "update", "delete"]

    /// Something that an END ends.
    private struct Branch {
        var isIf = false
        /// On which events what stands at this place of it runs.
        var events = everyEvent
        /// Those that only the branches before it run on.
        var taken: Set<String> = []

        mutating func enter(_ asked: (events: Set<String>, isAll: Bool)?) {
            events = (asked?.events ?? everyEvent).subtracting(taken)
            if let asked, asked.isAll { taken.formUnion(asked.events) }
        }
    }

    /// The events on which a statement at a place runs, by the IFs around it; every one where none of them asks.
    func events(at place: Int) -> Set<String> {
        var open: [Branch] = []
        for index in tokens.indices.prefix(place) where isKeyword(at: index) {
            let (word, before) = (word(at: index), word(at: index - 1))
            let isStatement = beginsStatement(at: index)
            switch word {
            case "if" where isStatement:
                var branch = Branch(isIf: true)
                branch.enter(asked(from: index + 1))
                open.append(branch)
            case "elsif", "elseif":
                if let last = open.indices.last, open[last].isIf { open[last].enter(asked(from: index + 1)) }
            case "else":
                if let last = open.indices.last, open[last].isIf { open[last].enter(nil) }
            case "begin" where isStatement, "case" where before != "end": open.append(Branch())
            case "end" where self.word(at: index + 1) != "loop": _ = open.popLast()
            default: continue
            }
        }
        return open.reduce(Self.everyEvent) { $0.intersection($1.events) }
    }

    /// Whether a statement of a function may begin at a place.
    func beginsStatement(at place: Int) -> Bool {
        [";", "begin", "then", "else", "loop", ">", ""].contains(word(at: place - 1))
    }

    /// The events that a condition asks for, and whether it asks for nothing else.
    private func asked(from start: Int) -> (events: Set<String>, isAll: Bool)? {
        let end = tokens.indices.dropFirst(start).first { word(at: $0) == "then" } ?? tokens.count
        let condition = tokens[min(start, end)..<end].indices.map { word(at: $0) }.filter { $0 != "(" && $0 != ")" }
        // What is turned round, or chosen by a case, is read no further.
        let isPlain = condition.indices.allSatisfy { place in
            condition[place] != "case" && (condition[place] != "not" || place > 0 && condition[place - 1] == "is")
        }
        guard isPlain else { return nil }
        let choices = condition.split(separator: "or")
        let tests = choices.map { $0.split(separator: "and").map(Self.test) }
        if choices.count > 1 {
            let all = tests.compactMap { $0.count == 1 ? $0[0] : nil }
            return all.count == choices.count ? (all.reduce(into: []) { $0.formUnion($1) }, true) : nil
        }
        let known = tests.joined().compactMap(\.self)
        guard !known.isEmpty else { return nil }
        return (known.reduce(Self.everyEvent) { $0.intersection($1) }, known.count == tests.joined().count)
    }

    /// The events for which a comparison of TG_OP holds; nil where it is something else.
    private static func test(_ words: ArraySlice<String>) -> Set<String>? {
        var words = Array(words)
        guard words.count > 2, words.removeFirst() == "tg_op" else { return nil }
        let verb = words.removeFirst()
        // An operator is one token a character.
        let isNot = verb == "<" && words.first == ">" || verb == "!" && words.first == "="
        guard isNot || verb == "=" || verb == "in" else { return nil }
        let values = words.dropFirst(isNot ? 1 : 0).filter { $0 != "," }
        guard values.allSatisfy({ $0.hasPrefix("'") && $0.hasSuffix("'") }) else { return nil }
        let named = Set(values.map { $0.dropFirst().dropLast().lowercased() })
        return isNot ? everyEvent.subtracting(named) : everyEvent.intersection(named)
    }
}
