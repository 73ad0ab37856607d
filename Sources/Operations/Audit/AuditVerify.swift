package import PQ

/// What verifying the ledger came to.
package struct AuditVerification: Sendable {
    /// The head of the chain, nil before the first seal.
    package let head: String?
    package let operations: Int
    package let changes: Int
    /// Operations that no seal covers yet.
    package let unsealed: Int
    package let seals: Int
    /// How many rows each erasure emptied.
    package let erasures: [(operation: String, rows: Int)]
    package let problems: [Problem]

    package struct Problem: Sendable {
        package let kind: String
        package let operation: String?
        package let detail: String
    }
}

extension Audit {
    /// Computes everything anew and compares; the head is one that was kept elsewhere.
    package static func verify(
        head: String?, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AuditVerification {
        if let head, head.utf8.count != 64 || !head.utf8.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }) {
            throw Failure(.usage, "--head must be 64 hexadecimal digits, as `audit verify` prints them")
        }
        let (audit, answers) = try open(
            ["select * from usher.tally()", query("erasures")], on: connection, options: options)
        var problems: [Row] = []
        try audit.stream("select problem, operation, detail from usher.verify(\(head))") { row in
            problems.append(row.copy())
        }
        do throws(DecodingFailure) {
            guard let tally = answers[0].first else { throw .noSuchColumn("head") }
            var erasures: [(String, Int)] = []
            for row in answers[1].rows { erasures.append((try row.text("operation"), try row.integer("rows"))) }
            var found: [AuditVerification.Problem] = []
            for row in problems {
                found.append(
                    AuditVerification.Problem(
                        kind: try row.text("problem"), operation: try row.optionalText("operation"),
                        detail: try row.text("detail")))
            }
            return AuditVerification(
                head: try tally.optionalText("head"), operations: try tally.integer("operations"),
                changes: try tally.integer("changes"), unsealed: try tally.integer("unsealed"),
                seals: try tally.integer("seals"), erasures: erasures, problems: found)
        } catch {
            throw Failure(.failed, "unexpected ledger: \(error)")
        }
    }
}
