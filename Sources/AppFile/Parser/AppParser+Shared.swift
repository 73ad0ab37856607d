/// Parses definitions that several blocks use by name.
extension AppParser {
    // MARK: Blocks that build on others

    /// The blocks that a block builds on through `@from`, nearest first.
    mutating func foundations(of block: Block) -> [Block] {
        let word = block.directive.word
        let known = blocks.filter { $0.directive.word == word }
        var found: [Block] = []
        var last = block
        while let directive = last.first("from"), !directive.text.isEmpty {
            let name = directive.text
            let exact = known.first { $0.name == name }
            let near =
                exact == nil ? nearest(to: name, among: known.map(\.name).filter { $0 != block.name }) : nil
            if exact == nil, found.isEmpty {
                report(
                    "there is no @\(word) \(name)", at: directive.textOffset, of: directive,
                    hint: near.map { "did you mean \($0)?" })
            }
            // Continues with the most similar name, so that one mistake is one finding.
            guard let next = exact ?? known.first(where: { $0.name == near }) else { return found }
            guard next.name != block.name, !found.contains(where: { $0.name == next.name }) else {
                // Only the first block of a cycle is reported.
                if !circular.contains(block.name) {
                    report("\(block.name) builds on itself", at: directive.textOffset, of: directive)
                }
                circular.formUnion(([block] + found).map(\.name))
                return found
            }
            found.append(next)
            last = next
        }
        return found
    }

    /// The blocks of a file; its mistakes are reported.
    mutating func read(_ file: SourceFile) -> [Block] {
        let (blocks, problems) = DirectiveParser.parse(file)
        diagnostics += problems
        return blocks
    }

    /// Merges the blocks below a second @app, already reported, into the first.
    static func withOneHead(_ blocks: [Block]) -> [Block] {
        guard let first = blocks.firstIndex(where: { $0.directive.word == "app" }) else { return blocks }
        var blocks = blocks
        let others = blocks[(first + 1)...].filter { $0.directive.word == "app" }
        blocks[first].attributes += others.flatMap(\.attributes)
        return blocks.enumerated().filter { $0 == first || $1.directive.word != "app" }.map(\.element)
    }

    // MARK: Examples

    /// Parses an example: test rows, and the expected results.
    mutating func example(_ block: Block) -> App.Example? {
        let expects = expectations(of: block)
        let run = block.first("run")?.text.split(separator: " ").map(String.init) ?? []
        let refused = block.first("refused").map(\.text)
        let used = block.all("used").map { directive in
            (quota: String(directive.head.name), amount: String(directive.head.rest), place: place(of: directive))
        }
        if block.first("expect") == nil, refused == nil, used.isEmpty {
            report("an example needs an @expect, @refused or @used", at: block.directive)
        }
        if refused != nil, run.isEmpty { report("@refused needs the action that @run names", at: block.directive) }
        let foundations = foundations(of: block)
        var assumed: Assumptions = [:]
        for directive in block.all("assume") where !directive.text.isEmpty {
            guard let (name, value) = split(directive, atFirst: "=", in: block.directive.word) else { continue }
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
            place: place(of: block.directive), places: App.NamePlaces(block))
    }

    // MARK: Refusals and warnings

    /// Checks remarks of users and objects: they need a name before the sentence, for actions to use.
    mutating func checkRemarks(of block: Block) {
        for word in ["refuse", "warn"] {
            var seen: Set<String> = []
            for directive in block.all(word) where !directive.text.isEmpty {
                let (name, rest) = directive.head
                if rest.isEmpty {
                    report("write @\(word) NAME SENTENCE; actions use it by its name", at: directive)
                } else if !seen.insert(name).inserted {
                    report("the name \(name) is already taken", at: directive.textOffset, of: directive)
                }
            }
        }
    }

    /// The named refusal or warning of an action's subject; nil, with a finding, if it doesn't exist.
    mutating func shared(_ directive: Directive, in block: Block) -> App.Remark? {
        guard !directive.text.isEmpty else { return nil }
        let known = home(of: subject(of: block))?.all(directive.word) ?? []
        if let shared = known.first(where: { $0.head.name == directive.text }) {
            usedRemarks.insert(place(of: shared))
            return App.Remark(sentence: sentence(shared.head.rest, of: shared), condition: shared.select)
        }
        let isName = !directive.text.contains(" ")
        let hint = nearest(to: directive.text, among: known.map(\.head.name)).map { "did you mean \($0)?" }
        report(
            isName ? "there is no @\(directive.word) \(directive.text)" : "@\(directive.word) needs SQL below it",
            at: isName ? directive.textOffset : directive.offset, of: directive, hint: isName ? hint : nil)
        return nil
    }

    /// The named refusals and warnings of users and objects that no action uses, after all actions were read.
    mutating func idleRemarks() -> [App.IdleRemark] {
        var idle: [App.IdleRemark] = []
        for block in blocks where ["users", "object"].contains(block.directive.word) {
            let subject = block.directive.word == "users" ? App.Subject.users : .object(block.name)
            for directive in block.all("refuse") + block.all("warn") where !directive.head.rest.isEmpty {
                if usedRemarks.contains(place(of: directive)) { continue }
                let said = sentence(directive.head.rest, of: directive)
                idle.append(.init(subject: subject, remark: .init(sentence: said, condition: directive.select)))
            }
        }
        return idle
    }

    /// The block that defines the subjects of an action.
    private func home(of subject: App.Subject) -> Block? {
        switch subject {
        case .users: blocks.first { $0.directive.word == "users" }
        case .object(let noun): blocks.first { $0.directive.word == "object" && $0.name == noun }
        case .nothing: nil
        }
    }

    // MARK: Constants

    /// The constants of an app: each has a value, so operators are never asked for one.
    mutating func declaredConstants(of block: Block) -> [ParameterDeclaration] {
        var whole = block
        whole.attributes.removeAll { $0.word == "constant" && !$0.text.contains("=") }
        let valueless = block.all("constant").filter { !$0.text.isEmpty && !$0.text.contains("=") }
        return declarations("constant", of: whole)
            + valueless.compactMap { directive in
                report(formOf: directive)
                // The type is probably right, so blocks that use it aren't reported, too.
                let words = directive.text.split(separator: " ", maxSplits: 2)
                let meant = words.prefix(2).joined(separator: " ") + " = " + words.dropFirst(2).joined()
                return try? ParameterDeclaration.parse(meant, isColumn: false).get()
            }
    }

    /// Replaces the constants in the braces of a text.
    func withConstants(_ text: String) -> String {
        var text = text
        for constant in constants where text.contains("{") {
            text = text.split(separator: "{\(constant.name)}", omittingEmptySubsequences: false).joined(
                separator: constant.defaultValue ?? "")
        }
        return text
    }
}
