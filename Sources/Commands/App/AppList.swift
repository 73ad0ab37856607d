import AppFile
import Asking
import CommandLine
import Inquiries
import PQ

extension Verb {
    static let appList = Verb(
        Command(
            path: ["app", "list"], summary: "The apps this program knows, and what each requires of a database.",
            discussion: """
                Those in the folders of USHER_APP_PATH come first, and are chosen before those the program was built with. Two \
                people whose digests are the same have the same file.
                """,
            examples: [Example(command: "app list", explains: "Names, titles, requirements.")],
            traits: [.writesResult, .writesRows]), reach: .here
    ) { _, context throws(Failure) in
        // People compare digests of one file, and programs of all.
        let isTable = context.options.format.shape == .screen
        let names = ["name", "title", "requires", "file"] + (isTable ? [] : ["digest"])
        let columns = names.map { Column(name: $0, type: .text) }
        let writer = RecordWriter(context)
        for app in try AppLibrary.candidates() {
            let requires = app.requires.map(\.name).joined(separator: ", ")
            let cells =
                [app.name, app.title, requires, app.files.first?.name ?? ""]
                + (isTable ? [] : [app.digest])
            try writer.write(Row(columns: columns, values: cells.map { Value($0) }))
        }
        try writer.finish(columns: columns)
        return .done
    }
}
