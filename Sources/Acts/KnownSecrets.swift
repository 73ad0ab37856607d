internal import Asking
package import PQ

/// What no message may say, although the server would: values that an operator typed in secret, and what tables with
/// secrets hold.
package struct KnownSecrets: Sendable {
    let values: [String]
    let tables: Set<String>

    package static let none = KnownSecrets(values: [], tables: [])

    package init(values: [String], tables: Set<String>) {
        self.values = values
        self.tables = tables
    }

    /// An error without them.
    package func kept(_ error: ServerError) -> ServerError {
        let isAboutSecrets = error.table.map(tables.contains) ?? false
        return ServerError(
            state: error.state, message: masked(error.message), detail: isAboutSecrets ? nil : error.detail.map(masked),
            hint: error.hint.map(masked), position: error.position, context: error.context.map(masked),
            table: error.table, isInside: error.isInside, wasCancelled: error.wasCancelled)
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
