/// The blocks about changing things: settings, actions, lists, states, checks, and the account.
extension AppParser {
    mutating func settings(_ block: Block) -> App.Settings? {
        guard let table = needed("table", of: block), let key = needed("key", of: block) else { return nil }
        if block.first("column") == nil { report("@settings needs at least one @column", at: block.directive) }
        return App.Settings(
            name: block.directive.head.name, summary: block.directive.head.rest, table: table, key: key,
            columns: declarations("column", of: block), impacts: remarks("impact", of: block),
            place: place(of: block.directive))
    }

    mutating func action(_ block: Block) -> App.Action? {
        guard let name = nounAndVerb(of: block) else { return nil }
        let statements = statements(of: block)
        if statements.isEmpty { report("an action needs a @do", at: block.directive) }
        let subject = subject(of: block)
        if block.first("each") != nil, case .nothing = subject {
            report("@each needs something that it can be done to one by one", at: block.directive)
        }
        return App.Action(
            noun: name.noun, verb: name.verb, summary: name.summary, subject: subject,
            parameters: parameters(of: block), selections: block.all("select").map(\.text),
            each: block.first("each")?.text,
            role: block.first("role")?.text ?? "admin", grade: grade(of: block), expects: expectations(of: block),
            isFinal: block.first("final") != nil, refusals: remarks("refuse", of: block),
            warnings: remarks("warn", of: block), statements: statements, place: place(of: block.directive))
    }

    mutating func list(_ block: Block) -> App.List? {
        guard let name = nounAndVerb(of: block), let select = block.directive.sql else { return nil }
        return App.List(
            noun: name.noun, verb: name.verb, summary: name.summary, parameters: parameters(of: block),
            columns: names(block.first("columns")?.text), select: select, place: place(of: block.directive))
    }

    mutating func state(_ block: Block) -> App.State? {
        let statements = statements(of: block)
        if statements.isEmpty { report("a state needs a @do", at: block.directive) }
        return App.State(
            name: block.directive.head.name, summary: block.directive.head.rest, expects: expectations(of: block),
            statements: statements)
    }

    mutating func check(_ block: Block) -> App.Check? {
        guard let select = block.directive.sql else { return nil }
        var fix: (String, String)?
        if let directive = block.first("fix") {
            let words = directive.text.split(separator: " ").map(String.init)
            if words.count == 2 { fix = (words[0], words[1]) } else { report("write @fix NOUN VERB", at: directive) }
        }
        return App.Check(
            name: block.directive.head.name, summary: block.directive.head.rest, subject: subject(of: block), fix: fix,
            select: select, place: place(of: block.directive))
    }

    /// All `@account` blocks of a file and its includes add up to one.
    mutating func account(_ blocks: [Block]) -> App.Account? {
        guard let first = blocks.first else { return nil }
        guard let root = blocks.compactMap({ $0.first("root")?.text }).first else {
            report("@account needs a @root", at: first.directive)
            return nil
        }
        func all(_ word: String) -> [Directive] { blocks.flatMap { $0.all(word) } }
        return App.Account(
            root: root, place: place(of: first.directive),
            references: all("reference").compactMap { directive in
                split(directive, at: " -> ", as: "A -> B").map { .init(from: $0, to: $1, place: place(of: directive)) }
            },
            kept: all("keep").compactMap { directive in
                split(directive, at: " : ", as: "TABLE : WHY").map {
                    .init(table: $0, why: $1, place: place(of: directive))
                }
            },
            anonymised: all("anonymise").compactMap { anonymised($0) },
            files: all("files").compactMap { directive in
                let (bucket, prefix) = directive.head
                if prefix.isEmpty { report("write @files BUCKET PREFIX", at: directive) }
                return .init(bucket: bucket, prefix: prefix, place: place(of: directive))
            },
            secrets: all("secret").map { .init(column: $0.text, place: place(of: $0)) })
    }

    private mutating func anonymised(_ directive: Directive) -> App.Account.Anonymised? {
        let form = "TABLE.COLUMN = EXPRESSION : WHY"
        guard let (column, rest) = split(directive, at: "=", as: form) else { return nil }
        // The reason stands behind the last colon with spaces around it: a cast or a JSON text holds others.
        guard let colon = rest.range(ofLast: " : ") else {
            report("write @anonymise \(form)", at: directive)
            return nil
        }
        return .init(
            column: column, expression: trim(rest[..<colon.lowerBound]), why: trim(rest[colon.upperBound...]),
            place: place(of: directive))
    }

    // MARK: Parts

    private mutating func nounAndVerb(of block: Block) -> (noun: String, verb: String, summary: String)? {
        let words = block.directive.text.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2, words[0...1].allSatisfy(Self.isName) else {
            report("write @\(block.directive.word) NOUN VERB SUMMARY", at: block.directive)
            return nil
        }
        return (words[0], words[1], words.count > 2 ? trim(words[2]) : "")
    }

    private static func isName(_ word: String) -> Bool {
        word.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D || $0 == 0x5F }
    }

    private mutating func parameters(of block: Block) -> App.Parameters {
        let parameters = App.Parameters(
            arguments: declarations("arg", of: block), options: declarations("option", of: block))
        var seen: Set<String> = []
        for directive in block.attributes where ["arg", "option"].contains(directive.word) {
            guard case .success(let declaration) = ParameterDeclaration.parse(directive.text) else { continue }
            if !seen.insert(declaration.name).inserted {
                report("\(declaration.name) is declared twice", at: directive)
            }
        }
        return parameters
    }

    private mutating func declarations(_ word: String, of block: Block) -> [ParameterDeclaration] {
        block.all(word).compactMap { declaration($0) }
    }

    private mutating func remarks(_ word: String, of block: Block) -> [App.Remark] {
        block.all(word).compactMap { directive in
            directive.sql.map { App.Remark(sentence: Sentence(directive.text), condition: $0) }
        }
    }

    private func statements(of block: Block) -> [App.Statement] {
        block.all("do").compactMap { directive in directive.sql.map { App.Statement(summary: directive.text, sql: $0) }
        }
    }

    private mutating func expectations(of block: Block) -> [App.Expectation] {
        block.all("expect").compactMap { directive in
            let (decision, rest) = directive.head
            let outcomes = rest.split(separator: "|", omittingEmptySubsequences: false).map(trim)
            guard outcomes.allSatisfy({ !$0.isEmpty && !$0.contains(" ") }) else {
                report("write @expect DECISION OUTCOME [| OUTCOME …]", at: directive)
                return nil
            }
            return App.Expectation(decision: decision, outcomes: outcomes, place: place(of: directive))
        }
    }

    private func subject(of block: Block) -> App.Subject {
        switch block.first("on")?.text {
        case nil, "user"?, "users"?: .users
        case "nothing"?: .nothing
        case let noun?: .object(noun)
        }
    }

    private mutating func grade(of block: Block) -> App.Grade {
        guard let directive = block.first("grade") else { return .mild }
        if let grade = App.Grade(rawValue: directive.text) { return grade }
        report("a grade is mild, moderate or severe", at: directive)
        return .mild
    }

    private mutating func split(_ directive: Directive, at mark: String, as form: String) -> (String, String)? {
        // The last arrow: an expression over JSON may hold others before it.
        let place = mark == " -> " ? directive.text.range(ofLast: mark) : directive.text.range(ofFirst: mark)
        guard let range = place else {
            report("write @\(directive.word) \(form)", at: directive)
            return nil
        }
        let (left, right) = (trim(directive.text[..<range.lowerBound]), trim(directive.text[range.upperBound...]))
        guard !left.isEmpty, !right.isEmpty else {
            report("write @\(directive.word) \(form)", at: directive)
            return nil
        }
        return (left, right)
    }

    func place(of directive: Directive) -> App.Place {
        App.Place(file: directive.file, offset: directive.offset)
    }
}

extension String {
    /// The first place of a text in this one.
    func range(ofFirst text: String) -> Range<String.Index>? {
        indices.lazy.map { self[$0...] }.first { $0.hasPrefix(text) }
            .map { $0.startIndex..<index($0.startIndex, offsetBy: text.count) }
    }

    /// The last place of a text in this one.
    func range(ofLast text: String) -> Range<String.Index>? {
        indices.reversed().lazy.map { self[$0...] }.first { $0.hasPrefix(text) }
            .map { $0.startIndex..<index($0.startIndex, offsetBy: text.count) }
    }
}
