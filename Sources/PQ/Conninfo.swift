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
        guard Self.isURI(text) || text.contains("=") else {
            // libpq would repeat what it takes for the name of a service, be it a URI that lacks a letter.
            guard !text.contains(where: { ":@/".contains($0) }) else {
                throw .unusableConninfo("it is neither a URI nor key=value pairs nor the name of a service")
            }
            settings = [Setting(keyword: "service", value: text)]
            return
        }
        try LibPQ.open()
        if let problem = Self.problem(with: text) { throw problem }
        settings = [Setting(keyword: "dbname", value: text)]
    }

    private static func isURI(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// What is wrong with a conninfo string or URI; never repeats the text, which may hold a password.
    ///
    /// The corresponding C function is `PQconninfoParse`.
    private static func problem(with text: String) -> PQError? {
        var complaint: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &complaint) else {
            defer { unsafe PQfreemem(complaint) }
            let reason = unsafe complaint.map { unsafe String(cString: $0) } ?? "out of memory"
            return .unusableConninfo(namesKeywordOnly(reason, of: text) ? trimmed(reason) : "libpq cannot read it")
        }
        defer { unsafe PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = unsafe options
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                unsafe values[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        if values["password"] != nil || values["sslpassword"] != nil { return .passwordOnCommandLine }
        // libpq reads a connection string in the place of a database once more.
        if let inner = values["dbname"], isURI(inner) || inner.contains("=") { return problem(with: inner) }
        // A user and password without a host, or with a bare slash in between, read as host, port and database.
        if let port = values["port"], !port.allSatisfy({ "0123456789,".contains($0) }) {
            return .unusableConninfo("its port is no number")
        }
        let path = text.prefix { $0 != "?" }.drop { $0 != "/" }.dropFirst(2).drop { $0 != "/" }
        if isURI(text), path.contains("@") {
            return .unusableConninfo("it has @ behind a slash; write %2F for / and %40 for @ inside of a name")
        }
        return nil
    }

    /// Whether a complaint quotes one keyword of the text and nothing else, since anything else may be a password.
    private static func namesKeywordOnly(_ complaint: String, of text: String) -> Bool {
        let parts = complaint.split(separator: "\"", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return false }
        let isWord = parts[1].allSatisfy { ("a"..."z").contains($0) || $0 == "_" }
        return isWord && text.contains(parts[1] + "=")
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
