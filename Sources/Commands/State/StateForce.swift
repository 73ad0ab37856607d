import AppFile
import Asking
import Changes
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let stateList = Verb(
        Command(
            path: ["state", "list"], summary: "List the test states.",
            examples: [
                Example(
                    command: "state list", explains: "See which states the app has.",
                    output: """
                        name           summary                      expects
                        trial-expired  The trial ended a day ago.   access paywall
                        """)
            ], traits: .reports)
    ) { _, context throws(Failure) in
        let app = try context.app()
        let writer = RecordWriter(context, key: "name")
        let columns = ["name", "summary", "expects"].map { Column(name: $0, type: .text) }
        for state in app.states {
            let expects = state.expects.map { "\($0.decision) \($0.outcomes.joined(separator: " | "))" }
            let values = [state.name, state.summary, expects.joined(separator: ", ")]
            try writer.write(Row(columns: columns, values: values.map { Value($0) }))
        }
        try writer.finish(columns: columns)
        if app.states.isEmpty { context.remark("none") }
        return .done
    }

    static let stateForce = Verb(
        Command(
            path: ["state", "force"],
            summary: "Put a test user into a state (not in production).",
            discussion: """
                Before the commit usher checks that the decisions give the expected outcomes, and rolls back otherwise. \
                --all-states puts every test user into the state in its email: STATE@… or …+STATE@….
                """,
            arguments: [
                .user,
                Argument(
                    name: "STATE", kind: .named("state"), summary: "A state from `state list`."),
            ],
            options: [
                Option(
                    long: "all-states", summary: "Apply every state, each to the test user of the same name.",
                    supplies: "USER", "STATE", traits: .makesChange)
            ],
            examples: [
                Example(
                    command: "state force ada@example.com trial-expired", explains: "Ada now sees the paywall.",
                    output: """
                        state force  ada@example.com  test
                          ~ public.profiles  ada@example.com
                              trial_ends_at  2026-11-26 22:00 → 2026-11-20 14:00
                          access: active → paywall
                        """),
                Example(
                    command: "state force --all-states --yes", explains: "One user per state, for a round of tests."),
            ], grade: .moderate, role: "engineer", traits: [.makesChange, .isAskable])
    ) { invocation, context throws(Failure) in
        if invocation.flag("all-states") { return try forceAll(context) }
        var request = ChangeRequest(.state(invocation.argument("STATE") ?? ""), context)
        request.subjects = [invocation.argument("USER") ?? ""]
        return try ChangeCommand(request: request, context: context).perform()
    }

    /// Every state, each an operation of its own.
    private static func forceAll(_ context: Context) throws(Failure) -> ExitStatus {
        let app = try context.app()
        guard !app.states.isEmpty else { throw Failure(.usage, "\(app.name) has no test states") }
        var series = ChangeSeries(context)
        for state in app.states {
            try series.make(state.name) { () throws(Failure) in
                var request = ChangeRequest(.state(state.name), context)
                request.subjects = [
                    try Inquiry.testUser(
                        for: state.name, on: try context.connectionToChange(), candidates: try context.candidates(),
                        options: context.inquiry)
                ]
                return request
            }
        }
        try series.write(done: context.options.isDryRun ? "Would be made" : "Made", undone: "Not made")
        let undone = series.undone
        if undone == 0 { return .done }
        let isNone = undone == app.states.count
        throw Failure(
            isNone ? .refused : .partial, "\(undone) of \(app.states.count) states were not made",
            details: series.details)
    }
}
