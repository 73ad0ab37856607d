package import AppFile
package import Asking
internal import EmbeddedSQL
import Glibc
internal import PQ

/// Where app files come from: those the program was built with, and files an operator names.
package enum AppLibrary {
    /// The names of the apps the program was built with.
    package static var names: [String] {
        // What lies deeper is included by an app.
        EmbeddedSQL.paths(below: "apps/").map { String($0.dropFirst("apps/".count).dropLast(".sql".count)) }.filter {
            !$0.contains("/")
        }
    }

    /// An app by name, or by the path of a file, whose options must not be called like those that are taken.
    package static func app(_ nameOrPath: String, taken: TakenOptions = [:]) throws(Failure) -> App {
        let (file, folder) = try source(nameOrPath)
        do throws(InvalidApp) {
            // What the program was built with was checked before; a test holds it so.
            guard let folder else { return try AppParser.parse(sound: file) { included($0, beside: nil) } }
            return try AppParser.parse(file, taken: taken) { included($0, beside: folder) }
        } catch {
            throw Failure(error)
        }
    }

    /// What can be made of an app file, and every mistake in it; nil when nothing can.
    package static func examine(
        _ nameOrPath: String, taken: TakenOptions = [:]
    ) throws(Failure) -> (app: App?, findings: [Diagnostic]) {
        let (file, folder) = try source(nameOrPath)
        return AppParser.examine(file, taken: taken) { included($0, beside: folder) }
    }

    /// An app, and what more files hold of examples for it.
    package static func app(
        _ nameOrPath: String, and more: [String], taken: TakenOptions = [:]
    ) throws(Failure) -> App {
        let (file, folder) = try source(nameOrPath)
        let others = try more.map { path throws(Failure) in try self.file(at: path) }
        let (app, findings) = AppParser.examine(file, and: others, taken: taken) { included($0, beside: folder) }
        guard let app, !findings.contains(where: { $0.severity == .error }) else {
            throw Failure(InvalidApp(findings))
        }
        return app
    }

    /// All apps the program was built with, as far as it takes to find out which of them fits.
    package static func directories() throws(Failure) -> [App] {
        try names.map { name throws(Failure) in try directory(name) }
    }

    /// An app by name or path, as far as it takes to find its users; a file is read whole, for its mistakes are to be told.
    package static func directory(_ nameOrPath: String, taken: TakenOptions = [:]) throws(Failure) -> App {
        let (file, folder) = try source(nameOrPath)
        if folder != nil { return try app(nameOrPath, taken: taken) }
        do throws(InvalidApp) {
            return try AppParser.parse(directoryOf: file) { included($0, beside: nil) }
        } catch {
            throw Failure(error)
        }
    }

    /// The app that an excerpt was taken from, read whole.
    package static func whole(_ app: App) throws(Failure) -> App {
        app.isExcerpt ? try self.app(app.name) : app
    }

    /// The file of an app, and the folder beside it for one that an operator names.
    private static func source(_ nameOrPath: String) throws(Failure) -> (file: SourceFile, folder: String?) {
        let isPath = nameOrPath.contains("/") || nameOrPath.hasSuffix(".sql")
        if isPath { return (try file(at: nameOrPath), folder(of: nameOrPath)) }
        guard let bytes = EmbeddedSQL.bytes(of: "apps/\(nameOrPath).sql") else {
            throw Failure(
                .usage, "there is no app by the name \(nameOrPath)",
                hint:
                    "there is \(names.joined(separator: ", ")); a file is named by its path, such as ./\(nameOrPath).sql"
            )
        }
        return (SourceFile(name: "apps/\(nameOrPath).sql", bytes: bytes), nil)
    }

    private static func included(_ name: String, beside folder: String?) -> SourceFile? {
        if name.contains("/") || name.hasSuffix(".sql") {
            guard let folder else {
                let path = "apps/" + (name.hasPrefix("./") ? String(name.dropFirst(2)) : name)
                return EmbeddedSQL.bytes(of: path).map { SourceFile(name: path, bytes: $0) }
            }
            return try? file(at: name.hasPrefix("/") ? name : "\(folder)/\(name)")
        }
        if let folder, let own = try? file(at: "\(folder)/\(name).sql") { return own }
        return EmbeddedSQL.bytes(of: "platform/\(name).sql").map {
            SourceFile(name: "platform/\(name).sql", bytes: $0)
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    }

    private static func file(at path: String) throws(Failure) -> SourceFile {
        do throws(FileError) {
            return SourceFile(name: path, bytes: try readFile(path))
        } catch {
            throw error.failure(path)
        }
    }
}
