internal import Catalog
package import PQ

/// Something that operators may write, or where they may create, although they need not.
package struct HeldRight: Sendable {
    /// Who may do what, as a sentence.
    package let sentence: String
    /// What takes it away, as SQL.
    package let remedy: String

    package static let question = Query(file: "catalog/held_writes.sql")

    package static func all(_ rows: Rows) throws(DecodingFailure) -> [HeldRight] {
        try rows.rows.map { row throws(DecodingFailure) in
            HeldRight(sentence: try row.text("holds"), remedy: try row.text("remedy"))
        }
    }
}
