import Accounts
import Asking
import CommandLine
import Terminal

extension Verb {
    static let accountSurvey = Command(
        "account survey", summary: "List undeclared columns that could refer to users.",
        discussion: """
            usher writes nothing to the database. usher lists each column that could contain a key or an email of a user. The list leaves out columns that a foreign key or the \
            app file declares. usher judges a column by its name, by its values, and by foreign keys of columns with the same name. \
            The values come from a sample of \(Survey.sampledRows) rows of each table. usher proposes a line of the app file for each column; -v \
            shows the lines. For texts that contain emails or keys of users, usher proposes `@ignore`, because a deletion does not search texts.

            --propose changes a proposal for one column, for all columns with one name, or for all columns of one table. --write appends the \
            proposed lines to an app file. --check reads the catalog and the app file but no data, so an empty database gives the same result as a full \
            database. Use --check in the tests of your migrations.
            """,
        options: [
            AccountOptions.root,
            Option(
                "--propose COLUMN=EFFECT", .text, repeats: true,
                summary: "Change the proposal for a column, for all columns with a name, or (ignore, keep) for a table."
            ),
            Option(
                "--write FILE", .file, summary: "Append the proposed lines to this app file.",
                traits: [.reports, .isLasting]),
            Option("--check", summary: "Exit 1 while a column is undeclared.", traits: .reports),
        ],
        examples: [
            Example(
                "account survey", explains: "Which columns are not declared yet?",
                output: """
                    No undeclared column seems to refer to users.
                    """),
            Example(
                "account survey --propose created_by=detach --write shop.sql",
                explains: "Accept the proposals, but keep rows that this user only created."),
            Example("account survey --check", explains: "Is every column declared? Exit 1 if not."),
        ], traits: .reports
    ).verb { invocation, context throws(Failure) in
        var answers: [Survey.Answer] = []
        for text in invocation.options("propose") { answers.append(try Survey.Answer(text)) }
        if context.options.schema != nil, invocation.option("write") != nil {
            throw Failure(
                .usage, "--write needs an app file for one schema, but this app file has @schema",
                hint: "remove --write; -v shows the lines that usher would write")
        }
        // A check gives the same result in every database with this schema. Proposals also use the data.
        let isCheck = invocation.flag("check") && invocation.option("write") == nil
        let survey = try Survey.make(
            try AccountOptions.request([], invocation), answers: answers, weighingData: !isCheck,
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        if let file = invocation.option("write") {
            let written = survey.undeclared.isEmpty ? 0 : try Survey.append(survey.block, to: file)
            if written > 0 { context.note("survey", in: file) }
            context.remark(
                written > 0
                    ? "\(written.of("line")) written to \(file); check the file with `usher app check`"
                    : "\(file) already contains all proposed lines; usher wrote nothing")
        }
        try SurveyView(survey: survey, context: context).write()
        return survey.isClean || !invocation.flag("check") ? .done : .failed
    }
}

/// The view of undeclared columns: one line for each column for people, all details for programs.
private struct SurveyView {
    let survey: Survey
    let context: Context
    private var isWhole: Bool { context.options.isVerbose }

    func write() throws(Failure) {
        try context.writePage(
            json: json, list: "undeclared", key: survey.undeclared.map(\.path).joined(separator: "\n"), screen: lines)
    }

    private var json: JSON.Members {
        [
            ("root", survey.root), ("declared", survey.declared), ("undeclared", survey.undeclared.map(Self.json)),
            ("hidden", survey.hidden), ("missing", survey.missing), ("aimless", survey.aimless),
            ("clean", survey.isClean),
        ]
    }

    private static func json(_ question: Survey.Question) -> JSON {
        let because = question.because.map { JSON([("evidence", $0.sentence), ("points", $0.points)]) }
        return JSON([
            ("table", question.table), ("column", question.column), ("because", because), ("parent", question.parent),
            ("effect", question.effect.rawValue), ("proposal", question.proposal.joined(separator: "\n")),
            ("rows", question.rows),
        ])
    }

    private var lines: [SafeText] {
        if survey.isClean {
            return [("No undeclared column seems to refer to users." as SafeText).green]
        }
        var lines: [SafeText] = []
        if !survey.undeclared.isEmpty {
            lines = [
                SafeText(
                    "\(survey.undeclared.count.of("undeclared column")) could refer to users; \(survey.declared.of("column")) declared; the table of users is \(survey.rootPath)"
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
            + (question.proposal.isEmpty ? [undecided] : question.proposal).map { SafeText("  \($0)").dim }
            + [""]
    }

    private static func line(_ question: Survey.Question) -> SafeText {
        let parent = question.parent.map { " → \($0)" } ?? ""
        return SafeText("\(question.path)\(parent)").bold + SafeText("  \(question.effect.rawValue)  ")
            + SafeText(question.evidence).dim
    }
}
