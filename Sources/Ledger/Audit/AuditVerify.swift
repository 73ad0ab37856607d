package import Asking
package import PQ

package struct AuditVerification: Sendable {
    /// The last seal of the chain; nil if there is no seal yet.
    package let head: String?
    package let operations: Int
    package let changes: Int
    /// The number of operations that don't have a seal yet.
    package let unsealed: Int
    package let seals: Int
    /// The deletions, each with the number of older entries that it emptied.
    package let erasures: [(operation: String, rows: Int)]
    /// True if usher compared payloads with their digests, which needs the right to read the salts.
    package let comparesPayloads: Bool
    package let problems: [Problem]
    /// The advice if functions, triggers, tables or types differ from this version of usher; nil if none differ.
    package let hint: String?
    /// The rights that operators have but don't need.
    package let held: [HeldRight]
    /// The operations that have had no seal for more than five minutes; nil if there are none.
    package let late: LateSealing?

    package struct Problem: Sendable {
        package let kind: String
        package let operation: String?
        package let detail: String
    }
}

extension Audit {
    /// Computes all seals of the audit log again and compares them; `head` is a seal that the operator stored
    /// elsewhere.
    ///
    /// The verification doesn't call the schema's functions, because somebody may have replaced them. It compares the
    /// digests of functions and triggers with the digests in this program.
    package static func verify(
        head: String?, on connection: Connection, options: InquiryOptions
    ) throws(Failure) -> AuditVerification {
        if let head, head.utf8.count != 64 || !head.utf8.allSatisfy({ "0123456789abcdefABCDEF".utf8.contains($0) }) {
            throw Failure(
                .usage, "`--head` must be the 64 hexadecimal digits of a head that `usher audit verify` printed")
        }
        let questions = [
            query("tally"), query("erasures"), HeldRight.question, LateSealing.question,
            query("objects", [LedgerSchema.digests]), query("tables"),
        ]
        let (audit, answers) = try open(questions, on: connection, options: options)
        let tally = try failing(try answers[0].only())
        let comparesPayloads = try failing(try tally.boolean("reads_salts"))
        var problems = answers[4...].flatMap(\.rows)
        var unreadable: [AuditVerification.Problem] = []
        // If an object isn't a table but should be, usher skips the checks that read it.
        let kinds = try failing(try answers[4].rows.map { row throws(PQError) in try row.text("problem") })
        let lists = kinds.contains("table") ? [] : ["subjects"] + (comparesPayloads ? ["listed"] : []) + ["chain"]
        for name in ["rights"] + (comparesPayloads ? ["payloads"] : []) + ["records"] + lists {
            let question = query(name, name == "chain" ? [head] : [])
            do throws(Failure) {
                // The verification reads the whole audit log, so its queries have no time limit unless the operator
                // sets one.
                if options.isTimeoutChosen {
                    problems += try audit.rows(of: question).rows
                } else {
                    try audit.stream(question) { row in problems.append(row.copy()) }
                }
            } catch {
                // An unreadable row ends only the check that reads the row.
                guard error.state?.category == "22", let message = error.serverError?.message else { throw error }
                unreadable.append(.init(kind: "unreadable", operation: nil, detail: message))
            }
        }
        if try failing(try tally.boolean("reads_keys")) {
            for row in try audit.rows(of: query("returned")).rows {
                problems += try audit.rows(of: Query(unsafe: try failing(try row.text("question")))).rows
            }
        }
        return try failing(
            AuditVerification(
                head: try tally.optionalText("head"), operations: try tally.integer("operations"),
                changes: try tally.integer("changes"), unsealed: try tally.integer("unsealed"),
                seals: try tally.integer("seals"),
                erasures: try answers[1].rows.map { row throws(PQError) in
                    (try row.text("operation"), try row.integer("rows"))
                }, comparesPayloads: comparesPayloads,
                problems: try unreadable
                    + problems.map { row throws(PQError) in
                        AuditVerification.Problem(
                            kind: try row.text("problem"), operation: try row.optionalText("operation"),
                            detail: try row.text("detail"))
                    },
                hint: answers[4].rows.isEmpty
                    ? nil
                    : "another version of usher may have installed the schema: ask the database owner. If this is not the case, "
                        + "somebody changed the schema; save this output before you run `usher install`",
                held: try HeldRight.all(answers[2]), late: try LateSealing(answers[3])))
    }
}
