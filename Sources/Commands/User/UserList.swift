import CommandLine
import Operations
import Terminal

extension Verb {
    static let userList = Verb(
        Command(
            path: ["user", "list"], summary: "List users, all or those of a selection or an outcome; streamed.",
            options: [
                Option(
                    long: "where", value: .init(placeholder: "NAME", kind: .named("selection")),
                    summary: "Only a selection of the app; `app show` lists them."),
                Option(
                    long: "decision", value: .init(placeholder: "NAME=OUTCOME", kind: .decision),
                    summary: "Only those for whom a decision has this outcome."),
                .limit(),
            ],
            examples: [
                Example(command: "user list --decision access=paywall --limit 10", explains: "Who meets the paywall?"),
                Example(command: "user list --where due -o csv", explains: "A selection of the app, as CSV."),
            ])
    ) { invocation, context throws(Failure) in
        var filter = UserFilter(selection: invocation.option("where"), limit: invocation.integer("limit"))
        if let wanted = invocation.option("decision") {
            let parts = wanted.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2 else {
                throw Failure(
                    .usage, "--decision takes NAME=OUTCOME, not \(wanted)", hint: "for example access=paywall")
            }
            filter.decision = (parts[0], parts[1])
        }
        try RecordWriter.write(
            Listing.users(
                filter, on: try context.connection(), candidates: try context.candidates(), options: context.inquiry),
            context)
        return .done
    }
}
