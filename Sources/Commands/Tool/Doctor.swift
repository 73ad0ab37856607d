import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let doctor = Verb(
        Command(
            path: ["doctor"], summary: "Look at the connection and the database, each finding with its remedy.",
            discussion: "Exit 1 when something is wrong, 0 when all is well or merely doubtful.",
            examples: [Example(command: "doctor", explains: "What stands in the way here?")])
    ) { _, context throws(Failure) in
        var connection: Connection
        do throws(Failure) {
            connection = try context.connection()
        } catch  where error.kind == .connection {
            let found = error.unreachable.map(Inquiries.Doctor.contact) ?? []
            try write(found, context)
            // Who reads the findings has read the error; a program wants it where it always is.
            if found.isEmpty || context.options.format.isJSON { throw error }
            return error.kind.status
        }
        var findings: [Finding] = []
        // Of the schemas of one database one tells what is not of a schema, for all.
        let isOneOfMany =
            context.options.schema != nil
            && context.gathering?.isFirst(toTell: "doctor " + (context.options.database ?? "")) == false
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

    private static func write(_ findings: [Finding], _ context: Context) throws(Failure) {
        if context.showsScreen {
            let width = findings.map { SafeText($0.words.topic).width }.max() ?? 0
            for finding in findings { context.screen.write(lines(finding, topicWidth: width, context)) }
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
