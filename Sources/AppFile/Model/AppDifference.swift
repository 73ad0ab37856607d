/// What one version of an app file says and another does not, piece by piece.
package struct AppDifference: Sendable {
    package enum Change: String, Sendable { case added, removed, changed, moved }

    /// Something that differs.
    package struct Item: Sendable {
        /// The block it belongs to, `decision access`.
        package let block: String
        /// The part of the block, nil for the block as a whole.
        package let part: String?
        package let change: Change
        package let before: String?
        package let after: String?
    }

    package let items: [Item]

    /// Compares two apps; white space, comments and the case of SQL words are no differences.
    package static func between(_ a: App, _ b: App) -> AppDifference {
        let (before, after) = (a.described, b.described)
        var items: [Item] = []
        for block in before where !after.contains(where: { $0.name == block.name }) {
            items.append(Item(block: block.name, part: nil, change: .removed, before: nil, after: nil))
        }
        for block in after {
            guard let old = before.first(where: { $0.name == block.name }) else {
                items.append(Item(block: block.name, part: nil, change: .added, before: nil, after: nil))
                continue
            }
            items += differences(in: block.name, old.parts, block.parts)
        }
        return AppDifference(items: items)
    }

    private static func differences(in block: String, _ before: [Part], _ after: [Part]) -> [Item] {
        var items: [Item] = []
        var gone = before.filter { part in !after.contains { $0.name == part.name } }
        var reworded: [Item] = []
        let added = after.filter { part in
            guard !before.contains(where: { $0.name == part.name }) else { return false }
            guard let place = gone.firstIndex(where: part.isReworded) else { return true }
            let old = gone.remove(at: place)
            reworded.append(Item(block: block, part: part.kind, change: .changed, before: old.said, after: part.said))
            return false
        }
        for part in gone {
            items.append(Item(block: block, part: part.name, change: .removed, before: part.text, after: nil))
        }
        items += reworded
        for part in after {
            guard let old = before.first(where: { $0.name == part.name }) else {
                if added.contains(where: { $0.name == part.name }) {
                    items.append(Item(block: block, part: part.name, change: .added, before: nil, after: part.text))
                }
                continue
            }
            if old.compared != part.compared {
                items.append(Item(block: block, part: part.name, change: .changed, before: old.text, after: part.text))
            }
        }
        func order(_ parts: [Part], in others: [Part]) -> [String] {
            parts.filter { part in part.isOrdered && others.contains { $0.name == part.name } }.map(\.name)
        }
        let (old, new) = (order(before, in: after), order(after, in: before))
        if old != new, let first = zip(old, new).first(where: { $0 != $1 }) {
            items.append(Item(block: block, part: first.1, change: .moved, before: nil, after: nil))
        }
        return items
    }

    /// A block as pieces of text that can be held against each other.
    struct Described {
        let name: String
        let parts: [Part]
    }

    struct Part {
        let name: String
        /// Of what is told apart by the sentence that it says: what it is, and that sentence.
        var kind = ""
        var said: String?
        let text: String
        let compared: [String]
        /// Whether it matters what stands before it.
        let isOrdered: Bool

        init(_ name: String, _ text: String?, isOrdered: Bool = false) {
            (self.name, self.text, self.isOrdered) = (name, text ?? "", isOrdered)
            compared = [text ?? ""]
        }

        init(_ name: String, _ sql: Fragment?, _ others: [String] = [], isOrdered: Bool = false) {
            self.name = name
            self.isOrdered = isOrdered
            text = ([sql?.text ?? ""] + others).filter { !$0.isEmpty }.joined(separator: "\n")
            compared = (sql?.normalized ?? []) + others
        }

        /// Something that says a sentence of a condition.
        init(
            _ kind: String, saying sentence: Sentence, _ sql: Fragment?, _ others: [String] = [],
            isOrdered: Bool = false
        ) {
            self.init("\(kind)  \(sentence.source)", sql, others, isOrdered: isOrdered)
            (self.kind, said) = (kind, sentence.source)
        }

        /// Whether another part says the same otherwise.
        func isReworded(_ other: Part) -> Bool {
            said != nil && other.said != nil && kind == other.kind && compared == other.compared
        }
    }
}

extension App {
    fileprivate typealias Part = AppDifference.Part
    fileprivate typealias Described = AppDifference.Described

    /// Every block by its name.
    fileprivate var described: [AppDifference.Described] {
        var all = [head, directory]
        all += decisions.map { $0.described(as: own(of: $0)) }
        all += actions.map(\.described)
        all += states.map(\.described)
        all += quotas.map(\.described)
        all += panels.map(\.described)
        all += objects.map(\.described)
        all += settings.map(\.described)
        func add(_ name: String, _ select: Fragment, _ others: [String] = [], _ parts: [Part] = []) {
            all.append(Described(name: name, parts: [Part("the select", select, others)] + parts))
        }
        for timeline in timelines { add("timeline \(timeline.source)", timeline.select) }
        for definition in definitions { add("define \(definition.name)", definition.select, definition.columns) }
        for list in lists { add("list \(list.noun) \(list.verb)", list.select, [], list.parameters.all.map(\.part)) }
        for check in checks { add("check \(check.name)", check.select) }
        for stat in stats { add("stat \(stat.name)", stat.select) }
        return all + [accountLines].compactMap { $0 }
    }

    /// The rules of a decision without those that it takes from another one, where they are told.
    private func own(of decision: Decision) -> [Rule] {
        let others = decisions.filter { $0.name != decision.name && $0.place.file == decision.place.file }.map(
            \.place.offset)
        return decision.rules.filter { rule in
            let next = others.filter { $0 > decision.place.offset }.min() ?? Int.max
            return rule.place.file != decision.place.file || (decision.place.offset..<next).contains(rule.place.offset)
        }
    }

    private var head: AppDifference.Described {
        var parts = [Part("the name", name), Part("the title", title)]
        parts += requires.map { Part("requires \($0.name)", "") }
        parts += optional.map { Part("optional \($0.name)", $0.type) }
        return Described(name: "app", parts: parts + constants.map(\.part))
    }

    private var directory: AppDifference.Described {
        var parts = [
            Part("the key", users.key), Part("the addresses", users.emails.joined(separator: ", ")),
            Part("the select", users.select),
        ]
        parts += users.meanings.map { Part("fact \($0.fact)", $0.text) }
        parts += users.links.map { Part("link \($0.title)", $0.address.source) }
        parts += users.selections.map { Part("selection \($0.name)", $0.condition, [$0.sentence.source]) }
        return Described(name: "users", parts: parts)
    }

    private var accountLines: AppDifference.Described? {
        account.map { account in
            var parts = [Part("the root", account.root)]
            parts += account.refers.map { line in
                let subject = [line.from, line.to].compactMap(\.self).joined(separator: " -> ")
                let condition = line.condition.map { "where \($0)" }
                return Part(
                    "refers \(subject)",
                    [condition, line.answer?.rawValue, line.why].compactMap(\.self).joined(separator: " "))
            }
            parts += account.ignored.map { Part("ignore \($0.pattern)", "") }
            parts += account.kept.map { Part("keep \($0.table)", "\($0.way.text) \($0.why)") }
            parts += account.assignments.map { line in
                Part("set \(line.column)", "\(line.expression) \(line.way.text)")
            }
            parts += account.shared.map { Part("shared \($0.table)", "\($0.condition ?? "") \($0.answer)") }
            parts += account.owned.map { Part("owns \($0.from) -> \($0.to)", "") }
            parts += account.written.map { Part("written \($0.table)", $0.answer.rawValue) }
            parts += account.secrets.map { Part("secret \($0.column)", "") }
            parts += account.refusals.map { Part("refuses", saying: $0.sentence, $0.condition) }
            parts += account.warnings.map { Part("warns", saying: $0.sentence, $0.condition) }
            parts += account.statements.map { Part("does \($0.summary)", $0.sql) }
            return Described(name: "account", parts: parts)
        }
    }
}

extension App.Decision {
    fileprivate func described(as rules: [App.Rule]) -> AppDifference.Described {
        var parts = [
            AppDifference.Part("the question", question), .init("per", per), .init("the select", select),
        ]
        for rule in rules {
            let said = rule.advice.map { "advice: \($0.source)" } + rule.shows.map { "\($0.name): \($0.text.source)" }
            parts.append(.init("rule \(rule.outcome)", saying: rule.sentence, rule.condition, said, isOrdered: true))
            for reason in rule.reasons {
                let said = reason.advice.map { "advice: \($0.source)" }
                parts.append(.init("because", saying: reason.sentence, reason.condition, said, isOrdered: true))
            }
        }
        return .init(name: "decision \(name)", parts: parts + assumptions.map(\.part))
    }
}

extension App.Action {
    fileprivate var described: AppDifference.Described {
        var parts: [AppDifference.Part] = [
            .init("who may", role.rawValue), .init("the grade", grade.rawValue), .init("the ceiling", "\(ceiling)"),
            .init("done to", "\(subject)"), .init("in the order of", each),
            .init("can be undone", isFinal ? "no" : "yes"),
        ]
        parts += parameters.all.map(\.part)
        parts += expects.map { .init("promises \($0.decision)", $0.outcomes.joined(separator: " | ")) }
        parts += refusals.map { .init("refuses", saying: $0.sentence, $0.condition) }
        parts += warnings.map { .init("warns", saying: $0.sentence, $0.condition) }
        parts += statements.enumerated().map { .init("statement \($0 + 1)", $1.sql, isOrdered: true) }
        return .init(name: "action \(noun) \(verb)", parts: parts)
    }
}

extension App.State {
    fileprivate var described: AppDifference.Described {
        var parts: [AppDifference.Part] = expects.map {
            .init("promises \($0.decision)", $0.outcomes.joined(separator: " | "))
        }
        parts += statements.enumerated().map { .init("statement \($0 + 1)", $1.sql, isOrdered: true) }
        return .init(name: "state \(name)", parts: parts)
    }
}

extension App.ObjectKind {
    fileprivate var described: AppDifference.Described {
        var parts: [AppDifference.Part] = [
            .init("the key", key), .init("the user", userColumn), .init("the select", select),
            .init("the order", order.isEmpty ? nil : order.map(\.written).joined(separator: ", ")),
            .init("the members", members),
        ]
        parts += selections.map { .init("selection \($0.name)", $0.condition, [$0.sentence.source]) }
        return .init(name: "object \(noun)", parts: parts)
    }
}

extension App.Quota {
    fileprivate var described: AppDifference.Described {
        var parts: [AppDifference.Part] = [.init("per", per), .init("the select", select)]
        if let history { parts.append(.init("the history", history.select)) }
        return .init(name: "quota \(name)", parts: parts)
    }
}

extension App.Panel {
    fileprivate var described: AppDifference.Described {
        .init(
            name: "panel \(title)",
            parts: [
                .init("the select", select), .init("the limit", "\(limit)"),
                .init("the columns", columns.joined(separator: ", ")), .init("explains", explains),
            ])
    }
}

extension App.Settings {
    fileprivate var described: AppDifference.Described {
        var parts: [AppDifference.Part] = [.init("the table", table), .init("the key", key)]
        parts += columns.map(\.part)
        parts += impacts.map { .init("impact \($0.sentence.source)", $0.condition) }
        return .init(name: "settings \(name)", parts: parts)
    }
}

extension ParameterDeclaration {
    fileprivate var part: AppDifference.Part {
        let range = range.map { " \($0.lowerBound)..\($0.upperBound)" } ?? ""
        let type = choices.isEmpty ? type + range : choices.joined(separator: " | ")
        let end = (isOptional ? ", may be missing" : "") + (defaultValue.map { " = \($0)" } ?? "")
        return .init("parameter \(name)", type + end + (summary.map { ": \($0)" } ?? ""))
    }
}
