import AppFile
import Asking
import CommandLine
import Inquiries
import Terminal

extension Verb {
    static let appTest = Command(
        "app test", summary: "Run the examples of an app file.",
        discussion: """
            For each example, usher inserts the rows, evaluates the decisions about the user, and rolls back. Use an empty database with \
            the tables of the app, or a test database. usher lists the rules that no example reached. Exit 1 if an example \
            fails.
            """,
        arguments: [.app],
        options: [
            Option("--examples FILE", .file, repeats: true, summary: "Also run the @example blocks of this file.")
        ],
        examples: [
            Example(
                "app test ./mine.sql", explains: "Run every @example of the file.",
                output: """
                    ok    trial-over
                    access  examples reached 1 of 5 rules and reasons
                    """),
            Example(
                "app test ./mine.sql --examples ./examples.sql",
                explains: "Also run the @example blocks of another file."),
        ], traits: [.connects, .choosesDatabase, .readsApp, .writesResult, .writesRows]
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) in
        let more = invocation.options["examples"] ?? []
        let name = try AppShow.chosenName(invocation, context)
        let app = try AppLibrary.app(name, and: more, taken: AppVerbs.taken)
        let (outcomes, coverage) = try AppTest.run(app, on: try context.connectionToChange())
        try context.writePage(
            json: json(outcomes, coverage), list: "examples", key: app.name, screen: screen(outcomes, coverage))
        return outcomes.contains { !$0.problems.isEmpty } ? .failed : .done
    }

    private static func screen(_ outcomes: [AppTest.Outcome], _ coverage: [AppTest.Coverage]) -> [SafeText] {
        var lines: [SafeText] = outcomes.isEmpty ? ["The app file doesn't contain examples."] : []
        for outcome in outcomes {
            let name = SafeText(outcome.example.name)
            lines.append(
                outcome.problems.isEmpty ? ("ok    " as SafeText).green + name : ("wrong " as SafeText).red + name)
            lines += outcome.problems.map { "      " + SafeText($0) }
        }
        lines.append("")
        for decision in coverage {
            let count = decision.rules - decision.missed.count
            lines.append(
                SafeText(decision.decision.name).bold
                    + "  examples reached \(count) of \(decision.rules) rules and reasons")
            for missed in decision.missed {
                let (line, _) = missed.place.file.position(of: missed.place.offset)
                let place = SafeText("\(missed.place.file.name):\(line)").dim
                lines.append("  " + place + "  " + SafeText(missed.outcome) + "  " + SafeText(missed.sentence.source))
            }
        }
        return lines
    }

    private static func json(_ outcomes: [AppTest.Outcome], _ coverage: [AppTest.Coverage]) -> JSON.Members {
        let examples = JSON.list(outcomes) { outcome in
            [
                ("name", outcome.example.name), ("passed", outcome.problems.isEmpty), ("problems", outcome.problems),
            ]
        }
        let coverage = JSON.list(coverage) { decision in
            [
                ("decision", decision.decision.name), ("rules", decision.rules),
                ("decided", decision.rules - decision.missed.count), ("missed", JSON.list(decision.missed, members)),
            ]
        }
        return [("examples", examples), ("coverage", coverage)]
    }

    private static func members(_ missed: (sentence: Sentence, outcome: String, place: App.Place)) -> JSON.Members {
        let (line, _) = missed.place.file.position(of: missed.place.offset)
        return [
            ("outcome", missed.outcome), ("sentence", missed.sentence.source), ("file", missed.place.file.name),
            ("line", line),
        ]
    }
}
