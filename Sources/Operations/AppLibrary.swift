package import AppFile
internal import EmbeddedSQL
import Glibc
internal import PQ

/// Where app files come from: those the program was built with, and files an operator names.
package enum AppLibrary {
    /// The names of the apps the program was built with.
    package static var names: [String] {
        EmbeddedSQL.paths(below: "apps/").map { String($0.dropFirst("apps/".count).dropLast(".sql".count)) }
    }

    /// An app by name, or by the path of a file.
    package static func app(_ nameOrPath: String) throws(Failure) -> App {
        let isPath = nameOrPath.contains("/") || nameOrPath.hasSuffix(".sql")
        if isPath { return try parse(try file(at: nameOrPath), beside: folder(of: nameOrPath)) }
        guard let bytes = EmbeddedSQL.bytes(of: "apps/\(nameOrPath).sql") else {
            throw Failure(
                .usage, "there is no app by the name \(nameOrPath)",
                hint:
                    "there is \(names.joined(separator: ", ")); a file is named by its path, such as ./\(nameOrPath).sql"
            )
        }
        return try parse(SourceFile(name: "apps/\(nameOrPath).sql", bytes: bytes), beside: nil)
    }

    /// All apps the program was built with.
    package static func all() throws(Failure) -> [App] {
        var apps: [App] = []
        for name in names { apps.append(try app(name)) }
        return apps
    }

    private static func parse(_ file: SourceFile, beside folder: String?) throws(Failure) -> App {
        do throws(InvalidApp) {
            return try AppParser.parse(file) { name in
                if let folder, let own = try? Self.file(at: "\(folder)/\(name).sql") { return own }
                return EmbeddedSQL.bytes(of: "platform/\(name).sql").map {
                    SourceFile(name: "platform/\(name).sql", bytes: $0)
                }
            }
        } catch {
            throw Failure(error)
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

/// Why a file could not be read.
struct FileError: Error {
    let code: Int32

    /// The failure of a command that needs the file.
    func failure(_ path: String) -> Failure {
        if code == EINTR { return Failure(.interrupted, "interrupted") }
        return Failure(.usage, "\(path): \(unsafe String(cString: strerror(code)))")
    }
}

/// The bytes of a file; `-` is standard input.
func readFile(_ path: String) throws(FileError) -> [UInt8] {
    let descriptor = unsafe path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError(code: errno) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        // Whoever presses Ctrl-C no longer wants to type the rest; any other signal means nothing here.
        if count < 0, errno == EINTR, !Cancellation.interrupt.isRequested { continue }
        guard count >= 0 else { throw FileError(code: errno) }
        if count == 0 { return bytes }
        bytes += buffer[..<count]
    }
}
