/// Parses definitions that several blocks use by name.
extension BlockParser {
    // MARK: Blocks that include other blocks

    /// The blocks that a block includes through `@from`, directly and indirectly, nearest first.
    mutating func foundations(of block: Block) -> [Block] {
        let word = block.directive.word
        let known = blocks.filter { $0.directive.word == word }
        var found: [Block] = []
        var last = block
        while let directive = last.first("from"), !directive.text.isEmpty {
            let name = directive.text
            guard let next = known.first(where: { $0.name == name }) else {
                let others = known.map(\.name).filter { $0 != block.name }
                if found.isEmpty {
                    report("there is no @\(word) \(name)", at: directive.textPlace, near: name, among: others)
                }
                return found
            }
            if next.name == block.name {
                report(
                    "\(block.name) includes itself through @from", at: directive, hint: "remove one @from of the cycle")
                return found
            }
            // Each block of a cycle reports the cycle itself.
            if found.contains(where: { $0.name == next.name }) { return found }
            found.append(next)
            last = next
        }
        return found
    }

    // MARK: Examples

    /// Parses an example: test rows, and the expected results.
    mutating func example(_ block: Block) -> App.Example? {
        let expects = expectations(of: block)
        let run = block.first("run")?.text.split(separator: " ").map(String.init) ?? []
        let refused = block.first("refused").map(\.text)
        let used = block.all("used").map { directive in
            (quota: String(directive.head.name), amount: String(directive.head.rest), place: directive.place)
        }
        if block.first("expect") == nil, refused == nil, used.isEmpty {
            report("an example needs an @expect, @refused or @used", at: block.directive)
        }
        if refused != nil, run.isEmpty {
            report("an example with @refused also needs a @run with the action", at: block.directive)
        }
        let foundations = foundations(of: block)
        var assumed: Assumptions = [:]
        for directive in block.all("assume") where !directive.text.isEmpty {
            let halves = AccountLine.cut(directive.text[...], at: "=")
            guard let (name, value) = parts(halves, of: directive, in: block.directive.word) else { continue }
            assumed[name] = value
        }
        guard let user = ([block] + foundations).lazy.compactMap({ $0.first("user")?.text }).first else {
            report("an example needs a @user", at: block.directive)
            return nil
        }
        return App.Example(
            name: block.name, summary: String(block.directive.head.rest),
            statements: (foundations.reversed() + [block]).flatMap { statements(of: $0) }, user: user,
            assumed: assumed, expects: expects, run: run, refused: refused, used: used,
            place: block.directive.place)
    }

    // MARK: Refusals and warnings

    /// Checks the refusals and warnings of users and objects: each needs a name before its sentence, because actions
    /// use the name.
    mutating func checkRemarks(of block: Block) {
        for word in ["refuse", "warn"] {
            var seen: Set<String> = []
            for directive in block.all(word) where !directive.text.isEmpty {
                let (name, rest) = directive.head
                if rest.isEmpty {
                    report("write @\(word) NAME SENTENCE; actions use the name", at: directive)
                } else if !seen.insert(name).inserted {
                    report("the name \(name) is already taken", at: directive)
                }
            }
        }
    }

    /// The refusal or warning that an action uses by its name; if it doesn't exist, reports a mistake and returns nil.
    mutating func shared(_ directive: Directive, in block: Block) -> App.Remark? {
        guard !directive.text.isEmpty else { return nil }
        let known = home(of: subject(of: block))?.all(directive.word) ?? []
        if let shared = known.first(where: { $0.head.name == directive.text }) {
            return App.Remark(sentence: sentence(shared.head.rest, of: shared), condition: shared.select)
        }
        if directive.text.contains(" ") {
            report("@\(directive.word) needs SQL below it", at: directive.place)
        } else {
            report(
                "there is no @\(directive.word) \(directive.text)", at: directive.textPlace, near: directive.text,
                among: known.map(\.head.name))
        }
        return nil
    }

    /// The block that defines the users or objects that an action changes.
    private func home(of subject: App.Subject) -> Block? {
        switch subject {
        case .users: blocks.first { $0.directive.word == "users" }
        case .object(let noun): blocks.first { $0.directive.word == "object" && $0.name == noun }
        case .nothing: nil
        }
    }

    // MARK: Constants

    /// The constants of an app; usher reports a constant without a value.
    mutating func declaredConstants(of block: Block) -> [ParameterDeclaration] {
        var whole = block
        whole.directives.removeAll { $0.word == "constant" && !$0.text.contains("=") }
        for directive in block.all("constant") where !directive.text.isEmpty && !directive.text.contains("=") {
            report(formOf: directive)
        }
        return declarations("constant", of: whole)
    }

    /// Replaces the constants in a text, whose names are in braces, with their values.
    func withConstants(_ text: String) -> String {
        var text = text
        for constant in constants where text.contains("{") {
            text = text.split(separator: "{\(constant.name)}", omittingEmptySubsequences: false).joined(
                separator: constant.defaultValue ?? "")
        }
        return text
    }
}
