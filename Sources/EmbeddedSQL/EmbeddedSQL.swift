internal import CEmbeddedSQL

/// The files of `sql/` and the completion scripts, embedded in the program.
package enum EmbeddedSQL {
    /// The bytes of a file, by its path below `sql/`, or `completions/NAME`.
    package static func bytes(of path: String) -> [UInt8]? {
        guard let file = unsafe embedded_sql_named(path) else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.length))
    }

    /// The text of an embedded file.
    package static func text(of path: String) -> String {
        guard let bytes = bytes(of: path) else { preconditionFailure("\(path) is not embedded") }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The paths of all files below a folder, sorted.
    package static func paths(below folder: String) -> [String] {
        var paths: [String] = []
        while let file = unsafe embedded_sql_at(paths.count) { unsafe paths.append(String(cString: file.pointee.path)) }
        return paths.filter { $0.hasPrefix(folder) }.sorted()
    }
}
