import Accounts
import Asking
import Terminal

/// The view of undeclared columns: one line for each column for people, all details for programs.
struct SurveyView {
    let survey: Survey
    let context: Context
    private var isWhole: Bool { context.options.isVerbose }

    func write() throws(Failure) {
        try context.writePage(
            json: json, list: "undeclared", key: survey.undeclared.map(\.path).joined(separator: "\n"), screen: lines)
    }

    private var json: [(String, JSON)] {
        [
            ("root", .string(survey.root)), ("declared", JSON(survey.declared)),
            ("undeclared", .array(survey.undeclared.map(Self.json))),
            ("hidden", .strings(survey.hidden)), ("missing", .strings(survey.missing)),
            ("aimless", .strings(survey.aimless)), ("clean", .bool(survey.isClean)),
        ]
    }

    private static func json(_ question: Survey.Question) -> JSON {
        let because = question.because.map {
            JSON([("evidence", .string($0.sentence)), ("points", JSON($0.points))])
        }
        return JSON([
            ("table", .string(question.table)), ("column", .string(question.column)), ("because", .array(because)),
            ("parent", JSON(question.parent)), ("effect", .string(question.effect.rawValue)),
            ("points", JSON(question.points)), ("proposal", .string(question.proposal.joined(separator: "\n"))),
            ("rows", question.rows.map { JSON($0) } ?? .null),
        ])
    }

    private var lines: [SafeText] {
        if survey.isClean {
            return [("Every column that could hold a key or an email is declared." as SafeText).green]
        }
        var lines: [SafeText] = []
        if !survey.undeclared.isEmpty {
            lines = [
                SafeText(
                    "\(survey.undeclared.count.of("column")) undeclared, \(survey.declared) declared; the table of users is \(survey.rootPath)"
                ),
                "",
            ]
            lines += isWhole ? survey.undeclared.flatMap(Self.lines) : survey.undeclared.map(Self.line)
            if !isWhole {
                lines += [
                    "", "-v shows the proposed lines of each column; --write FILE appends these lines to an app file.",
                ]
            }
        }
        return lines + hidden
            + survey.missing.map { SafeText("the app file declares \($0), but this database doesn't have it") }
            + survey.aimless.map { SafeText("the app file doesn't declare which table \($0) refers to") }
    }

    /// The columns that this role can't read.
    private var hidden: [SafeText] {
        if survey.hidden.isEmpty { return [] }
        let names = survey.hidden.listed(most: isWhole ? survey.hidden.count : 5)
        return SafeText("your role can't read these columns: \(names)").wrapped(
            to: context.screen.widthLimit ?? .max, indent: 2)
    }

    private static func lines(_ question: Survey.Question) -> [SafeText] {
        let rows = question.rows.map { "  about \($0.of("row"))" } ?? ""
        let undecided = "--propose \(question.path)=delete, detach, keep or ignore"
        return [SafeText(question.path).bold + SafeText(rows)]
            + question.because.map { SafeText("  \($0.points > 0 ? "+" : "")\($0.points)  \($0.sentence)") }
            + (question.proposal.isEmpty ? [undecided] : question.proposal).map {
                SafeText("  \($0)").dim
            }
            + [""]
    }

    private static func line(_ question: Survey.Question) -> SafeText {
        let parent = question.parent.map { " → \($0)" } ?? ""
        return SafeText("\(question.path)\(parent)").bold + SafeText("  \(question.effect.rawValue)  ")
            + SafeText(question.evidence).dim
    }
}
