import Accounts
import Asking
import PQ
import Terminal

/// How the columns look that nobody settled: one line a group for people, each of them for programs.
struct SurveyView {
    private let survey: Survey
    private let context: Context
    /// The questions that are shown, all unless a table is named.
    private let shown: [Survey.Question]
    private let isWhole: Bool

    init(_ survey: Survey, table: String?, _ context: Context) {
        self.survey = survey
        self.context = context
        shown = survey.unsettled.filter { question in
            table.map { question.table == $0 || question.table.hasSuffix(".\($0)") } ?? true
        }
        isWhole = table != nil || context.options.isVerbose
    }

    func write() throws(Failure) {
        try PageWriter(context: context).write(
            json: json, records: records, key: shown.map(\.path).joined(separator: "\n"), screen: lines)
    }

    private var json: [(String, JSON)] {
        [
            ("root", .string(survey.root)), ("settled", JSON(survey.settled)),
            ("unsettled", .array(shown.map(Self.json))),
            (
                "suspected",
                .array(
                    shown.map { question in
                        JSON([
                            ("table", .string(question.table)), ("column", Self.column(question)),
                            ("rows", question.rows.map { JSON($0) } ?? .null),
                        ])
                    })
            ),
            ("untold", .array(survey.untold.map { .string($0) })),
            ("shared", .array(survey.shared.map { .string($0) })),
            ("hidden", .array(survey.hidden.map { .string($0) })),
            ("missing", .array(survey.missing.map { .string($0) })), ("clean", .bool(survey.isSettled)),
        ]
    }

    private static func column(_ question: Survey.Question) -> JSON { question.column.map { .string($0) } ?? .null }

    private static func json(_ question: Survey.Question) -> JSON {
        let because = question.because.map {
            JSON([("evidence", .string($0.sentence)), ("points", JSON($0.points))])
        }
        return JSON([
            ("table", .string(question.table)), ("column", column(question)), ("because", .array(because)),
            ("parent", question.parent.map { .string($0) } ?? .null), ("effect", .string(question.effect.rawValue)),
            ("proposal", .string(question.proposal.map(\.text).joined(separator: "\n"))),
            ("rows", question.rows.map { JSON($0) } ?? .null),
        ])
    }

    private var records: [Row] {
        let names = ["table", "column", "parent", "effect", "points", "rows", "proposal"]
        let columns = names.map { Column(name: $0, type: ["points", "rows"].contains($0) ? .bigint : .text) }
        return shown.map { question in
            let cells: [String?] = [
                question.table, question.column, question.parent, question.effect.rawValue, "\(question.points)",
                question.rows.map { "\($0)" }, question.proposal.map(\.text).joined(separator: "; "),
            ]
            return Row(columns: columns, values: zip(cells, columns).map { Value($0, type: $1.type) })
        }
    }

    // MARK: For people

    private var lines: [SafeText] {
        if survey.isSettled {
            return [("Every column that could hold a person is settled." as SafeText).green] + untold + shared
        }
        var lines: [SafeText] = []
        if !shown.isEmpty {
            lines = [
                SafeText("\(unsettled) unsettled, \(survey.settled) settled, from \(survey.rootPath)"),
                "",
            ]
            lines += isWhole ? shown.flatMap(Self.lines) : survey.groups.flatMap { Self.lines($0) }
            if !isWhole {
                lines += ["", "-v shows each column with its lines; --write FILE appends them to an app file."]
            }
        }
        lines += untold + shared
        return lines + hidden
            + survey.missing.map { SafeText("the app file names \($0), which this database does not have") }
    }

    /// What this role may not see, a line a table.
    private var hidden: [SafeText] {
        Dictionary(
            grouping: survey.hidden.map { $0.split(separator: ".") }, by: { $0.dropLast().joined(separator: ".") }
        )
        .sorted { $0.key < $1.key }.flatMap { table, columns in
            let names = columns.compactMap(\.last).map(String.init)
            let most = isWhole ? names.count : 3
            let rest = names.count - min(most, names.count)
            let some = names.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
            return (SafeText("\(table) (\(some))").bold + ("  cannot be seen" as SafeText)).wrapped(
                to: context.screen.widthLimit ?? .max, indent: 2)
        }
    }

    /// What nobody asks about and nobody can rule out, on one line.
    private var untold: [SafeText] {
        if survey.untold.isEmpty { return [] }
        return advice(
            "\(survey.untold.count.of("column")) of numbers that may as well be users' as anything: \(some(of: survey.untold)); "
                + "where one is, `@reference` says so, and `@plain` where it is not")
    }

    /// What whoever deletes is asked about, on one line.
    private var shared: [SafeText] {
        if survey.shared.isEmpty { return [] }
        return advice(
            "Whoever deletes is asked what becomes of rows that users share: \(some(of: survey.shared)); "
                + "`@collateral` says it once, and `--propose TABLE=keep` or `=delete` proposes it")
    }

    private func some(of names: [String]) -> String {
        let most = isWhole ? names.count : 3
        let rest = names.count - min(most, names.count)
        return names.prefix(most).joined(separator: ", ") + (rest > 0 ? " and \(rest) more, which -v lists" : "")
    }

    private func advice(_ text: String) -> [SafeText] {
        SafeText(advice: text).dim.wrapped(to: context.screen.widthLimit ?? .max, indent: 2)
    }

    private var unsettled: String {
        func told(_ matter: Survey.Question.Matter, _ noun: String, _ rest: String = "") -> String? {
            let count = shown.filter { $0.matter == matter }.count
            return count > 0 ? count.of(noun) + rest : nil
        }
        let parts = [
            told(.column, "column"), told(.written, "table", " that triggers write to"),
            told(.function, "function", " of triggers"), told(.shared, "table", " of which users share rows"),
        ].compactMap(\.self)
        return parts.dropLast().joined(separator: ", ") + (parts.count > 1 ? " and " : "") + (parts.last ?? "")
    }

    private static func lines(_ question: Survey.Question) -> [SafeText] {
        let rows = question.rows.map { "  about \($0.of("row"))" } ?? ""
        return [SafeText(question.path).bold + SafeText(rows)]
            + question.because.map { SafeText("  \(points($0.points))  \($0.sentence)") }
            + (question.proposal.isEmpty ? [undecided(question)] : question.proposal.map(\.text)).map {
                SafeText("  \($0)").dim
            }
            + [""]
    }

    /// What is told where only an engineer knows, and nothing is proposed.
    private static func undecided(_ question: Survey.Question) -> String {
        switch question.matter {
        case .function: question.declaration
        case .column: "--propose \(question.path)=delete, detach, keep or plain"
        case .written, .shared: "--propose \(question.path)=delete or keep"
        }
    }

    private static func lines(_ group: Survey.Group) -> [SafeText] {
        let some = group.tables.prefix(3).map { pasted($0) }.joined(separator: ", ")
        let tables = group.tables.count > 3 ? "\(some) and \(group.tables.count - 3) more" : some
        let rows = group.rows.map { ", about \($0.of("row"))" } ?? ""
        let what =
            switch group.questions.first?.matter {
            case .written, .function: "what triggers write"
            case .shared: "what users share"
            default: "in \(tables)\(rows)"
            }
        let why =
            group.questions.first?.because.map { "\(points($0.points)) \($0.sentence)" }.joined(separator: "; ") ?? ""
        return [
            SafeText(group.title).bold + SafeText("  \(group.effect.rawValue)  \(what)"),
            SafeText("    \(why)").dim,
        ]
    }

    private static func points(_ points: Int) -> String { points < 0 ? "\(points)" : "+\(points)" }
}

extension Survey.Question {
    /// The line that says where a function writes.
    var declaration: String { "@writes \(path) -> TABLE, or nothing" }
}
