import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let doctor = Verb(
        Command(
            path: ["doctor"], summary: "Check the connection and the database.",
            discussion: """
                Errors come first, then warnings, each with a fix. At a terminal passed checks are only listed; -v shows details. \
                Exit 1 if there is an error. If usher can't connect, it says which step failed: server, TLS, password, access or \
                database.
                """,
            examples: [
                Example(
                    command: "doctor", explains: "Why can't I work here?",
                    output: """
                        ok     connection    app on db.example.com, Postgres 16.4, as support
                        note   role          postgres is a superuser
                                             → use a role with no more rights than the work needs
                        """)
            ], traits: .reports)
    ) { _, context throws(Failure) in
        var connection: Connection
        do throws(Failure) {
            connection = try context.connection(isExamining: true)
        } catch  where error.kind == .connection {
            guard let unreachable = error.unreachable else { throw error }
            let target = unreachable.target.map { [Finding.target($0)] } ?? []
            try write(passedOver(context) + target + [.failed(unreachable)], context)
            // A person has read the error as a finding; a program wants it on standard error.
            if context.options.format.isJSON { throw error }
            return error.kind.status
        }
        var findings = passedOver(context)
        // Of the schemas of one database one tells what is not of a schema, for all.
        let isOneOfMany =
            context.options.schema != nil
            && !context.workplace.once.first("doctor " + (context.options.database ?? ""))
        if !isOneOfMany, connection.isPipelining, !connection.answersPipelines() {
            findings.append(.lostPipelines)
            connection = try Gate(
                options: context.options, screen: context.screen, isFirst: false, isPipelining: false
            ).open()
        }
        findings += try Inquiries.Doctor.examine(
            connection, candidates: try context.candidates(), options: context.inquiry, ofSchemaAlone: isOneOfMany,
            opening: { () throws(Failure) in
                try Gate(options: context.options, screen: context.screen, isFirst: false).open()
            }
        ) { Double(Instant.now().microseconds) / 1_000_000 }
        try write(findings, context)
        return findings.contains { $0.health == .ill } ? .failed : .done
    }

    /// That the environment names a database which nobody looks at.
    private static func passedOver(_ context: Context) -> [Finding] {
        let remarks = (try? Conninfo(context.options.database))?.remarks ?? []
        return remarks.compactMap { remark in
            if case .overruledDatabaseURL(let variables) = remark { .overruledDatabaseURL(by: variables) } else { nil }
        }
    }

    /// The findings as somebody reads them who has little time: which database it is, what is wrong, what is doubtful, and
    /// what is well.
    ///
    /// Of that the topics are enough at a terminal. Where there is no connection they are steps, in order.
    private static func show(_ findings: [Finding], _ context: Context) {
        let isConnected = !findings.contains { if case .failed = $0 { true } else { false } }
        let rest = findings.filter { !$0.isConnection }
        let byHealth = [Finding.Health.ill, .doubtful, .well].flatMap { health in rest.filter { $0.health == health } }
        let ordered = isConnected ? findings.filter(\.isConnection) + byHealth : findings
        let isBrief = isConnected && context.screen.isTerminal && !context.options.isVerbose
        let told = isBrief ? ordered.filter { $0.health != .well || $0.isConnection } : ordered
        let width = told.map { SafeText($0.words.topic).width }.max() ?? 0
        for finding in told { context.screen.write(lines(finding, topicWidth: width, context)) }
        var topics: [String] = []
        for finding in ordered.dropFirst(told.count) where !topics.contains(finding.words.topic) {
            topics.append(finding.words.topic)
        }
        guard !topics.isEmpty else { return }
        let well = SafeText("Well: " + topics.joined(separator: ", ") + " (-v tells).").dim
        context.screen.write(context.screen.widthLimit.map { well.wrapped(to: $0) } ?? [well])
    }

    private static func write(_ findings: [Finding], _ context: Context) throws(Failure) {
        if context.showsScreen {
            show(findings, context)
        } else {
            let columns = ["topic", "health", "message", "remedy"].map { Column(name: $0, type: .text) }
            let writer = RecordWriter(context)
            for finding in findings {
                let words = finding.words
                let cells = [words.topic, finding.health.rawValue, words.message, words.remedy]
                try writer.write(Row(columns: columns, values: cells.map { Value($0) }))
            }
            try writer.finish(columns: columns)
        }
    }

    private static func lines(_ finding: Finding, topicWidth: Int, _ context: Context) -> [SafeText] {
        let mark: SafeText =
            switch finding.health {
            case .well: ("ok   " as SafeText).green
            case .doubtful: ("note " as SafeText).yellow
            case .ill: ("wrong" as SafeText).red
            }
        let words = finding.words
        let head = mark + "  " + SafeText(words.topic).padded(to: topicWidth) + "  "
        let indent = topicWidth + 9
        func wrap(_ text: SafeText) -> [SafeText] {
            context.screen.widthLimit.map { text.wrapped(to: max(20, $0 - indent)) } ?? [text]
        }
        let texts =
            wrap(SafeText(words.message)) + (words.remedy.map { wrap(("→ " as SafeText) + SafeText($0)) } ?? [])
        let gap = SafeText(repeating: " ", count: indent)
        return texts.enumerated().map { ($0 == 0 ? head : gap) + $1 }
    }
}

extension Finding {
    /// Whether it says which database all others are about.
    fileprivate var isConnection: Bool { if case .connection = self { true } else { false } }
}
