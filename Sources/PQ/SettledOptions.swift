internal import CPQ
import Glibc

/// One option of libpq, from the connection string, the service, the environment or a default.
struct SettledOption {
    let keyword: String
    let value: String
    /// True if libpq would use the same value without environment variables.
    let isStandard: Bool
    let isSecret: Bool

    @unsafe fileprivate init?(_ option: PQconninfoOption) {
        guard let keyword = unsafe option.keyword, let value = unsafe option.val else { return nil }
        func text(_ pointer: UnsafePointer<CChar>?) -> String? { unsafe pointer.map { unsafe String(cString: $0) } }
        self.keyword = unsafe String(cString: keyword)
        self.value = unsafe String(cString: value)
        let isSetByVariable = unsafe option.envvar.map { unsafe getenv($0) != nil } ?? false
        isStandard = unsafe !isSetByVariable && self.value == (text(option.compiled) ?? "")
        // libpq marks secret options, which a dialog should hide, with a star.
        isSecret = unsafe text(option.dispchar) == "*"
    }

    @unsafe static func all(of handle: OpaquePointer) -> [SettledOption] {
        guard let options = unsafe PQconninfo(handle) else { return [] }
        defer { unsafe PQconninfoFree(options) }
        var settled: [SettledOption] = []
        var option = unsafe options
        while unsafe option.pointee.keyword != nil {
            if let known = unsafe SettledOption(option.pointee) { settled.append(known) }
            unsafe option += 1
        }
        return settled
    }
}

extension Connection {
    private var settledOptions: [SettledOption] { unsafe SettledOption.all(of: handle) }

    package func option(_ keyword: String) -> String? { settledOptions.first { $0.keyword == keyword }?.value }

    /// The settings, without secrets, for another connection to the same database.
    package var way: [(keyword: String, value: String)] {
        // These settings concern only this program, or libpq has already replaced them with the settings that they name.
        let passing = ["client_encoding", "fallback_application_name", "service", "servicefile", "passfile"]
        let asked = settledOptions.filter { !$0.isStandard && !$0.isSecret && !passing.contains($0.keyword) }
        let reached = [("host", host), ("port", port), ("dbname", database), ("user", user)]
            .filter { name, value in !value.isEmpty && !asked.contains { $0.keyword == name } }
        return reached.map { (keyword: $0.0, value: $0.1) } + asked.map { ($0.keyword, Self.rooted($0)) }
    }

    /// The absolute path of a file that is named relative to the current folder.
    private static func rooted(_ option: SettledOption) -> String {
        let files = ["sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir"]
        guard files.contains(option.keyword), !option.value.hasPrefix("/"), !option.value.contains(":"),
            option.value != "system", let path = unsafe realpath(option.value, nil)
        else { return option.value }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }
}
