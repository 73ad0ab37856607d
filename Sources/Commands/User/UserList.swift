import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userList = Verb(
        Command(
            path: ["user", "list"], summary: "List users: all, those of a selection, or those with an outcome.",
            options: [
                Option(
                    long: "where", value: .init(placeholder: "NAME", kind: .named("selection")),
                    summary: "Only a selection of the app; `app show` lists them."),
                Option(
                    long: "decision", value: .init(placeholder: "NAME=OUTCOME", kind: .decision),
                    summary: "Only those for whom a decision has this outcome."),
                Option(
                    long: "sort", value: .init(placeholder: "COLUMN", kind: .text),
                    summary: "In the order of this fact; --sort=-FACT, the greatest first."),
                Option(long: "decisions", summary: "What every decision comes to for every user, one a line."),
                .limit(),
            ],
            examples: [
                Example(command: "user list --decision access=paywall --limit 10", explains: "Who meets the paywall?"),
                Example(command: "user list --where due -o csv", explains: "A selection of the app, as CSV."),
                Example(
                    command: "user list --decisions -o ndjson", explains: "Every decision about everybody, for tests."),
            ], traits: .inquires)
    ) { invocation, context throws(Failure) in
        if invocation.flag("decisions") {
            if invocation.option("where") != nil || invocation.option("decision") != nil
                || invocation.integer("limit") != nil || invocation.option("sort") != nil
            {
                throw Failure(.usage, "--decisions is about everybody, so it takes no other option of `user list`")
            }
            let writer = RecordWriter(context, key: "key")
            for listing in try Listing.outcomes(
                on: try context.connection(), candidates: try context.candidates(), options: context.inquiry)
            {
                _ = try listing.stream { row throws(Failure) in try writer.write(row) }
            }
            try writer.finish(columns: ["key", "decision", "per", "outcome"].map { Column(name: $0, type: .text) })
            return .done
        }
        var filter = UserFilter(
            selection: invocation.option("where"), sort: invocation.option("sort"), limit: invocation.integer("limit"))
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
