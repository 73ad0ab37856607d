import Accounts
import Asking
import PQ
import Terminal

/// The view of undeclared columns: one line each for people, all details for programs.
struct SurveyView {
    let survey: Survey
    let context: Context
    private var isWhole: Bool { context.options.isVerbose }

    func write() throws(Failure) {
        try PageWriter(context: context).write(
            json: json, records: records, key: survey.unsettled.map(\.path).joined(separator: "\n"), screen: lines)
    }

    private var json: [(String, JSON)] {
        [
            ("root", .string(survey.root)), ("declared", JSON(survey.settled)),
            ("undeclared", .array(survey.unsettled.map(Self.json))),
            ("hidden", .array(survey.hidden.map { .string($0) })),
            ("missing", .array(survey.missing.map { .string($0) })),
            ("aimless", .array(survey.aimless.map { .string($0) })), ("clean", .bool(survey.isSettled)),
        ]
    }

    private static func json(_ question: Survey.Question) -> JSON {
        let because = question.because.map {
            JSON([("evidence", .string($0.sentence)), ("points", JSON($0.points))])
        }
        return JSON([
            ("table", .string(question.table)), ("column", .string(question.column)), ("because", .array(because)),
            ("parent", question.parent.map { .string($0) } ?? .null), ("effect", .string(question.effect.rawValue)),
            ("proposal", .string(question.proposal.joined(separator: "\n"))),
            ("rows", question.rows.map { JSON($0) } ?? .null),
        ])
    }

    private var records: [Row] {
        let names = ["table", "column", "parent", "effect", "points", "rows", "proposal"]
        let columns = names.map { Column(name: $0, type: ["points", "rows"].contains($0) ? .bigint : .text) }
        return survey.unsettled.map { question in
            let cells: [String?] = [
                question.table, question.column, question.parent, question.effect.rawValue, "\(question.points)",
                question.rows.map { "\($0)" }, question.proposal.joined(separator: "; "),
            ]
            return Row(columns: columns, values: zip(cells, columns).map { Value($0, type: $1.type) })
        }
    }

    // MARK: For people

    private var lines: [SafeText] {
        if survey.isSettled {
            return [("Every column that could hold a key or an email is declared." as SafeText).green]
        }
        var lines: [SafeText] = []
        if !survey.unsettled.isEmpty {
            lines = [
                SafeText(
                    "\(survey.unsettled.count.of("column")) undeclared, \(survey.settled) declared, from \(survey.rootPath)"
                ),
                "",
            ]
            lines += isWhole ? survey.unsettled.flatMap(Self.lines) : survey.unsettled.map(Self.line)
            if !isWhole {
                lines += ["", "-v shows each column with its lines; --write FILE appends them to an app file."]
            }
        }
        return lines + hidden
            + survey.missing.map { SafeText("the app file declares \($0), but this database doesn't have it") }
            + survey.aimless.map { SafeText("the app file doesn't say which table \($0) refers to") }
    }

    /// The tables that this role can't read, one per line.
    private var hidden: [SafeText] {
        Dictionary(
            grouping: survey.hidden.map { $0.split(separator: ".") }, by: { $0.dropLast().joined(separator: ".") }
        )
        .sorted { $0.key < $1.key }.flatMap { table, columns in
            let names = columns.compactMap(\.last).map(String.init)
            let most = isWhole ? names.count : 3
            let rest = names.count - min(most, names.count)
            let some = names.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
            return (SafeText("\(table) (\(some))").bold + ("  can't be seen" as SafeText)).wrapped(
                to: context.screen.widthLimit ?? .max, indent: 2)
        }
    }

    private static func lines(_ question: Survey.Question) -> [SafeText] {
        let rows = question.rows.map { "  about \($0.of("row"))" } ?? ""
        return [SafeText(question.path).bold + SafeText(rows)]
            + question.because.map { SafeText("  \(points($0.points))  \($0.sentence)") }
            + (question.proposal.isEmpty ? [undecided(question)] : question.proposal).map {
                SafeText("  \($0)").dim
            }
            + [""]
    }

    /// The line for a column without a proposal.
    private static func undecided(_ question: Survey.Question) -> String {
        "--propose \(question.path)=delete, detach, keep or ignore"
    }

    private static func line(_ question: Survey.Question) -> SafeText {
        let parent = question.parent.map { " → \($0)" } ?? ""
        return SafeText("\(question.path)\(parent)").bold + SafeText("  \(question.effect.rawValue)  ")
            + SafeText(question.evidence).dim
    }

    private static func points(_ points: Int) -> String { points < 0 ? "\(points)" : "+\(points)" }
}
