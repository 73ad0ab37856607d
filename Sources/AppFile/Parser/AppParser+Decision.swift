/// Parses `@decision` blocks.
extension AppParser {
    mutating func decision(_ block: Block) -> App.Decision {
        let foundations = foundations(of: block)
        var rules: [App.Rule] = []
        for part in [block] + foundations { rules += self.rules(of: part) }
        if rules.isEmpty {
            report("a decision needs at least one @rule", at: block.directive.offset, of: block.directive)
        }
        let head = block.directive.head
        var assumptions: [ParameterDeclaration] = []
        for part in [block] + foundations {
            let declared = declarations("assume", of: part)
            assumptions += declared.filter { one in !assumptions.contains { $0.name == one.name } }
        }
        // A decision without its own facts uses the facts of the decision that it includes.
        let source = ([block] + foundations).first { $0.directive.sql != nil } ?? block
        return App.Decision(
            name: head.name, question: String(head.rest), per: source.first("per").map { column(of: $0) },
            assumptions: assumptions, select: source.directive.sql, rules: rules,
            place: block.directive.place, places: App.NamePlaces(source))
    }

    /// A rule or reason while its attributes are parsed.
    private struct RuleDraft {
        let directive: Directive
        let sentence: Sentence
        var advice: [Sentence] = []
        var shows: [(name: String, text: Sentence)] = []
        var reasons: [RuleDraft] = []
        /// The names of the texts that the rule itself declares, without the texts of its screen.
        var own: Set<String> = []

        var rule: App.Rule {
            App.Rule(
                outcome: directive.head.name, sentence: sentence, advice: advice, shows: shows,
                condition: directive.select, reasons: reasons.map(\.reason),
                place: directive.textPlace)
        }

        private var reason: App.Reason {
            App.Reason(sentence: sentence, advice: advice, shows: shows, condition: directive.select)
        }

        /// Changes the last reason of the rule, or the rule itself if it has no reason yet.
        mutating func change(_ change: (inout RuleDraft) -> Void) {
            if reasons.isEmpty { change(&self) } else { change(&reasons[reasons.count - 1]) }
        }
    }

    private mutating func rules(of block: Block) -> [App.Rule] {
        var drafts: [RuleDraft] = []
        for attribute in block.attributes {
            switch attribute.word {
            case "rule": drafts.append(rule(attribute))
            case "because" where !drafts.isEmpty:
                drafts[drafts.count - 1].reasons.append(
                    RuleDraft(directive: attribute, sentence: sentence(attribute.text[...], of: attribute)))
            case "advice" where !drafts.isEmpty:
                let advice = advice(attribute)
                drafts[drafts.count - 1].change { $0.advice += advice }
            case "shows" where !drafts.isEmpty:
                let (shows, advice) = shown(by: attribute)
                var isNew = true
                drafts[drafts.count - 1].change { draft in
                    draft.advice += advice
                    for shown in shows { draft.shows = Self.adding(shown, to: draft.shows) }
                    if let one = attribute.shownName { isNew = draft.own.insert(one).inserted }
                }
                if !isNew, let name = attribute.shownName {
                    report("@shows \(name) appears twice below this @rule", at: attribute)
                }
            case "because", "advice", "shows":
                report("@\(attribute.word) belongs below a @rule", at: attribute.offset, of: attribute)
            default: continue
            }
        }
        return drafts.map(\.rule)
    }

    private mutating func rule(_ directive: Directive) -> RuleDraft {
        let rest = directive.head.rest
        if rest.isEmpty, !directive.text.isEmpty {
            report("a rule needs a sentence after its outcome", at: directive)
        }
        return RuleDraft(directive: directive, sentence: sentence(rest, of: directive))
    }

    /// The texts of a `@shows`: one text, or all texts and the advice of a named screen.
    private mutating func shown(
        by directive: Directive
    ) -> (shows: [(name: String, text: Sentence)], advice: [Sentence]) {
        let text = directive.text
        if text.isEmpty { return ([], []) }
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            let screens = blocks.filter { $0.directive.word == "screen" }
            if let screen = screens.first(where: { $0.name == text }) { return content(of: screen) }
            if screens.isEmpty {
                report("write @shows NAME: TEXT", at: directive)
            } else {
                reportNoScreen(directive)
            }
            return ([], [])
        }
        guard let name = directive.shownName else {
            report("write @shows NAME: TEXT", at: directive)
            return ([], [])
        }
        return ([(name, sentence(trim(text[text.utf8.index(after: colon)...]), of: directive))], [])
    }

    /// The advice of an `@advice`: its sentence, or all advice of a screen that it names.
    private mutating func advice(_ directive: Directive) -> [Sentence] {
        let text = directive.text
        let screen = blocks.first { $0.directive.word == "screen" && $0.name == text }
        if let screen { return content(of: screen).advice }
        // A single word without punctuation is the name of a screen, not a sentence.
        if !text.isEmpty, text.utf8.allSatisfy({ Lexer.continuesName($0) || $0 == UInt8(ascii: "-") }) {
            reportNoScreen(directive)
        }
        return [sentence(text[...], of: directive)]
    }

    private mutating func reportNoScreen(_ directive: Directive) {
        let name = directive.text
        let screens = blocks.filter { $0.directive.word == "screen" }.map(\.name)
        report("there is no @screen \(name)", at: directive, hint: Nearest.hint(for: name, among: screens))
    }

    /// The texts and the advice of a screen.
    private mutating func content(
        of screen: Block
    ) -> (shows: [(name: String, text: Sentence)], advice: [Sentence]) {
        var (shows, advice): ([(name: String, text: Sentence)], [Sentence]) = ([], [])
        for attribute in screen.attributes {
            if attribute.word == "advice" {
                advice.append(sentence(attribute.text[...], of: attribute))
            } else if attribute.text.utf8.contains(UInt8(ascii: ":")) {
                for shown in shown(by: attribute).shows { shows = Self.adding(shown, to: shows) }
            } else if !attribute.text.isEmpty {
                report("write @shows NAME: TEXT", at: attribute)
            }
        }
        return (shows, advice)
    }

    /// Adds a text to the shown texts; a text of the rule replaces the screen's text with the same name.
    private static func adding(
        _ shown: (name: String, text: Sentence), to shows: [(name: String, text: Sentence)]
    ) -> [(name: String, text: Sentence)] {
        guard let place = shows.firstIndex(where: { $0.name == shown.name }) else { return shows + [shown] }
        var shows = shows
        shows[place] = shown
        return shows
    }
}

extension Directive {
    /// The name in `@shows NAME: TEXT`.
    fileprivate var shownName: String? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = trim(text[..<colon])
        return name.isEmpty ? nil : String(name)
    }
}
