import AppFile
import CommandLine
import Asking
import Changes
import Inquiries
import Terminal

extension Verb {
    static let userNote = Command(
        "user note", summary: "Add a note that the next agent will see.",
        discussion: """
            The note appears in `user show` and in the timeline, with your name and the time. A note can't be edited. usher deletes the note with the account.
            """,
        arguments: [.user, Argument("TEXT", .text, summary: "The text of the note.")],
        examples: [
            Example(
                "user note ada@example.com 'wants a refund, by phone'",
                explains: "Everybody who opens this user sees the note.",
                output: """
                    Added a note about ada@example.com.
                    """)
        ], grade: .mild, traits: [.reports, .isRecorded, .isLasting]
    ).verb { invocation, context throws(Failure) -> Void in
        let (operation, label) = try NotesAndRequests.note(
            invocation.argument("TEXT") ?? "", about: invocation.argument("USER") ?? "",
            reason: context.options.reason, ticket: context.options.ticket, in: try context.openToChange(),
            elsewhere: context.connectionOfItsOwn)
        context.noteOperation(operation)
        try context.writePage(
            json: [("note", operation), ("user", label)], key: operation,
            screen: [("Added" as SafeText).bold + " a note about " + SafeText(label) + "."])
    }
}
