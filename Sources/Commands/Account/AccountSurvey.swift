import Accounts
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let accountSurvey = Verb(
        Command(
            path: ["account", "survey"],
            summary: "Which columns could hold a person, and nothing says what becomes of them.",
            discussion: """
                Nothing is written to the database. Names, foreign keys of columns of the same name and samples of values are \
                weighed for every column that no foreign key and no line of the app file explains; three points ask. Each \
                question comes with a proposal, and the account is followed along what the proposals delete. Tables are listed, too, into \
                which triggers may copy what goes, as audits are, and functions of triggers of which nobody can read where they write. Questions that one \
                answer is likely to fit are printed as one; --table and -v show each of them with its lines.

                --propose changes a proposal, for one column or for all of a name, and so what it opens or closes. --write \
                appends the lines to an app file, to be read before they are installed. --check judges by the catalog and the \
                lines of the file, not by data, and exits with 1 while anything is unsettled: an empty database gives the same \
                answer as a full one. That is for the tests of an app's migrations; -o github and -o sarif show it there beside \
                the app file.
                """,
            options: [
                AccountOptions.root,
                Option(
                    long: "table", value: .init(placeholder: "TABLE", kind: .text),
                    summary: "Only the questions about this table, in full."),
                Option(
                    long: "propose", value: .init(placeholder: "COLUMN=EFFECT", kind: .text), repeats: true,
                    summary:
                        "delete, detach, keep or plain, for schema.table.column or all columns of a name; for what triggers write, TABLE=keep or delete."
                ),
                Option(
                    long: "write", value: .init(placeholder: "FILE", kind: .file),
                    summary: "Append the proposed lines to this app file.", traits: [.reports, .isLasting]),
                Option(
                    long: "check", summary: "Exit 1 while a column is unsettled.",
                    traits: [.reports, .reportsFindings]),
            ],
            examples: [
                Example(command: "account survey", explains: "What does the app file not say yet?"),
                Example(
                    command: "account survey --propose created_by=detach --write shop.sql",
                    explains: "Take the proposals, but keep what somebody merely created."),
                Example(command: "account survey --check", explains: "Is every column settled? Exit 1 if not."),
            ], traits: .reports)
    ) { invocation, context throws(Failure) in try SurveyCommand.run(invocation, context) }
}

/// Runs `account survey`, under either of its names.
enum SurveyCommand {
    static func run(_ invocation: Invocation, _ context: Context) throws(Failure) -> ExitStatus {
        var answers: [Survey.Answer] = []
        for text in invocation.options("propose") { answers.append(try Survey.Answer(text)) }
        if let schema = context.options.schema, invocation.option("write") != nil {
            throw Failure(
                .usage, "what is found in \(schema) names that schema, and the file is about all of them",
                hint: "leave --write out; -v shows the lines")
        }
        // A check gives the same answer in every database of a schema; what is written down the data have a say in.
        let isCheck = invocation.flag("check") && invocation.option("write") == nil
        let survey = try Survey.make(
            try AccountOptions.request([], invocation), answers: answers, weighingData: !isCheck,
            on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
        if let file = invocation.option("write") {
            let written = survey.unsettled.isEmpty ? 0 : try Survey.append(survey.block, to: file)
            if written > 0 { context.note("survey", in: file) }
            context.remark(
                written > 0
                    ? "\(written.of("line")) written to \(file); `usher app check` reads them"
                    : "Nothing is proposed that \(file) does not say; no line was written")
        }
        if let format = context.options.findingsFormat {
            let findings = try SurveyFindings.of(survey, invocation, context)
            context.screen.data(FindingsWriter.bytes(of: findings, as: format, .account))
        } else {
            try SurveyView(survey, table: invocation.option("table"), context).write()
        }
        return survey.isSettled || !invocation.flag("check") ? .done : .failed
    }
}
