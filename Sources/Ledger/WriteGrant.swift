internal import Catalog
package import PQ

/// What operators, or everybody, may write of a table by a grant of their own.
package struct WriteGrant: Sendable, Hashable {
    package let table: String
    /// The role, or `public`.
    package let grantee: String
    package let privileges: [String]

    package static let question = Query(file: "catalog/write_grants.sql")

    package static func all(_ rows: Rows) throws(DecodingFailure) -> [WriteGrant] {
        try rows.rows.map { row throws(DecodingFailure) in
            WriteGrant(
                table: try row.text("table"), grantee: try row.text("from"), privileges: try row.texts("privileges"))
        }
    }
}

extension [WriteGrant] {
    /// What of these is not there any more.
    package func missing(in others: [WriteGrant]) -> [WriteGrant] {
        compactMap { grant in
            let left = others.first { $0.table == grant.table && $0.grantee == grant.grantee }?.privileges ?? []
            let gone = grant.privileges.filter { !left.contains($0) }
            return gone.isEmpty ? nil : WriteGrant(table: grant.table, grantee: grant.grantee, privileges: gone)
        }
    }
}
