/// Parses the blocks about changes: settings, actions, lists, states, checks and examples.
struct ChangeParser: BlockParser {
    let blocks: AppBlocks
    var diagnostics: [Diagnostic] = []

    mutating func settings(_ block: Block) -> App.Settings? {
        guard let line = needed("table", of: block), let key = needed("key", of: block) else { return nil }
        guard let table = TableName(path: line.text) else {
            report("write a schema and a table, such as public.plans, not \(line.text)", at: line)
            return nil
        }
        if block.first("column") == nil { report("@settings needs at least one @column", at: block.directive) }
        return App.Settings(
            name: block.name, summary: String(block.directive.head.rest), table: table, path: line.text,
            key: column(of: key),
            columns: declarations("column", of: block), impacts: remarks("impact", of: block),
            place: block.directive.place)
    }

    mutating func action(_ block: Block) -> App.Action? {
        guard let name = nounAndVerb(of: block) else { return nil }
        checkOptions("arg", "option", "select", of: block)
        let statements = statements(of: block)
        if statements.isEmpty { report("an action needs a @do", at: block.directive) }
        let parameters = parameters(of: block)
        let selections = selections(of: block, except: parameters)
        let subject = subject(of: block)
        let role = role("role", of: block) ?? .admin
        if block.first("each") != nil, case .nothing = subject {
            report("@each needs an action on users or objects, not @on nothing", at: block.directive)
        }
        return App.Action(
            noun: name.noun, verb: name.verb, summary: name.summary, subject: subject,
            parameters: parameters, selections: selections,
            each: block.first("each").map { column(of: $0) }, role: role,
            // The approver also runs the action, so the approver needs at least the role of the action.
            approver: self.role("approve", of: block).map { max($0, role) },
            grade: grade(of: block), ceiling: ceiling(of: block),
            expects: expectations(of: block), isFinal: block.first("final") != nil,
            refusals: remarks("refuse", of: block), warnings: remarks("warn", of: block), statements: statements,
            place: block.directive.place)
    }

    mutating func list(_ block: Block) -> App.List? {
        guard let name = nounAndVerb(of: block) else { return nil }
        checkOptions("arg", "option", of: block)
        return App.List(
            noun: name.noun, verb: name.verb, summary: name.summary, parameters: parameters(of: block),
            columns: columns(of: block), select: block.directive.select,
            place: block.directive.place)
    }

    mutating func state(_ block: Block) -> App.State? {
        let foundations = foundations(of: block)
        let statements = (foundations.reversed() + [block]).flatMap { self.statements(of: $0) }
        if statements.isEmpty { report("a test state needs a @do", at: block.directive) }
        let subject = subject(of: block)
        if case .object = subject, let directive = block.first("on") {
            report("a test state can be @on users or @on nothing, but not @on an object", at: directive)
        }
        return App.State(
            name: block.name, summary: String(block.directive.head.rest), subject: subject,
            expects: expectations(of: block),
            statements: statements)
    }

    mutating func check(_ block: Block) -> App.Check? {
        var fix: (String, String, App.Place)?
        if let directive = block.first("fix") {
            let words = directive.text.split(separator: " ").map(String.init)
            if words.count == 2 {
                fix = (words[0], words[1], directive.textPlace)
            } else {
                report(formOf: directive)
            }
        }
        return App.Check(
            name: block.name, summary: String(block.directive.head.rest), subject: subject(of: block), fix: fix,
            select: block.directive.select, place: block.directive.place)
    }

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

    private mutating func needed(_ word: String, of block: Block) -> Directive? {
        if let attribute = block.first(word) { return attribute }
        report("@\(block.directive.word) needs a @\(word)", at: block.directive)
        return nil
    }

    private mutating func nounAndVerb(of block: Block) -> (noun: String, verb: String, summary: String)? {
        let words = block.directive.text.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count >= 2, words[0...1].allSatisfy(Self.isName) else {
            report(formOf: block.directive)
            return nil
        }
        return (words[0], words[1], words.count > 2 ? String(trim(words[2][...])) : "")
    }

    private static func isName(_ word: String) -> Bool {
        word.utf8.allSatisfy { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D || $0 == 0x5F }
    }

    private mutating func parameters(of block: Block) -> App.Parameters {
        let arguments = declarations("arg", of: block)
        let options = declarations("option", of: block, after: arguments)
        return App.Parameters(arguments: arguments.map(naming), options: options.map(naming))
    }

    /// Marks the parameter as the key of a user or object if its type is `user` or a kind of object.
    private func naming(_ declaration: ParameterDeclaration) -> ParameterDeclaration {
        var declaration = declaration
        if declaration.type == "user" {
            declaration.names = .users
        } else if declaration.choices.isEmpty,
            blocks["object"].contains(where: { $0.name == declaration.type })
        {
            declaration.names = .object(declaration.type)
        }
        return declaration
    }

    /// The selections that an action uses; each becomes an option, so no parameter may have its name.
    private mutating func selections(of block: Block, except parameters: App.Parameters) -> [String] {
        var names: [String] = []
        for directive in block.all("select") {
            let isTaken = names.contains(directive.text) || parameters.all.contains { $0.name == directive.text }
            if isTaken { report("the name \(directive.text) is already taken", at: directive) }
            names.append(directive.text)
        }
        return names
    }

    private mutating func grade(of block: Block) -> App.Grade {
        if block.first("grade") == nil {
            report(
                "this action has no @grade, so usher runs it without asking for confirmation",
                at: block.directive.textPlace, hint: "declare @grade mild, moderate or severe", severity: .warning)
        }
        return choice("grade", of: block, "@grade must be mild, moderate or severe") ?? .mild
    }

    private mutating func role(_ word: String, of block: Block) -> OperatorRole? {
        choice(word, of: block, "@\(word) must be support, admin or engineer")
    }

    /// The value of an attribute that names one of a few choices; nil if the attribute is missing or has another value.
    private mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ word: String, of block: Block, _ message: String
    ) -> Choice? {
        block.first(word).flatMap { choice($0.text, at: $0.textPlace, message) }
    }

    private mutating func ceiling(of block: Block) -> Int {
        guard let directive = block.first("ceiling") else { return Self.standardCeiling }
        if let rows = Int(directive.text), rows > 0 { return rows }
        report("@ceiling needs a number of rows, which is at least 1", at: directive)
        return Self.standardCeiling
    }

    private static let standardCeiling = 1_000
}
