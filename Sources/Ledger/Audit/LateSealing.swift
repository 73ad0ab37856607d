internal import Asking
internal import Catalog
package import PQ

/// Operations that have had no seal for more than five minutes, and the sessions that block the sealing.
package struct LateSealing: Sendable, Hashable {
    /// A sentence with the number of unsealed operations and the sessions that block their sealing.
    package let sentence: String
    package let remedy: String

    package static let question = Query(file: "catalog/audit_blockers.sql")

    /// Decodes the result of `question`; nil if every operation older than five minutes is sealed.
    package init?(_ rows: Rows) throws(PQError) {
        guard let first = rows.first else { return nil }
        let operations = try first.integer("operations")
        var (blockers, remedies): ([String], [String]) = ([], [])
        for row in rows.rows {
            guard let kind = try row.optionalText("kind") else { continue }
            let (name, owner) = (try row.text("name"), try row.optionalText("operator").map { " of \($0)" } ?? "")
            switch kind {
            case "lock": blockers.append("session \(name)\(owner) has the lock that sealing needs")
            case "prepared": blockers.append("the prepared transaction \(name)\(owner) is still open")
            default:
                blockers.append("session \(name)\(owner) has an open transaction that began before these operations")
            }
            remedies.append(
                kind == "prepared"
                    ? "rollback prepared '\(name.replacing("'", with: "''"))';"
                    : "select pg_terminate_backend(\(name));")
        }
        let count = operations.of("operation")
        let unsealed = "\(count) older than five minutes \(operations == 1 ? "is" : "are") not sealed"
        sentence = blockers.isEmpty ? unsealed : unsealed + ": " + blockers.joined(separator: ", ")
        remedy = (remedies + ["the next change will seal these operations"]).joined(separator: " ")
    }
}
