import AppFile
import Asking
import CommandLine
import Inquiries

extension Verb {
    static let appList = Command(
        "app list", summary: "List the apps that usher knows.",
        discussion: """
            Apps in the folders of USHER_APP_PATH come first: usher prefers these apps to the built-in apps. If two \
            people see the same digest with --json, they have the same file.
            """,
        examples: [
            Example(
                "app list", explains: "List names, titles and required tables.",
                output: """
                    name    title   requires
                    letter  Letter  public.letters.sent_at, …
                    """)
        ],
        traits: [.writesResult, .writesRows]
    ).verb(fleetScope: .outside) { _, context throws(Failure) in
        // A digest is too long for a table, so only the formats for programs contain it.
        let isTable = context.options.format == .table
        let names = ["name", "title", "requires", "file"] + (isTable ? [] : ["digest"])
        let records = try AppLibrary.candidates().map { app in
            let requires = app.requires.map(\.name).joined(separator: ", ")
            return [app.name, app.title, requires, app.files.first?.name ?? ""] + (isTable ? [] : [app.digest])
        }
        try RecordWriter.write(records, columns: names, context)
        return .done
    }
}
