import Asking
import CommandLine
import Ledger
import Terminal

extension Verb {
    static let auditVerify = Command(
        "audit verify", summary: "Check the audit log for tampering.",
        discussion: """
            usher recomputes all digests itself. It compares each row with its digest, each operation with its seal, and each \
            seal with the seal before it. usher also compares the functions, triggers and rights of the schema usher with those that `install` creates. Exit 1 if something doesn't match.

            Only a role that can read the salts (usher_auditor) checks the digests of rows. usher also lists write access that \
            operators still have, and the SQL that revokes it.

            The check can't find changes by the owner of the schema or by a superuser, who could rewrite the whole chain. To find these changes, store the head (the digest of the last seal) elsewhere and pass it with --head.
            """,
        options: [
            Option("--head HASH", .text, summary: "Check that the log contains this head, which usher printed earlier.")
        ],
        examples: [
            Example(
                "audit verify", explains: "Print the head; store it somewhere else.",
                output: """
                    intact
                    2 operations, 0 changes, 1 seal; 0 operations not sealed yet
                    """)
        ], traits: .reports
    ).verb(isOfDatabase: true) { invocation, context throws(Failure) in
        let report = try Audit.verify(
            head: invocation.option("head"), on: try context.connection(), options: context.inquiry)
        try context.writePage(
            json: json(report), list: "problems", key: report.head ?? "",
            screen: lines(report, isAgainstOwner: invocation.option("head") != nil))
        return report.problems.isEmpty ? .done : .failed
    }

    private static func lines(_ report: AuditVerification, isAgainstOwner: Bool) -> [SafeText] {
        func count(_ number: Int, _ noun: String) -> SafeText { SafeText(number.of(noun)) }
        var lines: [SafeText] = report.problems.isEmpty ? [("intact" as SafeText).green.bold] : []
        for problem in report.problems {
            let subject = problem.operation.map { SafeText($0) + "  " } ?? ""
            let kind: SafeText =
                problem.kind == "unreadable" ? "usher couldn't finish a check, because it can't read a row: " : ""
            lines.append(("wrong  " as SafeText).red + subject + kind + SafeText(problem.detail))
        }
        if let hint = report.hint { lines.append("       → " + SafeText(hint)) }
        lines.append(
            count(report.operations, "operation") + ", " + count(report.changes, "change") + ", "
                + count(report.seals, "seal") + "; " + count(report.unsealed, "operation") + " not sealed yet")
        for (operation, rows) in report.erasures {
            lines.append(count(rows, "row") + " erased by operation " + SafeText(operation))
        }
        if !report.comparesPayloads {
            lines.append(
                ("not checked: the contents of the operations, which only the role usher_auditor can read" as SafeText)
                    .yellow)
        }
        for held in report.held {
            lines.append(
                ("note  " as SafeText).yellow + SafeText(held.sentence)
                    + "; the audit log doesn't record changes that use this right")
            lines.append("      → " + SafeText(held.remedy))
        }
        if let late = report.late {
            lines.append(("note  " as SafeText).yellow + SafeText(late.sentence))
            lines.append("      → " + SafeText(late.remedy))
        }
        if let head = report.head { lines.append("head " + SafeText(head)) }
        if !isAgainstOwner {
            lines.append(
                ("The owner of the schema can rewrite the whole log: store the head elsewhere, and check it later with --head."
                    as SafeText).dim)
        }
        return lines
    }

    private static func json(_ report: AuditVerification) -> JSON.Members {
        let problems = JSON.list(report.problems) {
            [("problem", $0.kind), ("operation", $0.operation), ("detail", $0.detail)]
        }
        return [
            ("intact", report.problems.isEmpty), ("head", report.head), ("operations", report.operations),
            ("changes", report.changes), ("seals", report.seals), ("unsealed", report.unsealed),
            ("payloads_compared", report.comparesPayloads),
            ("erased", JSON.list(report.erasures) { [("operation", $0.operation), ("rows", $0.rows)] }),
            ("problems", problems),
            ("held", JSON.list(report.held) { [("right", $0.sentence), ("remedy", $0.remedy)] }),
        ]
            + JSON.given([
                ("hint", report.hint),
                ("late", report.late.map { JSON([("detail", $0.sentence), ("remedy", $0.remedy)]) }),
            ])
    }
}
