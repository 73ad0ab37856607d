import AppFile
import Asking
import CommandLine
import Inquiries
import PQ

extension Verb {
    static let appList = Verb(
        Command(
            path: ["app", "list"], summary: "The apps this program knows, and what each requires of a database.",
            examples: [Example(command: "app list", explains: "Names, titles, requirements.")])
    ) { _, context throws(Failure) in
        let columns = ["name", "title", "requires"].map { Column(name: $0, type: .text) }
        let writer = RecordWriter(context)
        for app in try AppLibrary.directories() {
            let requires = app.requires.map(\.name).joined(separator: ", ")
            try writer.write(Row(columns: columns, values: [Value(app.name), Value(app.title), Value(requires)]))
        }
        try writer.finish(columns: columns)
        return .done
    }
}
