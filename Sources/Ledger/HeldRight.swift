internal import Catalog
package import PQ

/// A right that operators have but don't need: to write to a table, to create objects, or to read a secret.
package struct HeldRight: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        /// A table, and the privileges on it.
        case table(String, [String])
        case schema(String)
        /// A server role whose members can write to every table.
        case role(String)
        /// The right to create roles, with which an operator can get the rights of any role.
        case roles
        /// A @secret column, with the name of its table.
        case secret(String)
    }

    package let role: String
    package let subject: Subject
    /// The SQL that revokes the right.
    package let remedy: String

    package init(role: String, subject: Subject, remedy: String) {
        self.role = role
        self.subject = subject
        self.remedy = remedy
    }

    package static let question = Query(file: "catalog/held_writes.sql")

    /// The query that finds out which of some columns operators can read; each column has a schema, a table and a name.
    package static func question(ofSecrets columns: [[String]]) -> Query {
        Query(file: "catalog/held_secrets.sql", (0..<3).map { part in arrayLiteral(columns.map { $0[part] }) })
    }

    package static func all(_ rows: Rows) throws(DecodingFailure) -> [HeldRight] {
        try rows.rows.map { row throws(DecodingFailure) in
            let name = try row.text("name")
            let subject: Subject =
                switch try row.text("kind") {
                case "table": .table(name, try row.texts("privileges"))
                case "schema": .schema(name)
                case "role": .role(name)
                case "secret": .secret(name)
                default: .roles
                }
            return HeldRight(role: try row.text("role"), subject: subject, remedy: try row.text("remedy"))
        }
    }
}

extension HeldRight {
    /// A sentence that names the role and its right.
    package var sentence: String {
        switch subject {
        case .table(let name, let privileges): "\(role) has \(privileges.joined(separator: ", ")) on \(name)"
        case .schema(let name): "\(role) can create objects in the schema \(name)"
        case .role(let name): "\(role) has all rights of \(name)"
        case .secret(let column): "\(role) can read \(column), which is a @secret"
        case .roles: "\(role) can create roles and get the rights of any role"
        }
    }
}
