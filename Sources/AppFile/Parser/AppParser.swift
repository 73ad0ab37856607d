/// The options that commands have already when an app file declares its own, by the word of the block they come from.
package typealias TakenOptions = [String: Set<String>]

/// Reads an app file and what it includes into an `App`, collecting everything that is wrong.
package struct AppParser {
    let file: SourceFile
    private var included: [SourceFile] = []
    /// True if something that it includes is not there.
    private var missesPart = false
    var blocks: [Block] = []
    var diagnostics: [Diagnostic] = []
    let taken: TakenOptions
    /// The schema that the file is read for, nil for none of those that it speaks of.
    private let schema: String?
    private var schemas: App.Schemas?
    /// What builds on itself, which was said.
    var circular: Set<String> = []
    /// Where the refusals and warnings stand that actions use by name.
    var usedRemarks: Set<App.Place> = []
    /// The values that sentences and SQL use by name.
    var constants: [ParameterDeclaration] = []

    private init(_ file: SourceFile, _ taken: TakenOptions, _ schema: String?) {
        schemas = file.schemaLine.flatMap { App.Schemas($0.text[...], name: schema) }
        self.file = schemas.map { file.filled($0.word, with: $0.filler) } ?? file
        self.taken = taken
        self.schema = schema
    }

    /// The app of a file, or every mistake at once; `include` finds what `@include NAME` names, `offered` says what else there is.
    package static func parse(
        _ file: SourceFile, in schema: String? = nil, taken: TakenOptions = [:], include: (String) -> SourceFile?,
        offered: (String) -> [String] = { _ in [] }
    ) throws(InvalidApp) -> App {
        let (app, findings) = examine(file, in: schema, taken: taken, include: include, offered: offered)
        guard let app, !findings.contains(where: { $0.severity == .error }) else { throw InvalidApp(findings) }
        return app
    }

    /// The app of a file that is known to be sound, without looking for what is wrong with it as a whole.
    package static func parse(
        sound file: SourceFile, in schema: String? = nil, include: (String) -> SourceFile?
    ) throws(InvalidApp) -> App {
        let (app, findings) = examine(file, in: schema, include: include, asAWhole: false)
        guard let app, !findings.contains(where: { $0.severity == .error }) else { throw InvalidApp(findings) }
        return app
    }

    /// What an app is called and what it requires, read from a file that is known to be sound; nil where no file says it.
    package static func parse(outlineOf file: SourceFile) -> App? {
        var app = examine(file.outline, include: { SourceFile(name: $0, bytes: []) }, asAWhole: false).app
        app?.isOutline = true
        return app
    }

    /// What can be made of a file, and every mistake in it; nil when the file is no text.
    package static func examine(
        _ file: SourceFile, in schema: String? = nil, and more: [SourceFile] = [], taken: TakenOptions = [:],
        include: (String) -> SourceFile?, offered: (String) -> [String] = { _ in [] }, asAWhole: Bool = true
    ) -> (app: App?, findings: [Diagnostic]) {
        var parser = AppParser(file, taken, schema)
        if let unwritable = parser.unwritableSchema { return (nil, [unwritable]) }
        for file in [file] + more where !file.bytes.isEmpty && !file.hasDirective {
            // Without a line of it: it may be any file.
            let unnamed = SourceFile(name: file.name, bytes: [])
            return (nil, [Diagnostic("this is not an app file: \(noDirective)", in: unnamed, at: 0)])
        }
        parser.gather(include, offered)
        for file in more { parser.blocks += parser.read(parser.filled(file)) }
        // What a newer language says would look like mistakes.
        if let newer = parser.newerLanguage { return (nil, [newer]) }
        // Nor can be told what is missing of a file of which a part was not found.
        if parser.missesPart { return (nil, parser.sortedDiagnostics) }
        // A file that is no text has no blocks to miss.
        let isText = !parser.blocks.isEmpty || parser.diagnostics.isEmpty || file.encodingProblems.isEmpty
        var app = isText ? parser.build() : nil
        if asAWhole, let whole = app {
            parser.diagnostics += StaticChecks.findings(in: whole)
            app?.takeSelectionsAsMeant()
        }
        return (app, parser.sortedDiagnostics)
    }

    /// What a file beside the installed app declares that may change something, nil where it only shows and checks.
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

    /// The app's own file comes first; what stands at one place keeps its order.
    private var sortedDiagnostics: [Diagnostic] {
        func key(_ index: Int) -> (Int, String, Int, Int) {
            let diagnostic = diagnostics[index]
            return (diagnostic.file == file ? 0 : 1, diagnostic.file.name, diagnostic.offset, index)
        }
        // What several blocks use is looked at for each of them.
        var seen: Set<Diagnostic> = []
        return Diagnostic.together(
            diagnostics.indices.sorted { key($0) < key($1) }.map { diagnostics[$0] }
                .filter { seen.insert($0).inserted })
    }

    /// Says so where the file is written in a version of the language that this program does not read.
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

    /// A file with the schema that all of them are read for.
    private func filled(_ file: SourceFile) -> SourceFile {
        schemas.map { file.filled($0.word, with: $0.filler) } ?? file
    }

    /// A directive is one line, so a name of several would begin others.
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
        blocks = Self.withOneHead(read(file))
        guard let app = blocks.first(where: { $0.directive.word == "app" }) else { return }
        var names: Set<String> = []
        var gathered: [(isOwn: Bool, blocks: [Block])] = [(true, blocks)]
        for directive in app.all("include") where !directive.text.isEmpty {
            guard names.insert(directive.text).inserted else {
                report("\(directive.text) is included already", at: directive.textOffset, of: directive)
                continue
            }
            // Whoever checks the file of somebody else shows no other file of the machine.
            guard !directive.text.hasPrefix("/"), !directive.text.split(separator: "/").contains("..") else {
                missesPart = true
                report(
                    "@include takes a file in the folder of this app file, or below it", at: directive.textOffset,
                    of: directive, hint: "write a relative path without ..")
                continue
            }
            guard let included = include(directive.text).map(filled) else {
                missesPart = true
                let offered = offered(directive.text)
                let near = nearest(to: directive.text, among: offered).map { "did you mean \($0)?" }
                report(
                    "there is no file \(directive.text) to include", at: directive.textOffset,
                    of: directive,
                    hint: offered.contains(directive.text)
                        ? "it must be a regular file, not a link to another folder" : near)
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
                report("a file cannot include itself", at: directive.textOffset, of: directive)
                continue
            }
            self.included.append(included)
            // A file beside this one is as much the author's own, wherever it is named.
            let isOwn = directive.text.contains("/") || directive.text.hasSuffix(".sql")
            let found = read(included)
            // The file of a platform says what it requires, for drafts; a file beside this one is no app.
            if isOwn, let app = found.first(where: { $0.directive.word == "app" })?.directive {
                report("an included file can't have an @app", at: app.offset, of: app)
            }
            gathered.append((isOwn, found.filter { $0.directive.word != "app" }))
        }
        blocks = Self.chosen(among: gathered)
    }

    /// What counts where several files say something by one name: the first word of the author's own files, and only where
    /// they say nothing that of the platform; what two platforms say differently is nobody's choice to make here.
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
        var whole = App(
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
        whole.idleRemarks = idleRemarks()
        return whole
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

    /// Says how a directive is written in a block.
    mutating func report(formOf directive: Directive, in block: String = "") {
        report("write @\(directive.word) \(Vocabulary.rule(for: directive.word)?.form(in: block) ?? "")", at: directive)
    }

    mutating func report(
        _ message: String, at offset: Int, of directive: Directive, hint: String? = nil
    ) {
        diagnostics.append(Diagnostic(message, in: directive.file, at: offset, hint: hint))
    }
}
