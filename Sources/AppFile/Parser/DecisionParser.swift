/// Parses `@decision` blocks.
struct DecisionParser: BlockParser {
    let blocks: AppBlocks
    var diagnostics: [Diagnostic] = []

    mutating func decision(_ block: Block) -> App.Decision {
        let parts = [block] + foundations(of: block)
        let rules = parts.flatMap { self.rules(of: $0) }
        if rules.isEmpty {
            report("a decision needs at least one @rule", at: block.directive.place)
        }
        let head = block.directive.head
        var assumptions: [ParameterDeclaration] = []
        for part in parts {
            let declared = declarations("assume", of: part)
            assumptions += declared.filter { one in !assumptions.contains { $0.name == one.name } }
        }
        // A decision without its own facts uses the facts of the decision that it includes.
        let source = parts.first { $0.directive.sql != nil } ?? block
        return App.Decision(
            name: head.name, question: String(head.rest), per: source.first("per").map { column(of: $0) },
            assumptions: assumptions, select: source.directive.sql, rules: rules,
            place: block.directive.place, source: source.directive.place)
    }

    private mutating func rules(of block: Block) -> [App.Rule] {
        var rules: [App.Rule] = []
        // The names of the texts that the last rule or reason itself declares, without the texts of its screen.
        var declared: Set<String> = []
        for attribute in block.attributes {
            switch attribute.word {
            case "rule":
                rules.append(rule(attribute))
                declared = []
            case "because" where !rules.isEmpty:
                let sentence = sentence(attribute.text[...], of: attribute)
                rules[rules.count - 1].reasons.append(App.Reason(sentence: sentence, condition: attribute.select))
                declared = []
            case "advice" where !rules.isEmpty:
                rules[rules.count - 1].add(advice(attribute))
            case "shows" where !rules.isEmpty:
                rules[rules.count - 1].add(shown(by: attribute))
                if let name = attribute.shownName, !declared.insert(name).inserted {
                    report("@shows \(name) appears twice below this @rule", at: attribute)
                }
            case "because", "advice", "shows":
                report("@\(attribute.word) belongs below a @rule", at: attribute.place)
            default: continue
            }
        }
        return rules
    }

    private mutating func rule(_ directive: Directive) -> App.Rule {
        let rest = directive.head.rest
        if rest.isEmpty, !directive.text.isEmpty {
            report("a rule needs a sentence after its outcome", at: directive)
        }
        return App.Rule(
            outcome: directive.head.name, sentence: sentence(rest, of: directive), condition: directive.select,
            place: directive.textPlace)
    }

    /// The texts of a `@shows`: one text, or all texts and the advice of a named screen.
    private mutating func shown(by directive: Directive) -> App.Details {
        let text = directive.text
        if let name = directive.shownName, let colon = text.firstIndex(of: ":") {
            return App.Details(shows: [(name, sentence(trim(text[text.index(after: colon)...]), of: directive))])
        }
        if text.isEmpty { return App.Details() }
        let screens = blocks["screen"]
        if let screen = screens.first(where: { $0.name == text }) { return content(of: screen) }
        if screens.isEmpty || text.contains(":") {
            report("write @shows NAME: TEXT", at: directive)
        } else {
            reportNoScreen(directive)
        }
        return App.Details()
    }

    /// The advice of an `@advice`: its sentence, or all advice of a screen that it names.
    private mutating func advice(_ directive: Directive) -> App.Details {
        let text = directive.text
        let screen = blocks["screen"].first { $0.name == text }
        if let screen { return App.Details(advice: content(of: screen).advice) }
        // A single word without punctuation is the name of a screen, not a sentence.
        if !text.isEmpty, text.utf8.allSatisfy({ Lexer.continuesName($0) || $0 == UInt8(ascii: "-") }) {
            reportNoScreen(directive)
        }
        return App.Details(advice: [sentence(text[...], of: directive)])
    }

    private mutating func reportNoScreen(_ directive: Directive) {
        let name = directive.text
        let screens = blocks["screen"].map(\.name)
        report("there is no @screen \(name)", at: directive.textPlace, near: name, among: screens)
    }

    /// The texts and the advice of a screen.
    private mutating func content(of screen: Block) -> App.Details {
        var content = App.Details()
        for attribute in screen.attributes {
            if attribute.word == "advice" {
                content.advice.append(sentence(attribute.text[...], of: attribute))
            } else if attribute.text.contains(":") {
                content.add(shown(by: attribute))
            } else if !attribute.text.isEmpty {
                report("write @shows NAME: TEXT", at: attribute)
            }
        }
        return content
    }
}

extension App.Rule {
    /// Adds details to the last reason of the rule, or to the rule itself if it has no reason yet.
    fileprivate mutating func add(_ more: App.Details) {
        if reasons.isEmpty { details.add(more) } else { reasons[reasons.count - 1].details.add(more) }
    }
}

extension Directive {
    /// The name in `@shows NAME: TEXT`.
    fileprivate var shownName: String? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let name = trim(text[..<colon])
        return name.isEmpty ? nil : String(name)
    }
}
