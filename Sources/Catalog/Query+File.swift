internal import EmbeddedSQL
package import PQ

extension Query {
    /// Creates a statement from a file in `sql/`, with values for its placeholders `$1…`.
    package init(file path: String, _ parameters: [String?] = []) {
        self.init(unsafe: EmbeddedSQL.text(of: path), parameters)
    }

    /// Creates a statement from a file in `sql/`, with values that may be lists.
    package init(file path: String, values: [BoundValue?]) {
        self.init(unsafe: EmbeddedSQL.text(of: path), values: values)
    }
}
