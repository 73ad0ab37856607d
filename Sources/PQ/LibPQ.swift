internal import CPQ

/// The C library underneath, opened when a connection is first wanted.
package enum LibPQ {
    /// Opens it; throws where this machine has none.
    static func open() throws(PQError) {
        guard let problem = unsafe usher_open_libpq() else { return }
        throw .cannotConnect(Unreachable(unsafe String(cString: problem), at: .library))
    }

    /// The version that is installed here, nil where none is.
    package static var version: String? {
        guard unsafe usher_open_libpq() == nil else { return nil }
        let number = PQlibVersion()
        return "\(number / 10_000).\(number % 10_000)"
    }
}
