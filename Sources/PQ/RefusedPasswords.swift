internal import CPQ
import Glibc

/// A password file that libpq would refuse, because other users can read the file or because it is not a regular file.
///
/// libpq would print a warning on standard error, where programs expect JSON. So usher doesn't let libpq read the file.
package struct RefusedPasswords: Sendable, Hashable {
    package let path: String
    /// True if the path is a regular file, so that only its permissions are wrong.
    package let isFile: Bool

    /// The password file, if libpq would use this file and refuse it; else nil.
    init?(_ settings: [Conninfo.Setting]) {
        let settled = Self.settled(settings)
        func option(_ keyword: String) -> String? {
            settled.first { $0.keyword == keyword }.flatMap { $0.value.isEmpty ? nil : $0.value }
        }
        guard option("password") == nil, let path = option("passfile") ?? HomeFolder.path.map({ $0 + "/.pgpass" })
        else {
            return nil
        }
        var status = stat()
        guard unsafe stat(path, &status) == 0 else { return nil }
        isFile = status.st_mode & S_IFMT == S_IFREG
        if isFile, status.st_mode & (S_IRWXG | S_IRWXO) == 0 { return nil }
        self.path = path
    }

    /// The path of a password file that can't exist, because /dev/null is not a folder.
    static let none = Conninfo.Setting(keyword: "passfile", value: "/dev/null/none")

    /// The options as libpq completes them, with the service and the environment.
    ///
    /// The settings get an invalid list of hosts, so that libpq completes the options but never connects.
    private static func settled(_ settings: [Conninfo.Setting]) -> [SettledOption] {
        let stop = [("host", "a,b"), ("hostaddr", "::1")].map { Conninfo.Setting(keyword: $0, value: $1) }
        guard let handle = unsafe beginConnecting(settings + stop) else { return [] }
        defer { unsafe PQfinish(handle) }
        return unsafe SettledOption.all(of: handle)
    }
}

extension Conninfo {
    package var refusedPasswords: RefusedPasswords? {
        guard (try? LibPQ.open()) != nil else { return nil }
        return RefusedPasswords(settings)
    }
}

/// Begins to connect with settings; a later setting overrides an earlier one.
@unsafe func beginConnecting(_ settings: [Conninfo.Setting]) -> OpaquePointer? {
    var keywords = unsafe settings.map { unsafe UnsafePointer(strdup($0.keyword)) } + [nil]
    var values = unsafe settings.map { unsafe UnsafePointer(strdup($0.value)) } + [nil]
    defer { unsafe (keywords + values).forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    return unsafe PQconnectStartParams(&keywords, &values, 1)
}
