/// What a decision says.
extension AppParser {
    mutating func decision(_ block: Block) -> App.Decision {
        let rules = rules(of: block)
        if rules.isEmpty { report("a decision needs rules", at: block.directive.offset, of: block.directive) }
        let head = block.directive.head
        return App.Decision(
            name: head.name, question: String(head.rest), per: block.first("per").map { column(of: $0) },
            assumptions: declarations("assume", of: block), select: block.directive.sql, rules: rules)
    }

    /// A rule and what stands below it.
    private struct RuleDraft {
        let directive: Directive
        let sentence: Sentence
        var advice: [Sentence] = []
        var shows: [(name: String, text: Sentence)] = []

        var rule: App.Rule {
            App.Rule(
                outcome: directive.head.name, sentence: sentence, advice: advice, shows: shows,
                condition: directive.select, place: App.Place(file: directive.file, offset: directive.textOffset))
        }
    }

    private mutating func rules(of block: Block) -> [App.Rule] {
        var drafts: [RuleDraft] = []
        for attribute in block.attributes {
            switch attribute.word {
            case "rule": drafts.append(rule(attribute))
            case "advice" where !drafts.isEmpty:
                drafts[drafts.count - 1].advice.append(sentence(attribute.text[...], of: attribute))
            case "shows" where !drafts.isEmpty: show(attribute, below: &drafts[drafts.count - 1])
            case "advice", "shows":
                report("@\(attribute.word) belongs below a @rule", at: attribute.offset, of: attribute)
            default: continue
            }
        }
        return drafts.map(\.rule)
    }

    private mutating func rule(_ directive: Directive) -> RuleDraft {
        let rest = directive.head.rest
        if rest.isEmpty, !directive.text.isEmpty {
            report("a rule needs a sentence behind its outcome", at: directive.textOffset, of: directive)
        }
        return RuleDraft(directive: directive, sentence: sentence(rest, of: directive))
    }

    private mutating func show(_ directive: Directive, below rule: inout RuleDraft) {
        let text = directive.text
        let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) ?? text.startIndex
        let name = String(trim(text[..<colon]))
        guard !name.isEmpty else {
            if !text.isEmpty { report("write @shows NAME: TEXT", at: directive.textOffset, of: directive) }
            return
        }
        if rule.shows.contains(where: { $0.name == name }) {
            report("@shows \(name) stands twice below this @rule", at: directive.textOffset, of: directive)
        }
        rule.shows.append((name, sentence(trim(text[text.utf8.index(after: colon)...]), of: directive)))
    }
}
