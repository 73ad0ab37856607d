import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    /// The command behind the completion scripts; it never asks or fails, and always ends within a time limit.
    static let complete = Command(
        "__complete", summary: "Complete a command line.",
        arguments: [Argument("[WORD...]", .text, summary: "The words so far.")], isHidden: true,
        traits: .reachesDatabase
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) -> Void in
        let words = invocation.arguments("WORD")
        let seconds = context.session.completionSeconds
        var options = GlobalOptions(context.grammar.parseLine(words.dropLast()).globals, over: context.options)
        options.refuseQuestions()
        options.isQuiet = true
        let lookup = CompletionLookup(options, context.session, on: RecordingScreen())
        let app: App?
        if context.session.choice(options.app) != nil {
            app = (try? context.session.candidates(options.app))?.first
        } else if let remembered = context.session.rememberedApp(options.database) {
            app = try? AppLibrary.app(remembered)
        } else {
            lookup.refresh(within: max(seconds, CompletionLookup.secondsToConnect))
            app = lookup.summary?.app
        }
        let offer = Completer(grammar: context.grammar, app: app) {
            lookup.candidates(for: $0, within: seconds)
        }.offer(for: words)
        var lines = offer.candidates.map { $0.summary.isEmpty ? $0.name : $0.name + "\t" + $0.summary }
        // A shell inserts the common prefix of all candidates, which is wrong if some candidates are missing.
        if offer.isPartial, !offer.candidates.isEmpty { lines.append(offer.lead + offer.typed + "…") }
        let flags = (offer.files ? ["files"] : []) + (offer.isOpen ? ["nospace"] : [])
        if !flags.isEmpty { lines.append(":" + flags.joined(separator: ",")) }
        context.screen.data(Array(lines.map { $0 + "\n" }.joined().utf8))
        context.screen.flush()
    }
}
