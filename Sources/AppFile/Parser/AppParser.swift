/// The options that commands already have when an app file declares its own, by the kind of block.
package typealias TakenOptions = [String: Set<String>]

/// Parses an app file and its includes into an `App`, and collects all mistakes.
package struct AppParser {
    let file: SourceFile
    private var included: [SourceFile] = []
    /// True if an included file was not found.
    private var missesPart = false
    var blocks: [Block] = []
    var diagnostics: [Diagnostic] = []
    let taken: TakenOptions
    /// The schema to read the file for; nil for no particular one.
    private let schema: String?
    private var schemas: App.Schemas?
    /// The definitions that refer to themselves, already reported.
    var circular: Set<String> = []
    /// The values that sentences and SQL use by name.
    var constants: [ParameterDeclaration] = []

    private init(_ file: SourceFile, _ taken: TakenOptions, _ schema: String?) {
        schemas = file.schemaLine.flatMap { App.Schemas($0.text[...], name: schema) }
        self.file = schemas.map { file.filled($0.word, with: $0.filler) } ?? file
        self.taken = taken
        self.schema = schema
    }

    /// Parses a file, or returns all mistakes.
    ///
    /// `include` finds the file of `@include NAME`; `offered` lists the available ones.
    ///
    /// With `isSound`, usher skips the checks of the file as a whole.
    package static func parse(
        _ file: SourceFile, in schema: String? = nil, taken: TakenOptions = [:], isSound: Bool = false,
        include: (String) -> SourceFile?, offered: (String) -> [String] = { _ in [] }
    ) throws(InvalidApp) -> App {
        let (app, findings) = examine(
            file, in: schema, taken: taken, include: include, offered: offered, asAWhole: !isSound)
        guard let app, !findings.contains(where: { $0.severity == .error }) else { throw InvalidApp(findings) }
        return app
    }

    /// The name and the requirements of an app, read from a valid file; nil if no file has them.
    package static func parse(outlineOf file: SourceFile) -> App? {
        var app = examine(file.outline, include: { SourceFile(name: $0, bytes: []) }, asAWhole: false).app
        app?.isOutline = true
        return app
    }

    /// The app as far as it can be parsed, and every mistake; nil if the file isn't text.
    package static func examine(
        _ file: SourceFile, in schema: String? = nil, and more: [SourceFile] = [], taken: TakenOptions = [:],
        include: (String) -> SourceFile?, offered: (String) -> [String] = { _ in [] }, asAWhole: Bool = true
    ) -> (app: App?, findings: [Diagnostic]) {
        var parser = AppParser(file, taken, schema)
        if let unwritable = parser.unwritableSchema { return (nil, [unwritable]) }
        for file in [file] + more where !file.bytes.isEmpty && !file.hasDirective {
            // The finding names no line: it concerns the whole file.
            let unnamed = SourceFile(name: file.name, bytes: [])
            return (nil, [Diagnostic("this is not an app file: \(noDirective)", in: unnamed, at: 0)])
        }
        parser.gather(include, offered)
        for file in more { parser.blocks += parser.read(parser.filled(file)) }
        // Directives of a newer language would look like mistakes.
        if let newer = parser.newerLanguage { return (nil, [newer]) }
        // If an included file was not found, usher can't tell which blocks are missing.
        if parser.missesPart { return (nil, parser.sortedDiagnostics) }
        // If the file isn't text, its blocks aren't reported as missing.
        let isText = !parser.blocks.isEmpty || parser.diagnostics.isEmpty || file.encodingProblems.isEmpty
        let app = isText ? parser.build() : nil
        if asAWhole, let app { parser.diagnostics += StaticChecks.findings(in: app) }
        return (app, parser.sortedDiagnostics)
    }

    /// The first directive of an extra file that can change data; nil if the file only shows and checks.
    package static func changingPart(of file: SourceFile) -> Diagnostic? {
        let harmless = ["list", "object", "define", "panel", "stat", "check"]
        let (blocks, diagnostics) = DirectiveParser.parse(file)
        // A block that the parser supplied for a misplaced directive is at the place of that finding.
        for block in blocks where !diagnostics.contains(where: { $0.offset == block.directive.offset }) {
            let directive = block.directive
            let fix = block.first("fix")
            if harmless.contains(directive.word), fix == nil { continue }
            return Diagnostic(
                "@\((fix ?? directive).word) \(fix?.text ?? block.name) can only be in the app file", in: file,
                at: (fix ?? directive).offset)
        }
        return nil
    }

    private static let noDirective = "it has no directive such as `-- @app`"

    /// Sorts by file, the app's own file first; findings at the same place keep their order.
    private var sortedDiagnostics: [Diagnostic] {
        func key(_ index: Int) -> (Int, String, Int, Int) {
            let diagnostic = diagnostics[index]
            return (diagnostic.file == file ? 0 : 1, diagnostic.file.name, diagnostic.offset, index)
        }
        // A text that several blocks use is checked for each of them, so the findings repeat.
        var seen: Set<Diagnostic> = []
        return Diagnostic.together(
            diagnostics.indices.sorted { key($0) < key($1) }.map { diagnostics[$0] }
                .filter { seen.insert($0).inserted })
    }

    /// A finding if the file requires a newer version of the language than this program reads.
    private var newerLanguage: Diagnostic? {
        guard let directive = blocks.first(where: { $0.directive.word == "app" })?.first("language"),
            let version = Int(directive.text), version > Language.version
        else { return nil }
        return Diagnostic(
            "this file needs version \(version) of the app language, and this usher reads up to \(Language.version)",
            in: directive.file, at: directive.textOffset,
            hint: "use a newer usher; `usher version` shows this one")
    }

    private mutating func checkLanguage(_ app: Block) {
        guard let directive = app.first("language"), !directive.text.isEmpty else { return }
        if (Int(directive.text) ?? 0) < 1 {
            report("write @language and a version number", at: directive.textOffset, of: directive)
        }
    }

    // MARK: Schemas

    /// The same file for the chosen schema.
    private func filled(_ file: SourceFile) -> SourceFile {
        schemas.map { file.filled($0.word, with: $0.filler) } ?? file
    }

    /// A finding if the schema name contains a control character: a line break would begin another line.
    private var unwritableSchema: Diagnostic? {
        guard schemas != nil, let schema, schema.utf8.contains(where: { $0 < 0x20 }) else { return nil }
        return Diagnostic(
            "the name of this schema contains a line break or another control character", in: file,
            at: file.schemaLine?.offset ?? 0)
    }

    private mutating func checkSchemas(_ app: Block?) {
        guard let app, let directive = app.first("schema"), !directive.text.isEmpty else { return }
        guard let schemas else { return report(formOf: directive) }
        let required = app.all("requires").compactMap { requirement($0) }
        if !required.contains(where: { $0.alternatives.allSatisfy { $0.schema == schemas.filler } }) {
            report(
                "@schema needs a line @requires :\(schemas.word).TABLE, to recognise the schemas",
                at: directive.textOffset, of: directive)
        }
    }

    // MARK: Files

    private mutating func gather(_ include: (String) -> SourceFile?, _ offered: (String) -> [String]) {
        blocks = read(file)
        guard let app = blocks.first(where: { $0.directive.word == "app" }) else { return }
        var names: Set<String> = []
        var gathered: [(isOwn: Bool, blocks: [Block])] = [(true, blocks)]
        for directive in app.all("include") where !directive.text.isEmpty {
            guard names.insert(directive.text).inserted else {
                report("\(directive.text) is included already", at: directive.textOffset, of: directive)
                continue
            }
            // An app file by another author must not show other files of this machine.
            guard !directive.text.hasPrefix("/"), !directive.text.split(separator: "/").contains("..") else {
                missesPart = true
                report(
                    "@include needs a file in the folder of this app file or in a subfolder", at: directive.textOffset,
                    of: directive, hint: "write a relative path without ..")
                continue
            }
            guard let included = include(directive.text).map(filled) else {
                missesPart = true
                let offered = offered(directive.text)
                let near = Nearest.hint(for: directive.text, among: offered)
                report(
                    "there is no file \(directive.text) to include", at: directive.textOffset,
                    of: directive,
                    hint: offered.contains(directive.text)
                        ? "the file must be a regular file, not a link to another folder" : near)
                continue
            }
            guard included.bytes.isEmpty || included.hasDirective else {
                missesPart = true
                report(
                    "\(directive.text) is not part of an app file: \(Self.noDirective)", at: directive.textOffset,
                    of: directive)
                continue
            }
            guard included.bytes != file.bytes else {
                report("a file can't include itself", at: directive.textOffset, of: directive)
                continue
            }
            self.included.append(included)
            // A file in the same folder counts as the author's own, wherever it is included.
            let isOwn = directive.text.contains("/") || directive.text.hasSuffix(".sql")
            let found = read(included)
            // A platform file declares its requirements, for drafts. A file in the same folder is no app.
            if isOwn, let app = found.first(where: { $0.directive.word == "app" })?.directive {
                report("an included file can't have an @app", at: app.offset, of: app)
            }
            gathered.append((isOwn, found.filter { $0.directive.word != "app" }))
        }
        blocks = Self.chosen(among: gathered)
    }

    /// The block that counts if several files use the same name: the first of the author's own files, otherwise the
    /// platform's.
    ///
    /// If two platforms differ, usher doesn't choose.
    private static func chosen(among files: [(isOwn: Bool, blocks: [Block])]) -> [Block] {
        let (own, brought) = (files.filter(\.isOwn), files.filter { !$0.isOwn })
        let main = Set(files[0].blocks.compactMap(\.identity))
        let spoken = Set(own.flatMap(\.blocks).compactMap(\.identity))
        let users = (own + brought).lazy.flatMap(\.blocks).map(\.directive).first { $0.word == "users" }
        return files[0].blocks
            + files.dropFirst().flatMap { file in
                file.blocks.filter { block in
                    if let users, block.directive.word == "users" {
                        return (users.file, users.offset) == (block.directive.file, block.directive.offset)
                    }
                    return block.identity.map { !(file.isOwn ? main : spoken).contains($0) } ?? true
                }
            }
    }

    // MARK: Blocks

    private mutating func build() -> App {
        checkDuplicates()
        constants = blocks.first { $0.directive.word == "app" }.map { declaredConstants(of: $0) } ?? []
        let app = blocks.first { $0.directive.word == "app" }
        if let app {
            checkLanguage(app)
            if app.all("requires").isEmpty {
                report(
                    "@app needs at least one @requires, so that usher recognises the database",
                    at: app.directive.offset,
                    of: app.directive)
            }
        } else {
            diagnostics.append(Diagnostic("the file has no @app", in: file, at: 0))
        }
        checkSchemas(app)
        let head = app?.directive.head
        let name = head?.name ?? ""
        let title = head.map { String($0.rest) } ?? ""
        return App(
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
    }

    mutating func each<T>(_ word: String, _ make: (inout AppParser, Block) -> T?) -> [T] {
        blocks.filter { $0.directive.word == word }.compactMap { make(&self, $0) }
    }

    private mutating func checkDuplicates() {
        var seen: Set<String> = ["relation users"]
        blocks = blocks.filter { block in
            let directive = block.directive
            guard let identity = block.identity, !directive.text.isEmpty, !seen.insert(identity).inserted else {
                return true
            }
            report("the name \(block.name) is already taken", at: directive.textOffset, of: directive)
            return false
        }
    }

    /// Reports how to write a directive in a block.
    mutating func report(formOf directive: Directive, in block: String = "") {
        report("write @\(directive.word) \(Vocabulary.rule(for: directive.word)?.form(in: block) ?? "")", at: directive)
    }

    mutating func report(
        _ message: String, at offset: Int, of directive: Directive, hint: String? = nil
    ) {
        diagnostics.append(Diagnostic(message, in: directive.file, at: offset, hint: hint))
    }
}
