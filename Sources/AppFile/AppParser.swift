/// Reads an app file and what it includes into an `App`, collecting everything that is wrong.
package struct AppParser {
    private let file: SourceFile
    private var blocks: [Block] = []
    private var files: [Int: SourceFile] = [:]
    private var diagnostics: [Diagnostic] = []

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
                report("there is nothing to include by the name \(directive.text)", at: directive.textOffset)
                continue
            }
            let own = Set(blocks.map(Self.identity))
            blocks += read(included).filter { block in
                // Where both say something by one name, the app's word counts.
                Self.mayStandInInclude(block.directive.word) && !own.contains(Self.identity(of: block))
            }
        }
    }

    private mutating func read(_ file: SourceFile) -> [Block] {
        var parser = DirectiveParser(file)
        parser.parse()
        diagnostics += parser.diagnostics
        return parser.blocks
    }

    private static func identity(of block: Block) -> String {
        "\(block.directive.word) \(block.directive.head.name)"
    }

    private static func mayStandInInclude(_ word: String) -> Bool { word != "app" && word != "users" }

    // MARK: Blocks

    private mutating func build() -> App? {
        checkDuplicates()
        guard let app = blocks.first(where: { $0.directive.word == "app" }) else {
            report("the file has no @app", at: 0)
            return nil
        }
        let requires = app.all("requires").compactMap { requirement($0) }
        if app.all("requires").isEmpty {
            report("@app needs at least one @requires, so that its database is recognised", at: app.directive.offset)
        }
        let users = users()
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
            decisions: built.decisions, quotas: built.quotas)
    }

    private mutating func each<T>(_ word: String, _ make: (inout AppParser, Block) -> T?) -> [T] {
        blocks.filter { $0.directive.word == word }.compactMap { make(&self, $0) }
    }

    private mutating func checkDuplicates() {
        var seen: [String: Directive] = [:]
        // Panels are known by their whole title, sources of a timeline may share a name.
        for block in blocks where !["timeline", "app", "users"].contains(block.directive.word) {
            let directive = block.directive
            let name = directive.word == "panel" ? directive.text : directive.head.name
            // Objects and definitions share one name space with the users.
            let kind = directive.word == "object" ? "define" : directive.word
            if seen["\(kind) \(name)"] != nil || (kind == "define" && name == "users") {
                report("the name \(name) is taken already", at: directive.textOffset, in: directive.sql?.file)
            }
            seen["\(kind) \(name)"] = directive
        }
    }

    private mutating func requirement(_ directive: Directive) -> App.Requirement? {
        let parts = directive.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (2...3).contains(parts.count), !parts.contains("") else {
            report("write @requires schema.table or schema.table.column", at: directive.textOffset)
            return nil
        }
        return App.Requirement(schema: parts[0], table: parts[1], column: parts.count == 3 ? parts[2] : nil)
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

    private mutating func selections(of block: Block) -> [App.Selection] {
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
                report("the list of columns is never closed", at: block.directive.textOffset, in: select.file)
            }
        }
        return App.Definition(name: name, columns: columns, select: select)
    }

    private mutating func panel(_ block: Block) -> App.Panel? {
        guard let select = block.directive.sql else { return nil }
        return App.Panel(
            title: block.directive.text, explains: block.first("explains")?.text,
            columns: names(block.first("columns")?.text), limit: number("limit", of: block, in: select.file) ?? 20,
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
                if attribute.head.rest.isEmpty { report("a rule needs a sentence", at: attribute.textOffset) }
            case "advice" where current != nil: current?.advice.append(Sentence(attribute.text))
            case "shows" where current != nil:
                guard let colon = attribute.text.firstIndex(of: ":") else {
                    report("write @shows NAME: TEXT", at: attribute.textOffset)
                    continue
                }
                let text = trim(attribute.text[attribute.text.index(after: colon)...])
                current?.shows.append((trim(attribute.text[..<colon]), Sentence(text)))
            case "advice", "shows": report("@\(attribute.word) belongs below a @rule", at: attribute.offset)
            default: continue
            }
        }
        finish()
        let head = block.directive.head
        if rules.isEmpty { report("a decision needs rules", at: block.directive.offset) }
        return App.Decision(
            name: head.name, question: head.rest, per: block.first("per")?.text,
            assumptions: block.all("assume").compactMap { declaration($0) }, select: block.directive.sql, rules: rules)
    }

    private mutating func declaration(_ directive: Directive) -> ParameterDeclaration? {
        switch ParameterDeclaration.parse(directive.text) {
        case .success(let declaration): return declaration
        case .failure(let problem):
            report(problem.message, at: directive.textOffset)
            return nil
        }
    }

    // MARK: Small parts

    private mutating func needed(_ word: String, of block: Block) -> String? {
        if let attribute = block.first(word) { return attribute.text }
        report("@\(block.directive.word) needs a @\(word)", at: block.directive.offset)
        return nil
    }

    private mutating func number(_ word: String, of block: Block, in file: SourceFile) -> Int? {
        guard let attribute = block.first(word) else { return nil }
        if let number = Int(attribute.text), number > 0 { return number }
        report("@\(word) takes a number", at: attribute.textOffset, in: file)
        return nil
    }

    /// The column of `column`, `table.column` or `schema.table.column`.
    private func columnName(_ text: String) -> String {
        text.split(separator: ".").last.map(String.init) ?? text
    }

    private func names(_ text: String?) -> [String] {
        (text ?? "").split(separator: ",").map(trim).filter { !$0.isEmpty }
    }

    private mutating func report(_ message: String, at offset: Int, in other: SourceFile? = nil) {
        diagnostics.append(Diagnostic(message, in: other ?? file, at: offset))
    }
}
