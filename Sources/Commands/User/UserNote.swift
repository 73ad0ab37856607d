import CommandLine
import Asking
import Changes
import Inquiries
import PQ
import Terminal

extension Verb {
    static let userNote = Verb(
        Command(
            path: ["user", "note"], summary: "Note something about a user, for whoever has the next ticket.",
            discussion: """
                It stands on the card and the timeline, with who wrote it and when, cannot be changed, and is forgotten when \
                the account is deleted.
                """,
            arguments: [.user, Argument(name: "TEXT", kind: .text, summary: "What there is to know.")],
            examples: [
                Example(
                    command: "user note ada@example.com 'moved to the new address by phone'",
                    explains: "Everybody who opens the card sees it.")
            ], grade: .mild, traits: [.reports, .isRecorded, .isLasting])
    ) { invocation, context throws(Failure) in
        let (operation, label) = try Desk.note(
            invocation.argument("TEXT") ?? "", about: invocation.argument("USER") ?? "",
            reason: context.options.reason, ticket: context.options.ticket, on: try context.connectionToChange(),
            candidates: try context.candidates(), options: context.inquiry
        ) { () throws(Failure) in try context.connectionOfItsOwn() }
        context.noteOperation(operation)
        try context.report { () throws(Failure) in
            try PageWriter(context: context).write(
                json: [("note", .string(operation)), ("user", .string(label))], records: [], key: operation,
                screen: [("Noted" as SafeText).bold + " about " + SafeText(label) + "."])
        }
        return .done
    }
}
