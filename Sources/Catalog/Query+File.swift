internal import EmbeddedSQL
package import PQ

extension Query {
    /// A statement of `sql/`, whose placeholders `$1…` stand for the given values.
    package init(file path: String, _ parameters: [String?] = []) {
        self.init(unsafe: EmbeddedSQL.text(of: path), parameters)
    }

    /// A statement of `sql/` behind the query that it names.
    package init(file path: String, with name: String, as query: String) {
        self.init(unsafe: "with \(name) as (\(query))\n" + EmbeddedSQL.text(of: path))
    }

    /// The same with values some of which are packed.
    package init(file path: String, values: [BoundValue?]) {
        self.init(unsafe: EmbeddedSQL.text(of: path), values: values)
    }
}
