/// Builds an `App` from the blocks of its files, and collects all mistakes.
struct BlockParser: DiagnosticCollector {
    let file: SourceFile
    private(set) var blocks: [Block]
    let schemas: App.Schemas?
    let taken: TakenOptions
    var diagnostics: [Diagnostic] = []
    /// The constants of the app; sentences and SQL contain their names.
    private(set) var constants: [ParameterDeclaration] = []

    mutating func app(including included: [SourceFile]) -> App {
        checkDuplicates()
        let app = blocks.first { $0.directive.word == "app" }
        if let app {
            constants = declaredConstants(of: app)
            checkLanguage(app)
            if app.all("requires").isEmpty {
                report(
                    "@app needs at least one @requires, so that usher recognizes the database", at: app.directive.place)
            }
        } else {
            report("the file has no @app", at: file.place(at: 0))
        }
        let head = app?.directive.head
        let name = head?.name ?? ""
        let title = head.map { String($0.rest) } ?? ""
        let whole = App(
            name: name, title: title.isEmpty ? name : title,
            requires: (app?.all("requires") ?? []).compactMap { requirement($0) }, schemas: schemas,
            optional: blocks.flatMap { $0.all("optional") }.compactMap { optional($0) }, constants: constants,
            users: users(), elsewhere: each("elsewhere") { $0.elsewhere($1) },
            objects: each("object") { $0.object($1) }, definitions: each("define") { $0.definition($1) },
            panels: panels(), timelines: each("timeline") { $0.timeline($1) },
            decisions: each("decision") { $0.decision($1) }, quotas: each("quota") { $0.quota($1) },
            stats: each("stat") { $0.stat($1) },
            settings: each("settings") { $0.settings($1) }, actions: each("action") { $0.action($1) },
            lists: each("list") { $0.list($1) }, states: each("state") { $0.state($1) },
            checks: each("check") { $0.check($1) }, account: account(blocks.filter { $0.directive.word == "account" }),
            examples: each("example") { $0.example($1) },
            files: [file] + included)
        if let directive = app?.first("schema"), !directive.text.isEmpty { check(directive, in: whole) }
        return whole
    }

    mutating func each<T>(_ word: String, _ make: (inout BlockParser, Block) -> T?) -> [T] {
        blocks.filter { $0.directive.word == word }.compactMap { make(&self, $0) }
    }

    private mutating func checkDuplicates() {
        var seen: Set<String> = ["relation users"]
        blocks = blocks.filter { block in
            let directive = block.directive
            guard let identity = block.identity, !directive.text.isEmpty, !seen.insert(identity).inserted else {
                return true
            }
            report("the name \(block.name) is already taken", at: directive)
            return false
        }
    }

    private mutating func checkLanguage(_ app: Block) {
        guard let directive = app.first("language"), !directive.text.isEmpty else { return }
        if (Int(directive.text) ?? 0) < 1 {
            report("write @language and a version number", at: directive)
        }
    }

    /// Checks a `@schema`, which needs a requirement in the tenant's schema.
    private mutating func check(_ directive: Directive, in app: App) {
        guard let schemas else { return report(formOf: directive) }
        if app.requiredOfSchema.isEmpty {
            report(
                "@schema needs a line @requires :\(schemas.word).TABLE, so that usher recognizes the schemas",
                at: directive)
        }
    }

    /// Reports the form that a directive must have in a block.
    mutating func report(formOf directive: Directive, in block: String = "") {
        report("write @\(directive.word) \(Language.rule(for: directive.word)?.form(in: block) ?? "")", at: directive)
    }
}
