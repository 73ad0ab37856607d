import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let doctor = Command(
        "doctor", summary: "Check the connection and the database.",
        discussion: """
            Each check appears as soon as its result is known. Exit 1 if there is an error. If usher can't connect, it says which step failed: server, TLS, \
            password, access or database.
            """,
        examples: [
            Example(
                "doctor", explains: "Find out why usher doesn't work here.",
                output: """
                    ok     connection    app on db.example.com, Postgres 16.4, as support
                    note   role          postgres is a superuser
                                         → use a role with no more rights than the work needs
                    """)
        ], traits: .reports
    ).verb { _, context throws(Failure) in
        var connection: Connection
        do throws(Failure) {
            connection = try context.connection()
        } catch  where error.kind == .connection {
            guard let unreachable = error.unreachable else { throw error }
            let target = unreachable.target.map { [Finding.target($0)] } ?? []
            let view = DoctorView(context)
            for finding in target + [.failed(unreachable, remedy: error.hint)] { view.show(finding) }
            try view.finish()
            // People already saw the error as a finding; programs need it on standard error.
            if context.options.format.isJSON { throw error }
            return error.kind.status
        }
        let view = DoctorView(context)
        // If a database has several schemas, usher reports problems of the whole database only for the first schema.
        let isOneOfMany =
            context.options.schema != nil
            && !context.session.once.first("doctor " + (context.options.database ?? ""))
        if !isOneOfMany, connection.isPipelining, !connection.answersPipelines() {
            view.show(.lostPipelines)
            connection = try Connector(
                options: context.options, screen: context.screen, isFirst: false, isPipelining: false
            ).open()
        }
        _ = try Inquiries.Doctor.examine(
            connection, candidates: try context.candidates(), options: context.inquiry, ofSchemaAlone: isOneOfMany,
            clock: { Double(Instant.now().microseconds) / 1_000_000 }, onFinding: view.show)
        try view.finish()
        return view.findings.contains { $0.health == .ill } ? .failed : .done
    }
}

/// Shows the results of `doctor` on a screen as they arrive, or as records for programs.
private final class DoctorView {
    private let context: Context
    private(set) var findings: [Finding] = []

    init(_ context: Context) { self.context = context }

    func show(_ finding: Finding) {
        findings.append(finding)
        guard context.showsScreen else { return }
        context.screen.write(lines(finding))
        context.screen.flush()
    }

    func finish() throws(Failure) {
        if context.showsScreen { return }
        let records = findings.map { [$0.topic, $0.health.rawValue, $0.message, $0.remedy] }
        try RecordWriter.write(records, columns: ["topic", "health", "message", "remedy"], context)
    }

    private func lines(_ finding: Finding) -> [SafeText] {
        let mark: SafeText =
            switch finding.health {
            case .well: ("ok   " as SafeText).green
            case .doubtful: ("note " as SafeText).yellow
            case .ill: ("wrong" as SafeText).red
            }
        let head = mark + "  " + SafeText(finding.topic).padded(to: Self.topicWidth) + "  "
        let indent = Self.topicWidth + 9
        let texts = ([SafeText(finding.message)] + (finding.remedy.map { ["→ " + SafeText($0)] } ?? [])).flatMap {
            ScreenText(context).wrap($0, beside: indent)
        }
        let gap = SafeText(repeating: " ", count: indent)
        return texts.enumerated().map { ($0 == 0 ? head : gap) + $1 }
    }

    /// The width of the topic column, enough for all topics except a rare one.
    private static let topicWidth = 12
}
