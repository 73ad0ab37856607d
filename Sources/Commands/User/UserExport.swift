import Accounts
import Asking
import CommandLine
import Glibc
import Terminal

extension Verb {
    static let userExport = Command(
        "user export", summary: "Export all data about a user, as JSON lines.",
        discussion: """
            usher exports the rows that belong to the user, each as {"table":…,"row":{…}}, and the stored files as \
            {"file":{…}}. The export includes rows that a deletion would keep. The export leaves out secret columns. The export also leaves out undeclared columns that may contain personal data; usher lists these columns on standard error. usher streams the rows, so large accounts don't need more \
            memory.
            """,
        arguments: [.user],
        options: [
            AccountOptions.root,
            Option(
                "--out FILE", .file, summary: "Write to a new file that only you can read.",
                traits: [.reachesDatabase, .writesLines, .isLasting]),
        ],
        examples: [
            Example(
                "user export ada@example.com --out ada.ndjson", explains: "Export all data about Ada, to send to her.",
                output: """
                    24 rows in ada.ndjson
                    """)
        ], traits: [.reachesDatabase, .writesLines]
    ).verb { invocation, context throws(Failure) -> Void in
        let sink = try ExportSink(invocation.option("out"), context)
        let (plan, rows) = try Accounts.AccountPlan.export(
            try AccountOptions.request([invocation.argument("USER") ?? ""], invocation), on: try context.connection(),
            candidates: try context.candidates(), options: context.inquiry
        ) { line throws(Failure) in try sink.write(line) }
        try sink.finish()
        for column in plan.undeclared {
            context.report(
                column.path, "not exported", because: "\(column.rows.of("row")), \(column.why)")
        }
        for name in plan.hidden { context.report(name, "not exported", because: "your role can't read it") }
        if let path = invocation.option("out") { context.remark(SafeText("\(rows.of("row")) in \(path)")) }
    }
}

/// The destination of an export: standard output, or a new file that only its owner can read.
final class ExportSink {
    private let file: PrivateFile?
    private let screen: any Screen
    private var buffer: [UInt8] = []

    init(_ path: String?, _ context: Context) throws(Failure) {
        screen = context.screen
        file = try path.map { path throws(Failure) in try PrivateFile(path) }
    }

    func write(_ line: [UInt8]) throws(Failure) {
        buffer += line
        buffer.append(UInt8(ascii: "\n"))
        if buffer.count >= 65_536 { try flush() }
    }

    func finish() throws(Failure) {
        try flush()
        try file?.close()
    }

    private func flush() throws(Failure) {
        defer { buffer.removeAll(keepingCapacity: true) }
        if let file { return try file.write(buffer) }
        screen.data(buffer)
        if screen.outputState != .open { throw Failure(.interrupted, "the program that read the output has ended") }
    }
}
