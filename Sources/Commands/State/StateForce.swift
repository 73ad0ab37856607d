import AppFile
import Asking
import Changes
import CommandLine
import Terminal

extension Verb {
    static let stateList = Command(
        "state list", summary: "List the test states.",
        examples: [
            Example(
                "state list", explains: "List the test states of the app.",
                output: """
                    name           summary                      expects
                    trial-expired  The trial ended a day ago.   access paywall
                    """)
        ], traits: .reports
    ).verb { _, context throws(Failure) in
        let app = try context.app()
        let records = app.states.map { state in
            let expects = state.expects.map { "\($0.decision) \($0.outcomes.joined(separator: " | "))" }
            return [state.name, state.summary, expects.joined(separator: ", ")]
        }
        try RecordWriter.write(records, columns: ["name", "summary", "expects"], key: "name", context)
        if app.states.isEmpty { context.remark("The app file doesn't declare test states.") }
        return .done
    }

    static let stateForce = Command(
        "state force", summary: "Put a test user into a state (not in production).",
        discussion: """
            Before the commit usher checks that the decisions give the expected outcomes, and rolls back otherwise.
            """,
        arguments: [
            .user,
            Argument("STATE", .named("state"), summary: "A state from `state list`."),
        ],
        examples: [
            Example(
                "state force ada@example.com trial-expired", explains: "Ada now sees the paywall.",
                output: """
                    state force  ada@example.com  test
                      ~ public.profiles  ada@example.com
                          trial_ends_at  2026-11-26 22:00 → 2026-11-20 14:00
                      access: active → paywall
                    """)
        ], grade: .moderate, role: "engineer", traits: [.makesChange, .isAskable]
    ).verb { invocation, context throws(Failure) in
        var request = ChangeRequest(.state(invocation.argument("STATE") ?? ""), context)
        request.subjects = [invocation.argument("USER") ?? ""]
        return try ChangeCommand(request: request, context: context).perform()
    }
}
