internal import Glibc

/// A word that no service has for a name, so that it is the name of a database.
package struct UnknownService: Sendable, Hashable {
    package let name: String
    /// The files of services that there are, the user's own first; that one alone where there is none.
    package let files: [String]
    /// The services that stand in them.
    package let known: [String]

    /// Looks for a name among the services that libpq knows; nil where one has it.
    init?(_ name: String) {
        let found = Self.files.map { ($0, Self.lines(of: $0)) }
        known = found.flatMap { $1 ?? [] }.compactMap(Self.section)
        if known.contains(name) { return nil }
        self.name = name
        let there = found.filter { $0.1 != nil }.map(\.0)
        files = there.isEmpty ? Array(Self.files.prefix(1)) : there
    }

    /// The file in which a service has a setting; of several that have the service the first counts.
    static func file(of service: String, setting keyword: String) -> String? {
        for path in files {
            let section = (lines(of: path) ?? []).drop { self.section($0) != service }
            if section.isEmpty { continue }
            let settings = section.dropFirst().prefix { self.section($0) == nil }
            return settings.contains { $0.trimmed.hasPrefix(keyword + "=") } ? path : nil
        }
        return nil
    }

    /// The name of the section that a line opens.
    private static func section(_ line: Substring) -> String? {
        let line = line.drop { $0 == " " || $0 == "\t" }
        return line.first == "[" ? String(line.dropFirst().prefix { $0 != "]" }) : nil
    }

    /// In the order of libpq, which has the last one compiled in: distributions put it in different places.
    private static var files: [String] {
        func value(_ name: String) -> String? {
            unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let own = value("PGSERVICEFILE") ?? HomeFolder.path.map { $0 + "/.pg_service.conf" }
        let folders =
            value("PGSYSCONFDIR").map { [$0] }
            ?? [
                "/etc/postgresql-common", "/etc", "/etc/postgresql", "/usr/local/etc/postgresql",
                "/usr/local/pgsql/etc", "/etc/sysconfig/pgsql",
            ]
        return [own].compactMap { $0 } + folders.map { $0 + "/pg_service.conf" }
    }

    private static func lines(of path: String) -> [Substring]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            // No file of services is as long as that.
            guard count > 0, bytes.count < 1 << 20 else { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    }
}
