import Glibc

/// What this process was told by its environment, of the few names that matter here.
enum Environment {
    private static let names = ["PATH", "USHER_PG_BIN", "TMPDIR", "TZ", "LD_LIBRARY_PATH"]

    static var current: [String: String] {
        var values: [String: String] = [:]
        for name in names {
            if let value = unsafe getenv(name) { values[name] = unsafe String(cString: value) }
        }
        return values
    }

    /// What a child gets: nothing of `PG…`, which would reach into the server's and the tools' behaviour.
    static func forChild(home: String) -> [String: String] {
        let inherited = current
        var child = ["PATH": "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": home, "LC_ALL": "C.UTF-8"]
        child["TZ"] = inherited["TZ"]
        child["LD_LIBRARY_PATH"] = inherited["LD_LIBRARY_PATH"]
        return child
    }
}

/// The text of an errno value.
func message(ofErrno code: Int32) -> String {
    // strerror's own buffer is shared between threads.
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
