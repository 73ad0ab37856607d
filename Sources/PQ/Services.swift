internal import Glibc

package enum Services {
    /// The names of all services; services of the user's own file come first.
    package static var names: [String] { files.flatMap(lines).compactMap(section) }

    private static func section(_ line: Substring) -> String? {
        let line = line.drop { $0 == " " || $0 == "\t" }
        return line.first == "[" ? String(line.dropFirst().prefix { $0 != "]" }) : nil
    }

    /// The service files in libpq's order; the system folder depends on the distribution.
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

    private static func lines(of path: String) -> [Substring] {
        guard let file = unsafe fopen(path, "re") else { return [] }
        defer { unsafe fclose(file) }
        // The limit for the size of a service file; usher ignores the rest of a larger file.
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split(whereSeparator: \.isNewline)
    }
}
