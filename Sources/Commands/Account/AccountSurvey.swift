import Accounts
import Asking
import CommandLine
import Terminal

extension Verb {
    static let accountSurvey = Verb(
        Command(
            path: ["account", "survey"],
            summary: "List undeclared columns that could refer to users.",
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
                    long: "propose", value: .init(placeholder: "COLUMN=EFFECT", kind: .text), repeats: true,
                    summary:
                        "Change the proposal for a column, for all columns with a name, or (ignore, keep) for a table."
                ),
                Option(
                    long: "write", value: .init(placeholder: "FILE", kind: .file),
                    summary: "Append the proposed lines to this app file.", traits: [.reports, .isLasting]),
                Option(
                    long: "check", summary: "Exit 1 while a column is undeclared.", traits: .reports),
            ],
            examples: [
                Example(
                    command: "account survey", explains: "Which columns are not declared yet?",
                    output: """
                        Every column that could hold a key or an email is declared.
                        """),
                Example(
                    command: "account survey --propose created_by=detach --write shop.sql",
                    explains: "Accept the proposals, but keep rows that this user only created."),
                Example(command: "account survey --check", explains: "Is every column declared? Exit 1 if not."),
            ], traits: .reports)
    ) { invocation, context throws(Failure) in
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
