/// The blocks of an app file and its included files.
struct AppBlocks {
    let file: SourceFile
    var all: [Block]
    let taken: TakenOptions
    /// The constants of the app; sentences and SQL contain their names.
    var constants: [ParameterDeclaration] = []

    /// The blocks that begin with a directive, such as `decision`.
    subscript(word: String) -> [Block] { all.filter { $0.directive.word == word } }
}

/// Parses blocks, and collects their mistakes.
protocol BlockParser: DiagnosticCollector {
    var blocks: AppBlocks { get }
}

/// Parses the parts that several kinds of blocks have.
extension BlockParser {
    mutating func each<T>(_ word: String, _ make: (inout Self, Block) -> T?) -> [T] {
        blocks[word].compactMap { make(&self, $0) }
    }

    /// Reports the form that a directive must have in a block.
    mutating func report(formOf directive: Directive, in block: String = "") {
        report("write @\(directive.word) \(Language.rule(for: directive.word)?.form(in: block) ?? "")", at: directive)
    }

    /// The parts of a directive's text; reports the form of the directive if there are none.
    mutating func parts(
        _ parts: (String, String)?, of directive: Directive, in block: String = ""
    ) -> (String, String)? {
        if parts == nil { report(formOf: directive, in: block) }
        return parts
    }

    /// The key column of a block; objects and users must have one.
    mutating func key(of block: Block) -> String {
        if let attribute = block.first("key") { return column(of: attribute) }
        report("@\(block.directive.word) needs a @key", at: block.directive.place)
        return ""
    }

    /// The column in the text of a directive: `column`, `table.column` or `schema.table.column`.
    mutating func column(of directive: Directive) -> String {
        guard !directive.text.isEmpty else { return "" }
        if let column = SQLName.parts(ofPath: directive.text)?.last { return column }
        report("write the name of a column", at: directive)
        return ""
    }

    /// Reports a block whose name can't be used in SQL.
    mutating func checkName(of block: Block) {
        let directive = block.directive
        guard !directive.text.isEmpty, SQLName.name(directive.relationName) == nil else { return }
        report("write the name as one word, or in double quotes", at: directive)
    }

    mutating func names(of directive: Directive) -> [String] {
        directive.text.isEmpty ? [] : names(directive.text[...], of: directive)
    }

    /// The names of a list in the text of a directive.
    mutating func names(_ list: Substring, of directive: Directive) -> [String] {
        let (names, mistake) = SQLName.list(list)
        if let mistake {
            let start = directive.text.utf8.distance(from: directive.text.startIndex, to: list.startIndex)
            report("separate the names with commas", at: directive.place(ofByte: start + mistake))
            return []
        }
        if let (_, name) = names.enumerated().first(where: { names[..<$0.offset].contains($0.element) }) {
            report("\(name) appears twice in this list", at: directive.place(of: list))
        }
        return names
    }

    /// The number in an attribute of a block; nil if the attribute is missing or wrong.
    mutating func number(_ word: String, of block: Block) -> Int? {
        guard let attribute = block.first(word), !attribute.text.isEmpty else { return nil }
        if let number = Int(attribute.text), (1...10_000).contains(number) { return number }
        report("@\(word) needs a number from 1 to 10000", at: attribute)
        return nil
    }

    /// Parses a part of a directive's text as a sentence.
    mutating func sentence(_ text: Substring, of directive: Directive) -> Sentence {
        if let (message, place) = Sentence.problem(in: text) {
            report(message, at: directive.place(of: place))
        }
        return Sentence(withConstants(String(text)), at: directive.place(of: text))
    }

    /// Parses the parameters that attributes of a block declare; usher reports a name that occurs twice.
    mutating func declarations(
        _ word: String, of block: Block, after earlier: [ParameterDeclaration] = []
    ) -> [ParameterDeclaration] {
        var declarations: [ParameterDeclaration] = []
        for directive in block.all(word) where !directive.text.isEmpty {
            let isColumn = word == "column"
            do throws(ParameterDeclaration.Problem) {
                var declaration = try ParameterDeclaration.parse(directive.text, isColumn: isColumn)
                declaration.place = directive.textPlace
                let isTaken = (earlier + declarations).contains { $0.name == declaration.name }
                if isTaken || !isColumn && ParameterDeclaration.reserved.contains(declaration.name) {
                    report("the name \(declaration.name) is already taken", at: directive)
                }
                declarations.append(declaration)
            } catch {
                report(error.message, at: directive, hint: error.hint)
            }
        }
        return declarations
    }

    /// Reports a parameter or selection whose name is already an option of its command.
    mutating func checkOptions(_ words: String..., of block: Block) {
        guard let taken = blocks.taken[block.directive.word] else { return }
        for directive in words.flatMap({ block.all($0) }) {
            let name = String(directive.text.prefix { !":? ".contains($0) })
            if taken.contains(name) {
                report("`--\(name)` is already an option of usher", at: directive, hint: "choose another name")
            }
        }
    }

    /// The columns that `@columns` lists; empty if the block shows all columns.
    mutating func columns(of block: Block) -> [String] { block.first("columns").map { names(of: $0) } ?? [] }

    /// The choice with a name; nil after reporting any other text.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, at place: App.Place, _ message: String
    ) -> Choice? {
        if let choice = Choice(rawValue: text) { return choice }
        report(message, at: place, near: text, among: Choice.allCases.map(\.rawValue))
        return nil
    }

    mutating func remarks(_ word: String, of block: Block) -> [App.Remark] {
        block.all(word).map { directive in
            if directive.sql == nil, let shared = shared(directive, in: block) { return shared }
            return App.Remark(sentence: sentence(directive.text[...], of: directive), condition: directive.select)
        }
    }

    func statements(of block: Block) -> [App.Statement] {
        block.all("do").map { App.Statement(summary: $0.text, sql: $0.select) }
    }

    mutating func expectations(of block: Block) -> [App.Expectation] {
        block.all("expect").compactMap { directive in
            var (decision, rest) = directive.head
            var about: String?
            // An outcome is one word, so two words after `of` are a column and an outcome.
            let words = rest.split(separator: " ", maxSplits: 2)
            if words.count == 3, words[0] == "of", words[1] != "|", words[2].first != "|" {
                (about, rest) = (SQLName.name(words[1]) ?? String(words[1]), words[2])
            }
            let outcomes = rest.split(separator: "|", omittingEmptySubsequences: false).map { String(trim($0)) }
            guard !decision.isEmpty, outcomes.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
                report(formOf: directive)
                return nil
            }
            return App.Expectation(
                decision: decision, about: about, outcomes: outcomes,
                place: directive.textPlace)
        }
    }

    func subject(of block: Block) -> App.Subject {
        switch block.first("on")?.text {
        case nil, "user"?, "users"?: .users
        case "nothing"?: .nothing
        case let noun?: .object(noun)
        }
    }

    // MARK: Blocks that include other blocks

    /// The blocks that a block includes through `@from`, directly and indirectly, nearest first.
    mutating func foundations(of block: Block) -> [Block] {
        let word = block.directive.word
        let known = blocks[word]
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
        case .users: blocks["users"].first
        case .object(let noun): blocks["object"].first { $0.name == noun }
        case .nothing: nil
        }
    }

    /// Replaces the constants in a text, whose names are in braces, with their values.
    private func withConstants(_ text: String) -> String {
        var text = text
        for constant in blocks.constants where text.contains("{") {
            text = text.split(separator: "{\(constant.name)}", omittingEmptySubsequences: false).joined(
                separator: constant.defaultValue ?? "")
        }
        return text
    }
}
