package import AppFile
package import Asking
internal import EmbeddedSQL
import Glibc

/// Finds app files: the built-in files, and the files of the operator.
package enum AppLibrary {
    /// The names of all apps; apps in the operator's folders come first.
    package static var names: [String] {
        let own = ownFiles.map(\.name)
        return own + shipped.filter { !own.contains($0) }
    }

    /// The names of the built-in apps.
    ///
    /// A file in a subfolder is not an app; app files include it.
    package static let shipped: [String] = embeddedNames(in: "apps/").filter { !$0.contains("/") }

    /// The app with a name or file path, together with the blocks of additional files; throws if the file has mistakes.
    ///
    /// An option of the app can't have one of the names in `taken`.
    package static func app(
        _ nameOrPath: String, and more: [String] = [], in schema: String? = nil, taken: TakenOptions = [:]
    ) throws(Failure) -> App {
        let (file, folder) = try source(nameOrPath)
        let others = try more.map { path throws(Failure) in try self.file(at: path) }
        // The built-in files were tested, and a file for a chosen schema was already checked when usher found the
        // schemas.
        let isSound = others.isEmpty && (folder == nil || schema != nil)
        do throws(InvalidApp) {
            return try AppParser.parse(
                file, in: schema, and: others, taken: isSound ? [:] : taken, isSound: isSound
            ) { included($0, beside: folder) }
        } catch {
            throw Failure(error)
        }
    }

    /// The app of a file, and all mistakes of the file; the app is nil if the file can't be parsed.
    package static func examine(
        _ nameOrPath: String, in schema: String? = nil, taken: TakenOptions = [:]
    ) throws(Failure) -> (app: App?, findings: [Diagnostic]) {
        let (file, folder) = try source(nameOrPath)
        return AppParser.examine(file, in: schema, taken: taken) { included($0, beside: folder) }
    }

    /// An app together with the lists, panels and checks of an additional file.
    package static func app(_ app: App, with path: String, taken: TakenOptions) throws(Failure) -> App {
        let file = try file(at: path)
        if let part = AppParser.changingPart(of: file) {
            throw Failure(
                .usage, "a file of `--also` can only have lists, panels and checks",
                hint: "remove \(part.message.split(separator: " ").first ?? "it")", details: part.report)
        }
        return try self.app(
            isOwn(app) ? app.files[0].name : app.name, and: [path], in: app.schemas?.name, taken: taken)
    }

    /// The app of a file with `@schema`, before a schema is chosen; nil for any other file.
    ///
    /// The result is also nil for a file with mistakes, which usher reports when it parses the whole file.
    package static func ofSchemas(_ nameOrPath: String, taken: TakenOptions = [:]) throws(Failure) -> App? {
        guard try source(nameOrPath).file.schemaLine != nil else { return nil }
        let (app, findings) = try examine(nameOrPath, taken: taken)
        return app?.schemas == nil || findings.contains { $0.severity == .error } ? nil : app
    }

    /// The apps that may fit a database; files of the operator that can't be read are left out.
    ///
    /// With `expected`, usher parses that app completely, and only the outlines of the other built-in apps.
    package static func candidates(expecting expected: String? = nil) throws(Failure) -> [App] {
        let own = ownFiles
        var found = own.compactMap { file in try? app(file.path) }
        for name in shipped where !own.contains(where: { $0.name == name }) {
            if expected == nil || name == expected {
                found.append(try app(name))
            } else if let outline = AppParser.parse(outlineOf: try source(name).file) {
                found.append(outline)
            }
        }
        return found
    }

    /// The failure of the first file in the operator's folders that can't be parsed; nil if usher can parse all files.
    static var brokenFile: Failure? {
        for (_, path) in ownFiles {
            do throws(Failure) { _ = try app(path) } catch { return error }
        }
        return nil
    }

    /// The platform files, which app files can include.
    package static var platforms: [App] {
        embeddedNames(in: "platform/").compactMap { included($0, beside: nil) }.compactMap { file in
            AppParser.examine(file, asAWhole: false) { _ in nil }.app
        }
    }

    private static func embeddedNames(in folder: String) -> [String] {
        EmbeddedSQL.paths(below: folder).map { String($0.dropFirst(folder.count).dropLast(".sql".count)) }
    }

    /// The app files in the folders of `USHER_APP_PATH`; if a name occurs twice, the first file is used.
    private static var ownFiles: [(name: String, path: String)] {
        var found: [(name: String, path: String)] = []
        for folder in folders {
            for file in entries(of: folder).sorted() where file.hasSuffix(".sql") && !file.hasPrefix(".") {
                let name = String(file.dropLast(".sql".count))
                let path = "\(folder)/\(file)"
                // A file that apps include is not an app.
                guard !found.contains(where: { $0.name == name }), isApp(path) else { continue }
                found.append((name, path))
            }
        }
        return found
    }

    /// The folders of `USHER_APP_PATH`; a relative folder gets `./` before it, so that no path looks like a built-in
    /// name.
    private static var folders: [String] {
        let text = unsafe getenv("USHER_APP_PATH").map { unsafe String(cString: $0) } ?? ""
        return text.split(separator: ":").map { $0.hasPrefix("/") || $0.hasPrefix(".") ? String($0) : "./\($0)" }
    }

    private static func entries(of folder: String) -> [String] {
        guard let directory = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                    unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                })
        }
        return names
    }

    /// True if a file contains an `@app` directive.
    private static func isApp(_ path: String) -> Bool {
        let bytes: [UInt8]
        do throws(FileError) { bytes = try readFile(path, isRegular: true) } catch { return !error.isOfOtherKind }
        return SourceFile(name: path, bytes: bytes).directiveLines.contains { $0.word == "app" }
    }

    /// True if the app comes from a file of the operator.
    static func isOwn(_ app: App) -> Bool { app.files.first.map { $0.name.contains("/") && !isEmbedded($0) } ?? false }

    private static func isEmbedded(_ file: SourceFile) -> Bool {
        file.name.hasPrefix("apps/") && EmbeddedSQL.bytes(of: file.name) != nil
    }

    /// The complete app; usher parses the file of a built-in app if it has only parsed the outline.
    package static func whole(_ app: App) throws(Failure) -> App { app.isOutline ? try self.app(app.name) : app }

    /// The file of an app, and the folder that contains it; the folder is nil for a built-in app.
    private static func source(_ nameOrPath: String) throws(Failure) -> (file: SourceFile, folder: String?) {
        if isPath(nameOrPath) { return (try file(at: nameOrPath), folder(of: nameOrPath)) }
        if let own = ownFiles.first(where: { $0.name == nameOrPath }) {
            return (try file(at: own.path), folder(of: own.path))
        }
        guard let bytes = EmbeddedSQL.bytes(of: "apps/\(nameOrPath).sql") else {
            throw Failure(
                .usage, "there is no app named \(nameOrPath)",
                hint:
                    "choose one of: \(names.joined(separator: ", ")); for your own file write its path, such as ./\(nameOrPath).sql"
            )
        }
        return (SourceFile(name: "apps/\(nameOrPath).sql", bytes: bytes), nil)
    }

    private static func isPath(_ name: String) -> Bool { name.contains("/") || name.hasSuffix(".sql") }

    /// The file that `@include` names: in the folder, or among the built-in files.
    package static func included(_ name: String, beside folder: String?) -> SourceFile? {
        if name.contains("/") || name.hasSuffix(".sql") {
            // For a built-in app, messages show the path of the file in usher's repository.
            let beside = name.hasPrefix("./") ? String(name.dropFirst(2)) : name
            guard let folder else {
                let path = "apps/" + beside
                return EmbeddedSQL.bytes(of: path).map { SourceFile(name: path, bytes: $0) }
            }
            return file(beside, within: folder)
        }
        if let folder, let own = file("\(name).sql", within: folder) { return own }
        return EmbeddedSQL.bytes(of: "platform/\(name).sql").map {
            SourceFile(name: "platform/\(name).sql", bytes: $0)
        }
    }

    /// A regular file in a folder or below it; nil for a link that leads out of the folder.
    private static func file(_ name: String, within folder: String) -> SourceFile? {
        let path = "\(folder)/\(name)"
        guard let root = realPath(folder), let real = realPath(path),
            real.hasPrefix(root == "/" ? root : root + "/"), let bytes = try? readFile(real, isRegular: true)
        else { return nil }
        return SourceFile(name: path, bytes: bytes)
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    /// Reads an app file from a path, without parsing the file.
    package static func file(at path: String) throws(Failure) -> SourceFile {
        SourceFile(name: path, bytes: try readChosenFile(path))
    }
}
