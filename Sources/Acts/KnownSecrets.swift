internal import Asking
internal import PQ

/// Secret values that an operator typed; usher removes them from every message, also from the server's.
package struct KnownSecrets: Sendable {
    let values: [String]

    package static let none = KnownSecrets(values: [])

    package init(values: [String]) { self.values = values }

    /// An error without the secrets.
    private func kept(_ error: ServerError) -> ServerError {
        ServerError(
            state: error.state, message: masked(error.message), detail: error.detail.map(masked),
            hint: error.hint.map(masked), position: error.position, context: error.context.map(masked),
            table: error.table, isInside: error.isInside)
    }

    package func masked(_ text: String) -> String {
        values.reduce(text) { text, value in
            value.isEmpty
                ? text : text.split(separator: value, omittingEmptySubsequences: false).joined(separator: "(secret)")
        }
    }

    /// Turns an error of the connection into a failure without the secrets.
    func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
        do throws(PQError) { return try body() } catch {
            if case .server(let error) = error { throw Failure(kept(error)) }
            throw Failure(error)
        }
    }
}
