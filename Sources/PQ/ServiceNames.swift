internal import Glibc

/// Which services libpq knows, so that any other word is the name of a database.
enum ServiceNames {
    /// Whether a file of services has a section of that name: the user's own, or one of the machine's.
    static func has(_ name: String) -> Bool {
        files.contains { file in
            lines(of: file).contains { line in
                let line = line.drop { $0 == " " || $0 == "\t" }
                return line.first == "[" && line.dropFirst().prefix { $0 != "]" } == name[...]
            }
        }
    }

    /// In the order of libpq, which has the last one compiled in: distributions put it in different places.
    private static var files: [String] {
        func value(_ name: String) -> String? {
            unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
        }
        let own = value("PGSERVICEFILE") ?? value("HOME").map { $0 + "/.pg_service.conf" }
        let folders =
            value("PGSYSCONFDIR").map { [$0] }
            ?? [
                "/etc/postgresql-common", "/etc", "/etc/postgresql", "/usr/local/etc/postgresql",
                "/usr/local/pgsql/etc", "/etc/sysconfig/pgsql",
            ]
        return [own].compactMap { $0 } + folders.map { $0 + "/pg_service.conf" }
    }

    private static func lines(of path: String) -> [Substring] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
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
