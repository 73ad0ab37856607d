import Asking
import CommandLine
import Inquiries
import Terminal

extension Verb {
    static let userFind = Verb(
        Command(
            path: ["user", "find"], summary: "Search for users: by id, by address, by its beginning, then anywhere.",
            discussion: """
                The best way that finds anybody is used, and named. Nothing found is not an error. Among many users what an \
                index finds ends the search, and the columns in which nobody looked are named.
                """,
            arguments: [Argument(name: "TEXT", kind: .text, summary: "A part of an address, a name or an id.")],
            options: [.limit(standard: "20")],
            examples: [
                Example(command: "user find ada", explains: "Everybody whose address or name begins with ada."),
                Example(command: "user find @example.org -o name", explains: "Only the keys, for xargs."),
            ])
    ) { invocation, context throws(Failure) in
        let candidates = try context.directories()
        let found = try UserSearch.run(
            invocation.argument("TEXT") ?? "", limit: invocation.integer("limit") ?? 20,
            on: try context.connection(after: candidates), candidates: candidates, options: context.inquiry
        ) { remedy in
            context.remark(
                "all users are read, since no index knows; Ctrl-C stops"
                    + (remedy.map { "\n→ " + SafeText($0) } ?? ""))
        }
        let writer = RecordWriter(context, key: found.key, shown: found.shown, whole: found.whole)
        for user in found.users { try writer.write(user) }
        try writer.finish(columns: found.columns)
        if let way = found.way {
            context.remark(
                ("matched by " + SafeText(way.rawValue)) + (found.isCut ? "; there are more, see --limit" : "")
                    + (found.unsearched.isEmpty
                        ? "" : "; not looked at: " + SafeText(found.unsearched.joined(separator: ", "))))
        } else {
            context.remark("nobody found")
        }
        return .done
    }
}

extension Option {
    static func limit(standard: String? = nil) -> Option {
        Option(
            long: "limit", value: .init(placeholder: "N", kind: .integer(1...1_000_000_000), standard: standard),
            summary: "At most so many.")
    }
}
