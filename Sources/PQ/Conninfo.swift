internal import CPQ
import Glibc

/// How to reach a database, in the words libpq's users know: a conninfo string, a URI, a service name, or nothing.
///
/// The text is handed to libpq unread, so `PG*`, `.pgpass` and service files work exactly as they do for psql.
package struct Conninfo: Sendable, Hashable {
    /// The keywords for libpq, in order; later ones win.
    let settings: [Setting]

    struct Setting: Sendable, Hashable {
        let keyword: String
        let value: String
    }

    /// Reads what stands behind `--db`; nil or an empty text means libpq's own defaults.
    package init(_ text: String?) throws(PQError) {
        guard let text, !text.isEmpty else {
            settings = []
            return
        }
        let isURI = text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
        guard isURI || text.contains("=") else {
            settings = [Setting(keyword: "service", value: text)]
            return
        }
        if let problem = Self.problem(with: text) { throw problem }
        settings = [Setting(keyword: "dbname", value: text)]
    }

    /// What is wrong with a conninfo string or URI; never repeats the text, which may hold a password.
    ///
    /// The corresponding C function is `PQconninfoParse`.
    private static func problem(with text: String) -> PQError? {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &complaint) else {
            defer { unsafe PQfreemem(complaint) }
            let holdsPassword = text.contains("password") || text.contains("@")
            let reason = unsafe complaint.map { unsafe String(cString: $0) } ?? "out of memory"
            return .unusableConninfo(holdsPassword ? "libpq cannot read it" : trimmed(reason))
        }
        defer { unsafe PQconninfoFree(options) }
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            let isSecret = unsafe ["password", "sslpassword"].contains(String(cString: keyword))
            if isSecret, unsafe option.pointee.val != nil { return .passwordOnCommandLine }
            unsafe option += 1
        }
        return nil
    }

    /// The same target with one setting replaced.
    package func setting(_ keyword: String, to value: String) -> Conninfo {
        Conninfo(settings: settings + [Setting(keyword: keyword, value: value)])
    }

    private init(settings: [Setting]) { self.settings = settings }
}

/// A libpq message without the newline it ends with.
func trimmed(_ message: String) -> String {
    var text = message[...]
    while let last = text.last, last.isWhitespace { text = text.dropLast() }
    return String(text)
}
