internal import EmbeddedSQL
package import PQ

extension Query {
    /// A statement of `sql/`, whose placeholders `$1…` stand for the given values.
    package init(file path: String, _ parameters: [String?] = []) {
        self.init(unsafe: EmbeddedSQL.text(of: path), parameters)
    }

    /// The same with values some of which are packed.
    package init(file path: String, values: [BoundValue?]) {
        self.init(unsafe: EmbeddedSQL.text(of: path), values: values)
    }
}
