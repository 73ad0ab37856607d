import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userList = Command(
        "user list", summary: "List users by selection or outcome.",
        options: [
            Option(
                "--where NAME", .named("selection"),
                summary: "List only users of this selection; `app show` lists the selections."),
            Option("--decision NAME=OUTCOME", .decision, summary: "List only users with this outcome of a decision."),
            Option("--sort COLUMN", .text, summary: "Sort by this fact; --sort=-FACT reverses the order."),
            Option("--decisions", summary: "Print the outcome of every decision for every user."),
            .limit(),
        ],
        examples: [
            Example(
                "user list --decision access=paywall --limit 10", explains: "Which users see the paywall?",
                output: """
                    name          email            tier   status
                    Ada Lovelace  ada@example.com  trial  active
                    """),
            Example("user list --where due -o csv", explains: "List the users of a selection as CSV."),
            Example(
                "user list --decisions -o ndjson",
                explains: "List all outcomes, to compare two versions of an app file."),
        ], traits: .inquires
    ).verb { invocation, context throws(Failure) in
        if invocation.flag("decisions") {
            if ["where", "decision", "limit", "sort"].contains(where: { invocation.option($0) != nil }) {
                throw Failure(
                    .usage, "--decisions lists all users, so it can't be combined with other options of `user list`",
                    hint: "remove the other options")
            }
            let writer = RecordWriter(context, key: "key")
            for listing in try Listing.outcomes(in: try context.open()) {
                _ = try listing.stream { row throws(Failure) in try writer.write(row) }
            }
            try writer.finish(columns: Column.texts(["key", "decision", "per", "outcome"]))
            return
        }
        var filter = ListOptions(invocation)
        filter.selections = invocation.options("where")
        if let wanted = invocation.option("decision") {
            let parts = wanted.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw Failure(
                    .usage, "write --decision NAME=OUTCOME, not \(wanted)",
                    hint: "for example --decision access=paywall")
            }
            filter.decision = (parts[0], parts[1])
        }
        try RecordWriter.write(Listing.users(filter, in: try context.open()), context)
    }
}
