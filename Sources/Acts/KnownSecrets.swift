internal import Asking
internal import PQ

/// Values that an operator typed in secret, which no message may contain, although the server's would.
package struct KnownSecrets: Sendable {
    let values: [String]

    package static let none = KnownSecrets(values: [])

    package init(values: [String]) { self.values = values }

    /// An error without them.
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

    /// Turns an error of the wire into a failure without them.
    func failing<Value>(_ body: () throws(PQError) -> Value) throws(Failure) -> Value {
        do throws(PQError) { return try body() } catch {
            if case .server(let error) = error { throw Failure(kept(error)) }
            throw Failure(error)
        }
    }
}
