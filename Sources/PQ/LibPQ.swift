internal import CPQ

/// The library libpq; usher loads it for the first connection.
package enum LibPQ {
    static func open() throws(PQError) {
        guard let problem = unsafe usher_open_libpq() else { return }
        throw .cannotConnect(Unreachable(unsafe String(cString: problem), at: .library))
    }

    package static var version: String? {
        guard unsafe usher_open_libpq() == nil else { return nil }
        let number = Int(PQlibVersion())
        return "\(number / 10_000).\(number % 10_000)"
    }
}
