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
        number > 0 ? "\(number / 10_000).\(number % 10_000)" : nil
    }

    /// The same as a number, 150018 for 15.18; 0 where there is none.
    static var number: Int { unsafe usher_open_libpq() == nil ? Int(PQlibVersion()) : 0 }
}
