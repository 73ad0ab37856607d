internal import Catalog
package import PQ

package struct ReadSettings: Sendable {
    /// The names of the settings, which contain a dot, in alphabetical order.
    package let names: [String]
    /// The functions that compute the names of settings, so that usher can't tell which settings they read.
    package let functions: [String]

    package static let question = Query(file: "catalog/read_settings.sql")

    package init(names: [String] = [], functions: [String] = []) {
        self.names = names
        self.functions = functions
    }

    package init(_ rows: Rows) throws(PQError) {
        let all = try rows.rows.map { row throws(PQError) in (try row.text("kind"), try row.text("name")) }
        self.init(
            names: all.filter { $0.0 == "setting" }.map(\.1), functions: all.filter { $0.0 == "function" }.map(\.1))
    }
}
