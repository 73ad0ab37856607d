import AppFile
import Asking
import CommandLine
import Inquiries
import Terminal

extension Verb {
    static let appFormat = Command(
        "app format", summary: "Format app files.",
        discussion: """
            usher formats directives, continuation lines and blank lines between blocks. usher doesn't change SQL or comments. \
            The command keeps unknown directives and doesn't report mistakes; `app check` finds them. With `-`, usher reads \
            standard input and prints the result, for editors.
            """,
        arguments: [Argument("FILE...", .file, summary: "App files. To format an included file, name it, too.")],
        options: [
            Option(
                "--check", summary: "Write nothing; exit 1 if a file would change.",
                traits: [.writesResult, .writesRows, .reportsFindings])
        ],
        examples: [
            Example("app format ./mine.sql", explains: "Format a file."),
            Example(
                "app format --check ./mine.sql", explains: "In CI: exit 1 if a file is not formatted.",
                output: """
                    ./mine.sql:3:1: error: this line is not formatted
                    """),
        ], traits: .isLasting
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) in
        let paths = invocation.arguments("FILE")
        for path in paths {
            try context.refuseStandardInput(path, of: "the app file", hint: "give the path of the app file")
        }
        // usher reads all files first, so that an unreadable file stops the command before it writes.
        let files = try paths.map { path throws(Failure) in
            let file = try AppLibrary.file(at: path)
            let layout: Layout
            do throws(InvalidApp) { layout = try Layout.of(file).get() } catch { throw Failure(error) }
            return (path: path, layout: layout, isChanged: layout.bytes != file.bytes)
        }
        if invocation.flag("check") {
            let findings = files.compactMap(\.layout.departure)
            try FindingsWriter.write(findings, context)
            let left = files.count { $0.isChanged }
            if left > 0 { context.remark(SafeText(left.of("file")) + " would change") }
            return findings.isEmpty ? .done : .failed
        }
        for file in files where file.path == "-" { context.screen.data(file.layout.bytes) }
        for file in files where file.isChanged && file.path != "-" {
            try WholeFile.replace(file.path, with: file.layout.bytes)
            context.remark(SafeText(file.path) + " is formatted")
        }
        return .done
    }
}
