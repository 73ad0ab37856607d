internal import Asking
internal import PQ

/// The secret values that an operator typed; usher removes them from every message, also from messages of the server.
package struct KnownSecrets: Sendable {
    let values: [String]

    package static let none = KnownSecrets(values: [])

    package init(values: [String]) { self.values = values }

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

    /// Runs a body, and converts an error of the connection or the server into a failure without the secrets.
    func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
        do throws(PQError) { return try body() } catch {
            if case .server(let error) = error { throw Failure(kept(error)) }
            throw Failure(error)
        }
    }
}
