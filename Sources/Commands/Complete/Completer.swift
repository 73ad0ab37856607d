package import AppFile
package import CommandLine
package import Inquiries
import Terminal

/// Completes the end of a command line, for the console and for shells.
///
/// The completer never asks questions, waits only briefly, and never offers control characters.
package struct Completer {
    package struct Offer: Sendable {
        package var candidates: [Completion.Candidate] = []
        package var files = false
        /// True if the word isn't complete, so that no space follows.
        package var isOpen = false
        /// True if some candidates are missing, so that the common prefix may be wrong.
        package var isPartial = false
        package var typed = ""
        package var lead = ""
    }

    private let grammar: Grammar
    private let app: App?
    private let lookUp: (Lookup) -> Lookup.Answer

    /// Creates a completer for a grammar and the commands of an app; `lookUp` queries the database.
    package init(grammar: Grammar, app: App?, lookUp: @escaping (Lookup) -> Lookup.Answer) {
        self.grammar = app.map { AppVerbs.extending(grammar, by: $0) } ?? grammar
        self.app = app
        self.lookUp = lookUp
    }

    package func offer(for words: [String], hasUser: Bool = false) -> Offer {
        let completion = grammar.completion(of: words, hasUser: hasUser)
        var offer = Offer(
            candidates: completion.candidates, typed: completion.typed, lead: completion.lead)
        for kind in completion.kinds {
            for candidate in values(of: kind, completion, &offer) where candidate.name.hasPrefix(completion.typed) {
                offer.candidates.append(.init(completion.lead + candidate.name, candidate.summary))
            }
        }
        offer.candidates = offer.candidates.filter { SafeText($0.name).description == $0.name }.map {
            .init($0.name, SafeText($0.summary).description)
        }
        if offer.candidates.count == 1, offer.candidates[0].name.last == "=" { offer.isOpen = true }
        return offer
    }

    private func values(
        of kind: ValueKind, _ completion: Completion, _ offer: inout Offer
    ) -> [Completion.Candidate] {
        switch kind {
        case .user: return users(completion.typed, &offer)
        case .file:
            offer.files = true
            return []
        case .app:
            offer.files = true
            return AppLibrary.names.map { .init($0) }
        case .decision: return decisions(completion.typed)
        case .assignment: return assumptions(completion.typed)
        case .object(let noun):
            let path = completion.command?.path ?? []
            let action = path.count == 2 ? app?.action(path[0], path[1]) : nil
            let selections = action?.subject == .object(noun) ? action?.selections ?? [] : []
            return candidates(of: .objects(noun, beginning: completion.typed, among: selections), &offer)
        case .named(let name): return named(name, completion, &offer)
        case .text, .integer, .seconds, .time, .choice, .answer, .topic: return []
        }
    }

    /// The users whose email begins with the typed letters; none without a typed letter, to protect personal data.
    private func users(_ typed: String, _ offer: inout Offer) -> [Completion.Candidate] {
        if typed.isEmpty { return [] }
        // An email matches in any letter case; the typed letters are kept.
        return candidates(of: .addresses(beginning: typed), &offer).map { candidate in
            candidate.name.prefix(typed.count).lowercased() == typed.lowercased()
                ? Completion.Candidate(typed + candidate.name.dropFirst(typed.count), candidate.summary) : candidate
        }
    }

    private func decisions(_ typed: String) -> [Completion.Candidate] {
        guard let app else { return [] }
        guard let equals = typed.firstIndex(of: "=") else {
            return app.decisions.map { .init($0.name + "=", $0.question) }
        }
        let name = typed[..<equals]
        let rules = app.decisions.first { $0.name == name }?.rules ?? []
        return rules.grouped { $0.outcome }.map { same in
            let meaning = same.count == 1 ? same[0].sentence.source : "\(same.count) rules give this outcome"
            return .init("\(name)=\(same[0].outcome)", meaning)
        }
    }

    private func assumptions(_ typed: String) -> [Completion.Candidate] {
        let all = app?.decisions.flatMap { decision in decision.assumptions.map { (decision, $0) } } ?? []
        guard let equals = typed.firstIndex(of: "=") else {
            return all.map { .init($0.1.name + "=", "assumed by \($0.0.name)") }
        }
        // Several decisions may have the same assumption.
        let name = typed[..<equals]
        let choices = all.filter { $0.1.name == name }.flatMap(\.1.choices)
        return choices.grouped { $0 }.map { .init("\(name)=\($0[0])") }
    }

    private func named(_ name: String, _ completion: Completion, _ offer: inout Offer) -> [Completion.Candidate] {
        let given = completion.given
        if name == "member" { return candidates(of: .members, &offer) }
        if name == "label" { return labels(completion.typed, &offer) }
        guard let app else { return [] }
        switch name {
        case "user": return users(completion.typed, &offer)
        case "selection": return app.users.selections.map { .init($0.name, $0.sentence.source) }
        case "decision": return app.decisions.map { .init($0.name, $0.question) }
        case "check": return app.checks.map { .init($0.name, $0.summary) }
        case "state": return app.states.map { .init($0.name, $0.summary) }
        case "settings": return app.settings.map { .init($0.name, $0.summary) }
        case "setting": return candidates(of: .settings(given.first), &offer)
        case "column":
            // A setting is typed as table, row and column; the table can be omitted if there is only one table.
            let settings = try? app.settings(given.count > 1 ? given.first : nil)
            return (settings?.columns ?? []).map { .init($0.name, Self.meaning(of: $0)) }
        case "operation": return candidates(of: .operations(undoable: completion.command?.path.last == "undo"), &offer)
        case "request": return candidates(of: .requests, &offer)
        default: return []
        }
    }

    private func labels(_ typed: String, _ offer: inout Offer) -> [Completion.Candidate] {
        let labels = typed.split(separator: ",", omittingEmptySubsequences: false).dropLast()
        return candidates(of: .labels, &offer).filter { !labels.contains(Substring($0.name)) }
            .map { .init((labels.map(String.init) + [$0.name]).joined(separator: ",")) }
    }

    private func candidates(of lookup: Lookup, _ offer: inout Offer) -> [Completion.Candidate] {
        let answer = lookUp(lookup)
        if !answer.isWhole { offer.isPartial = true }
        return answer.found.map { .init($0.name, $0.summary) }
    }

    private static func meaning(of column: ParameterDeclaration) -> String {
        if !column.choices.isEmpty { return column.choices.joined(separator: " | ") }
        return column.range.map { "\(column.type) \($0.lowerBound)..\($0.upperBound)" } ?? column.type
    }
}
