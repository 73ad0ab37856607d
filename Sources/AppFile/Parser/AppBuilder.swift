/// Builds an `App` from the blocks of its files, and collects all mistakes.
struct AppBuilder: BlockParser {
    private(set) var blocks: AppBlocks
    let schemas: App.Schemas?
    var diagnostics: [Diagnostic] = []

    mutating func app(including included: [SourceFile]) -> App {
        checkDuplicates()
        let app = blocks["app"].first
        if let app {
            blocks.constants = declaredConstants(of: app)
            checkLanguage(app)
            if app.all("requires").isEmpty {
                report(
                    "@app needs at least one @requires, so that usher recognizes the database", at: app.directive.place)
            }
        } else {
            report("the file has no @app", at: blocks.file.place(at: 0))
        }
        let head = app?.directive.head
        let name = head?.name ?? ""
        let title = head.map { String($0.rest) } ?? ""
        var reading = ReadingParser(blocks: blocks)
        var decisions = DecisionParser(blocks: blocks)
        var changes = ChangeParser(blocks: blocks)
        var account = AccountParser(blocks: blocks)
        let whole = App(
            name: name, title: title.isEmpty ? name : title,
            requires: (app?.all("requires") ?? []).compactMap { requirement($0) }, schemas: schemas,
            optional: blocks.all.flatMap { $0.all("optional") }.compactMap { optional($0) },
            constants: blocks.constants, users: reading.users(),
            elsewhere: reading.each("elsewhere") { $0.elsewhere($1) },
            objects: reading.each("object") { $0.object($1) },
            definitions: reading.each("define") { $0.definition($1) }, panels: reading.panels(),
            timelines: reading.each("timeline") { $0.timeline($1) },
            decisions: decisions.each("decision") { $0.decision($1) }, quotas: reading.each("quota") { $0.quota($1) },
            stats: reading.each("stat") { $0.stat($1) }, settings: changes.each("settings") { $0.settings($1) },
            actions: changes.each("action") { $0.action($1) }, lists: changes.each("list") { $0.list($1) },
            states: changes.each("state") { $0.state($1) }, checks: changes.each("check") { $0.check($1) },
            account: account.account(), examples: changes.each("example") { $0.example($1) },
            files: [blocks.file] + included)
        diagnostics += reading.diagnostics + decisions.diagnostics + changes.diagnostics + account.diagnostics
        if let directive = app?.first("schema"), !directive.text.isEmpty { check(directive, in: whole) }
        return whole
    }

    private mutating func checkDuplicates() {
        var seen: Set<String> = ["relation users"]
        blocks.all = blocks.all.filter { block in
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
        if (Int(directive.text) ?? 0) < 1 { report("write @language and a version number", at: directive) }
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

    /// The constants of an app; usher reports a constant without a value.
    private mutating func declaredConstants(of block: Block) -> [ParameterDeclaration] {
        var whole = block
        whole.directives.removeAll { $0.word == "constant" && !$0.text.contains("=") }
        for directive in block.all("constant") where !directive.text.isEmpty && !directive.text.contains("=") {
            report(formOf: directive)
        }
        return declarations("constant", of: whole)
    }

    private mutating func requirement(_ directive: Directive) -> App.Requirement? {
        let texts = AccountLine.parts(of: directive.text[...], at: "|")
        let alternatives = texts.compactMap { RelationPath($0) }
        if alternatives.count == texts.count {
            return App.Requirement(alternatives: alternatives, place: directive.textPlace)
        }
        report("write @requires schema.table or schema.table.column; put | between alternatives", at: directive)
        return nil
    }

    /// Parses an optional table, or an optional column with its type.
    private mutating func optional(_ directive: Directive) -> App.Optional? {
        if directive.text.isEmpty { return nil }
        let text = directive.text
        let colon = text.firstIndex(of: ":")
        let type = colon.map { String(trim(text[text.index(after: $0)...])) }
        let path = RelationPath(trim(text[..<(colon ?? text.endIndex)]))
        let isType = type.map(ParameterDeclaration.isType) ?? false
        if path == nil || (path?.column != nil) != (type != nil) || type != nil && !isType {
            report("write @optional schema.table, or schema.table.column: TYPE", at: directive)
        }
        // usher reports a wrong type. SQL that reads the column is correct, so the column gets the type text.
        return path.map { path in
            App.Optional(
                path: path, type: path.column == nil ? nil : isType ? type : "text", place: directive.textPlace)
        }
    }
}
