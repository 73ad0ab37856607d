/// Reads an app file and what it includes into an `App`, collecting everything that is wrong.
package struct AppParser {
    let file: SourceFile
    private var blocks: [Block] = []
    var diagnostics: [Diagnostic] = []

    private init(_ file: SourceFile) { self.file = file }

    /// The app of a file, or every mistake in it at once; `include` finds the file that `@include NAME` names.
    package static func parse(
        _ file: SourceFile, include: (String) -> SourceFile?
    ) throws(InvalidApp) -> App {
        var parser = AppParser(file)
        parser.gather(include)
        let app = parser.build()
        if let app { parser.diagnostics += StaticChecks.findings(in: app) }
        let errors = parser.diagnostics.filter { $0.severity == .error }
        guard errors.isEmpty, let app else {
            throw InvalidApp(parser.diagnostics.sorted { ($0.file.name, $0.offset) < ($1.file.name, $1.offset) })
        }
        return app
    }

    // MARK: Files

    private mutating func gather(_ include: (String) -> SourceFile?) {
        blocks = read(file)
        guard let app = blocks.first(where: { $0.directive.word == "app" }) else { return }
        for directive in app.all("include") {
            guard let included = include(directive.text) else {
                report("there is nothing to include by the name \(directive.text)", at: directive)
                continue
            }
            let own = Set(blocks.compactMap(Self.identity))
            blocks += read(included).filter { block in
                guard block.directive.word != "app", block.directive.word != "users" else { return false }
                // Where both say something by one name, the app's word counts; what has no name adds up.
                return Self.identity(of: block).map { !own.contains($0) } ?? true
            }
        }
    }

    private mutating func read(_ file: SourceFile) -> [Block] {
        var parser = DirectiveParser(file)
        parser.parse()
        diagnostics += parser.diagnostics
        return parser.blocks
    }

    /// What makes a block the only one of its kind, nil where several add up.
    private static func identity(of block: Block) -> String? {
        let (word, text) = (block.directive.word, block.directive.text)
        switch word {
        case "timeline", "account": return nil
        case "panel": return "panel \(text)"
        case "action", "list":
            // A verb is a verb, whether it changes something or lists it.
            return "verb " + text.split(separator: " ").prefix(2).joined(separator: " ")
        // Objects and definitions share one name space with the users.
        case "object", "define", "users": return "define " + (word == "users" ? "users" : block.directive.head.name)
        default: return "\(word) \(block.directive.head.name)"
        }
    }

    // MARK: Blocks

    private mutating func build() -> App? {
        checkDuplicates()
        guard let app = blocks.first(where: { $0.directive.word == "app" }) else {
            report("the file has no @app", at: 0)
            return nil
        }
        let requires = app.all("requires").compactMap { requirement($0) }
        if app.all("requires").isEmpty {
            report("@app needs at least one @requires, so that its database is recognised", at: app.directive)
        }
        let users = users()
        let changes = (
            settings: each("settings") { $0.settings($1) }, actions: each("action") { $0.action($1) },
            lists: each("list") { $0.list($1) }, states: each("state") { $0.state($1) },
            checks: each("check") { $0.check($1) }, account: account(blocks.filter { $0.directive.word == "account" })
        )
        let built = (
            objects: each("object") { $0.object($1) }, definitions: each("define") { $0.definition($1) },
            panels: each("panel") { $0.panel($1) }, timelines: each("timeline") { $0.timeline($1) },
            decisions: each("decision") { $0.decision($1) }, quotas: each("quota") { $0.quota($1) }
        )
        guard let users else { return nil }
        let head = app.directive.head
        return App(
            name: head.name, title: head.rest.isEmpty ? head.name : head.rest, requires: requires, users: users,
            objects: built.objects, definitions: built.definitions, panels: built.panels, timelines: built.timelines,
            decisions: built.decisions, quotas: built.quotas, settings: changes.settings, actions: changes.actions,
            lists: changes.lists, states: changes.states, checks: changes.checks, account: changes.account)
    }

    private mutating func each<T>(_ word: String, _ make: (inout AppParser, Block) -> T?) -> [T] {
        blocks.filter { $0.directive.word == word }.compactMap { make(&self, $0) }
    }

    private mutating func checkDuplicates() {
        var seen: Set<String> = []
        for block in blocks where block.directive.word != "app" {
            guard let identity = Self.identity(of: block), !seen.insert(identity).inserted else { continue }
            // A second @users is reported where it is read.
            if block.directive.word != "users" { report("this name is taken already", at: block.directive) }
        }
    }

    private mutating func requirement(_ directive: Directive) -> App.Requirement? {
        let parts = directive.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), !parts.contains("") else {
            report("write @requires schema.table or schema.table.column", at: directive)
            return nil
        }
        return App.Requirement(
            schema: parts[0], table: parts[1], column: parts.count == 3 ? parts[2] : nil,
            place: place(of: directive))
    }

    private mutating func users() -> App.Users? {
        guard let block = blocks.first(where: { $0.directive.word == "users" }) else {
            report("the file has no @users", at: 0)
            return nil
        }
        let key = needed("key", of: block)
        guard let select = block.directive.sql, let key else { return nil }
        let emails = names(block.first("email")?.text)
        let search = block.first("search").map { names($0.text) } ?? emails
        return App.Users(
            key: columnName(key), emails: emails, search: search, select: select, selections: selections(of: block))
    }

    mutating func selections(of block: Block) -> [App.Selection] {
        block.all("select").compactMap { directive in
            guard let condition = directive.sql else { return nil }
            return App.Selection(
                name: directive.head.name, sentence: Sentence(directive.head.rest), condition: condition)
        }
    }

    private mutating func object(_ block: Block) -> App.ObjectKind? {
        let key = needed("key", of: block)
        guard let select = block.directive.sql, let key else { return nil }
        return App.ObjectKind(
            noun: block.directive.head.name, summary: block.directive.head.rest, key: columnName(key),
            userColumn: block.first("user")?.text, select: select, selections: selections(of: block))
    }

    private mutating func definition(_ block: Block) -> App.Definition? {
        guard let select = block.directive.sql else { return nil }
        let (name, rest) = block.directive.head
        var columns: [String] = []
        if rest.hasPrefix("(") {
            if let close = rest.firstIndex(of: ")") {
                columns = names(String(rest[..<close].dropFirst()))
            } else {
                report("the list of columns is never closed", at: block.directive)
            }
        }
        return App.Definition(name: name, columns: columns, select: select)
    }

    private mutating func panel(_ block: Block) -> App.Panel? {
        guard let select = block.directive.sql else { return nil }
        return App.Panel(
            title: block.directive.text, explains: block.first("explains")?.text,
            columns: names(block.first("columns")?.text), limit: number("limit", of: block) ?? 20,
            select: select)
    }

    private mutating func timeline(_ block: Block) -> App.Timeline? {
        block.directive.sql.map { App.Timeline(source: block.directive.head.name, select: $0) }
    }

    private mutating func quota(_ block: Block) -> App.Quota? {
        block.directive.sql.map { App.Quota(name: block.directive.head.name, select: $0) }
    }

    private mutating func decision(_ block: Block) -> App.Decision? {
        var rules: [App.Rule] = []
        var current: (directive: Directive, advice: [Sentence], shows: [(String, Sentence)])?
        func finish() {
            guard let (directive, advice, shows) = current, let condition = directive.sql else { return }
            rules.append(
                App.Rule(
                    outcome: directive.head.name, sentence: Sentence(directive.head.rest), advice: advice,
                    shows: shows, condition: condition))
        }
        for attribute in block.attributes {
            switch attribute.word {
            case "rule":
                finish()
                current = (attribute, [], [])
                if attribute.head.rest.isEmpty { report("a rule needs a sentence", at: attribute) }
            case "advice" where current != nil: current?.advice.append(Sentence(attribute.text))
            case "shows" where current != nil:
                guard let colon = attribute.text.firstIndex(of: ":") else {
                    report("write @shows NAME: TEXT", at: attribute)
                    continue
                }
                let text = trim(attribute.text[attribute.text.index(after: colon)...])
                current?.shows.append((trim(attribute.text[..<colon]), Sentence(text)))
            case "advice", "shows": report("@\(attribute.word) belongs below a @rule", at: attribute)
            default: continue
            }
        }
        finish()
        let head = block.directive.head
        if rules.isEmpty { report("a decision needs rules", at: block.directive) }
        return App.Decision(
            name: head.name, question: head.rest, per: block.first("per")?.text,
            assumptions: block.all("assume").compactMap { declaration($0) }, select: block.directive.sql, rules: rules)
    }

    mutating func declaration(_ directive: Directive) -> ParameterDeclaration? {
        switch ParameterDeclaration.parse(directive.text) {
        case .success(let declaration): return declaration
        case .failure(let problem):
            report(problem.message, at: directive)
            return nil
        }
    }

    // MARK: Small parts

    mutating func needed(_ word: String, of block: Block) -> String? {
        if let attribute = block.first(word) { return attribute.text }
        report("@\(block.directive.word) needs a @\(word)", at: block.directive)
        return nil
    }

    mutating func number(_ word: String, of block: Block) -> Int? {
        guard let attribute = block.first(word) else { return nil }
        if let number = Int(attribute.text), number > 0 { return number }
        report("@\(word) takes a number", at: attribute)
        return nil
    }

    /// The column of `column`, `table.column` or `schema.table.column`.
    private func columnName(_ text: String) -> String {
        text.split(separator: ".").last.map(String.init) ?? text
    }

    func names(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map(trim).filter { !$0.isEmpty }
    }

    mutating func report(_ message: String, at directive: Directive) {
        diagnostics.append(Diagnostic(message, in: directive.file, at: directive.textOffset))
    }

    private mutating func report(_ message: String, at offset: Int) {
        diagnostics.append(Diagnostic(message, in: file, at: offset))
    }
}
