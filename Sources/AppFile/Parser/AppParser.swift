/// The options that commands already have, by the kind of block; an app file can't declare options with these names.
package typealias TakenOptions = [String: Set<String>]

/// Parses an app file and its includes into an `App`, and collects all mistakes.
package struct AppParser: DiagnosticCollector {
    private let file: SourceFile
    private var included: [SourceFile] = []
    /// True if an included file was not found.
    private var lacksIncludedFile = false
    private var blocks: [Block] = []
    var diagnostics: [Diagnostic] = []
    private let schemas: App.Schemas?

    private init(_ file: SourceFile, _ schema: String?) {
        schemas = file.schemaLine.flatMap { App.Schemas($0.text[...], name: schema) }
        self.file = schemas.map { file.filled($0.word, with: $0.filler) } ?? file
    }

    /// Parses a file; if the file has mistakes, throws an error that contains all of them.
    ///
    /// `include` returns the file for an `@include NAME`.
    ///
    /// With `isSound`, usher skips the checks that need the whole file, because the file is known to be valid.
    package static func parse(
        _ file: SourceFile, in schema: String? = nil, and more: [SourceFile] = [], taken: TakenOptions = [:],
        isSound: Bool = false, include: (String) -> SourceFile?
    ) throws(InvalidApp) -> App {
        let (app, findings) = examine(file, in: schema, and: more, taken: taken, asAWhole: !isSound, include: include)
        guard let app, !findings.contains(where: { $0.severity == .error }) else {
            throw InvalidApp(diagnostics: findings)
        }
        return app
    }

    /// The outline of an app: the name and the requirements of a valid file; nil if the file isn't text.
    package static func parse(outlineOf file: SourceFile) -> App? {
        var app = examine(file.outline, asAWhole: false) { SourceFile(name: $0, bytes: []) }.app
        app?.isOutline = true
        return app
    }

    /// Parses as much of an app as possible, and returns it with all mistakes; the app is nil if the file can't be
    /// parsed.
    package static func examine(
        _ file: SourceFile, in schema: String? = nil, and more: [SourceFile] = [], taken: TakenOptions = [:],
        asAWhole: Bool = true, include: (String) -> SourceFile?
    ) -> (app: App?, findings: [Diagnostic]) {
        var parser = AppParser(file, schema)
        if let unwritable = parser.unwritableSchema { return (nil, [unwritable]) }
        for file in [file] + more where !file.bytes.isEmpty && !file.hasDirective {
            // This finding is about the whole file, so it contains no line of the file.
            let unnamed = SourceFile(name: file.name, bytes: [])
            return (nil, [Diagnostic("this is not an app file: \(noDirective)", at: unnamed.place(at: 0))])
        }
        let problems = file.encodingProblems
        guard problems.isEmpty else { return (nil, problems) }
        parser.includeFiles(from: include)
        for file in more { parser.blocks += parser.parseBlocks(of: parser.filled(file)) }
        // Directives of a newer language version would only look like mistakes.
        if let newer = parser.newerLanguage { return (nil, [newer]) }
        // If an included file was not found, usher can't tell which blocks are missing.
        if parser.lacksIncludedFile { return (nil, parser.sortedDiagnostics) }
        let blocks = AppBlocks(file: parser.file, all: parser.blocks, taken: taken)
        var builder = AppBuilder(blocks: blocks, schemas: parser.schemas)
        let app = builder.app(including: parser.included)
        parser.diagnostics += builder.diagnostics
        if asAWhole { parser.diagnostics += StaticChecks.findings(in: app) }
        return (app, parser.sortedDiagnostics)
    }

    /// The first directive that a file of `--also` can't contain; nil if the file only shows and checks data.
    package static func changingPart(of file: SourceFile) -> Diagnostic? {
        let harmless = ["list", "object", "define", "panel", "stat", "check"]
        let (blocks, diagnostics) = DirectiveParser.parse(file)
        // The parser itself adds a block for a misplaced directive; that block's place already has a finding.
        for block in blocks where !diagnostics.contains(where: { $0.offset == block.directive.offset }) {
            let directive = block.directive
            let fix = block.first("fix")
            if harmless.contains(directive.word), fix == nil { continue }
            return Diagnostic(
                "@\((fix ?? directive).word) \(fix?.text ?? block.name) can only be in the app file",
                at: (fix ?? directive).place)
        }
        return nil
    }

    private static let noDirective = "it doesn't contain a directive such as `-- @app`"

    /// The findings by file and position, with the app's own file first and equal findings merged.
    private var sortedDiagnostics: [Diagnostic] {
        func key(_ index: Int) -> (Int, String, Int, Int) {
            let diagnostic = diagnostics[index]
            return (diagnostic.file == file ? 0 : 1, diagnostic.file.name, diagnostic.offset, index)
        }
        return Diagnostic.together(diagnostics.indices.sorted { key($0) < key($1) }.map { diagnostics[$0] })
    }

    /// The finding that the file needs a newer version of the app language; nil if this program supports the file's
    /// version.
    private var newerLanguage: Diagnostic? {
        guard let directive = blocks.first(where: { $0.directive.word == "app" })?.first("language"),
            let version = Int(directive.text), version > Language.version
        else { return nil }
        return Diagnostic(
            "this file needs version \(version) of the app language, but this usher only supports versions up to \(Language.version)",
            at: directive.textPlace,
            hint: "install a newer usher; `usher version` shows the installed version")
    }

    // MARK: Schemas

    /// The file with the chosen schema in place of the schema word.
    private func filled(_ file: SourceFile) -> SourceFile {
        schemas.map { file.filled($0.word, with: $0.filler) } ?? file
    }

    /// A finding if the schema name contains a control character; otherwise nil.
    ///
    /// A line break in the name would begin another line of the file.
    private var unwritableSchema: Diagnostic? {
        guard let schema = schemas?.name, schema.utf8.contains(where: { $0 < 0x20 }) else { return nil }
        return Diagnostic(
            "the name of this schema contains a line break or another control character",
            at: file.place(at: file.schemaLine?.offset ?? 0))
    }

    // MARK: Files

    private mutating func includeFiles(from include: (String) -> SourceFile?) {
        blocks = parseBlocks(of: file)
        guard let app = blocks.first(where: { $0.directive.word == "app" }) else { return }
        var names: Set<String> = []
        var gathered: [(isOwn: Bool, blocks: [Block])] = [(true, blocks)]
        for directive in app.all("include") where !directive.text.isEmpty {
            guard names.insert(directive.text).inserted else {
                report("\(directive.text) is already included", at: directive)
                continue
            }
            // An app file by another author must not read other files of this machine.
            guard !directive.text.hasPrefix("/"), !directive.text.split(separator: "/").contains("..") else {
                lacksIncludedFile = true
                report(
                    "@include needs a file in the folder of this app file or in a subfolder", at: directive,
                    hint: "write a relative path without ..")
                continue
            }
            guard let included = include(directive.text).map(filled) else {
                lacksIncludedFile = true
                report(
                    "there is no file \(directive.text) to include", at: directive,
                    hint: "name a file of usher such as supabase, or a file in the folder of this app file: ./FILE.sql")
                continue
            }
            guard included.bytes.isEmpty || included.hasDirective else {
                lacksIncludedFile = true
                report("\(directive.text) is not part of an app file: \(Self.noDirective)", at: directive)
                continue
            }
            guard included.bytes != file.bytes else {
                report("a file can't include itself", at: directive)
                continue
            }
            self.included.append(included)
            // A file in the same folder counts as written by the author of the app file.
            let isOwn = directive.text.contains("/") || directive.text.hasSuffix(".sql")
            let found = parseBlocks(of: included)
            // A platform file may contain an @app with requirements, which drafts use. The author's own included files
            // must not contain an @app.
            if isOwn, let app = found.first(where: { $0.directive.word == "app" })?.directive {
                report("an included file can't have an @app", at: app.place)
            }
            gathered.append((isOwn, found.filter { $0.directive.word != "app" }))
        }
        blocks = Self.chosen(among: gathered)
    }

    /// The blocks that the app uses; if two files declare a block with the same name, the author's own file wins over a
    /// platform file.
    ///
    /// If two platform files declare the name, the app keeps both blocks, and usher reports the name.
    private static func chosen(among files: [(isOwn: Bool, blocks: [Block])]) -> [Block] {
        let (own, brought) = (files.filter(\.isOwn), files.filter { !$0.isOwn })
        let main = Set(files[0].blocks.compactMap(\.identity))
        let ownNames = Set(own.flatMap(\.blocks).compactMap(\.identity))
        let users = (own + brought).lazy.flatMap(\.blocks).map(\.directive).first { $0.word == "users" }
        return files[0].blocks
            + files.dropFirst().flatMap { file in
                file.blocks.filter { block in
                    if let users, block.directive.word == "users" {
                        return (users.file, users.offset) == (block.directive.file, block.directive.offset)
                    }
                    return block.identity.map { !(file.isOwn ? main : ownNames).contains($0) } ?? true
                }
            }
    }

    /// Splits a file into blocks, and reports its mistakes.
    private mutating func parseBlocks(of file: SourceFile) -> [Block] {
        let (blocks, problems) = DirectiveParser.parse(file)
        diagnostics += problems
        return blocks
    }
}
