import Glibc

/// Environment variables that affect the screen.
enum ProcessEnvironment {
    static let localeVariables = ["LC_ALL", "LC_CTYPE", "LANG"]

    static func values(of names: [String]) -> [String: String] {
        names.reduce(into: [:]) { values, name in
            if let value = unsafe getenv(name) {
                values[name] = unsafe String(cString: value)
            }
        }
    }

    /// True if the first locale variable that is not empty names UTF-8.
    static func hasUnicodeLocale(_ environment: [String: String]) -> Bool {
        let locale = localeVariables.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        let name = locale.lowercased()
        return name.contains("utf-8") || name.contains("utf8")
    }
}
