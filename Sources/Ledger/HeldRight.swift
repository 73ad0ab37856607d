internal import Catalog
package import PQ

/// A right that operators have but don't need: to write to a table, to create objects, or to read a secret.
package struct HeldRight: Sendable, Hashable {
    package let role: String
    package let sentence: String
    package let remedy: String

    package init(role: String, sentence: String, remedy: String) {
        self.role = role
        self.sentence = sentence
        self.remedy = remedy
    }

    package static let question = Query(file: "catalog/held_writes.sql")

    /// The query for the secret columns that operators can read; each column is a schema, a table and a name.
    package static func question(ofSecrets columns: [[String]]) -> Query {
        Query(file: "catalog/held_secrets.sql", (0..<3).map { part in arrayLiteral(columns.map { $0[part] }) })
    }

    package static func all(_ rows: Rows) throws(PQError) -> [HeldRight] {
        try rows.rows.map { row throws(PQError) in
            let (role, name) = (try row.text("role"), try row.text("name"))
            let sentence =
                switch try row.text("kind") {
                case "table": "\(role) has \(try row.texts("privileges").joined(separator: ", ")) on \(name)"
                case "schema": "\(role) can create objects in the schema \(name)"
                case "role": "\(role) has all rights of \(name)"
                case "secret": "\(role) can read \(name), which is a @secret"
                default: "\(role) can create roles and get the rights of any role"
                }
            return HeldRight(role: role, sentence: sentence, remedy: try row.text("remedy"))
        }
    }
}
