import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

extension Verb {
    /// What the completion scripts call: it never asks, never fails, and is always done in time.
    static let complete = Verb(
        Command(
            path: ["__complete"], summary: "What may stand at the end of a command line.",
            arguments: [Argument(name: "WORD", kind: .text, arity: .any, summary: "The words so far.")], isHidden: true,
            traits: .reachesDatabase),
        reach: .here
    ) { invocation, context throws(Failure) in
        let words = invocation.arguments("WORD")
        let deadline = Moment.now + context.workplace.completionSeconds
        let options = GlobalOptions(context.grammar.globalsOnly(words.dropLast()), over: context.options)
        let choice = context.workplace.choice(options.app)
        let chosen = choice != nil ? (try? context.workplace.candidates(options.app)) ?? [] : nil
        // All there are count only where a server is found that can tell which of them fits.
        let scout = Scouts(options, context.workplace) { schema in
            if schema == nil, let chosen { return chosen }
            return (try? Workplace.candidates(chosen: choice, in: schema)) ?? []
        }
        let app: App?
        if let chosen {
            app = chosen.first
        } else if let remembered = context.workplace.rememberedApp(options.database) {
            app = try? AppLibrary.app(remembered)
        } else if context.workplace.memory(options.database).isSilent {
            app = nil
        } else {
            scout.wait(within: deadline - Moment.now)
            app = scout.surroundings?.app
            if let app {
                context.workplace.remember(app, options.database)
            } else if !scout.isThere {
                context.workplace.memory(options.database).rememberSilence()
            }
        }
        let offer = Completer(
            grammar: context.grammar, app: app, roles: scout.surroundings?.roles,
            recall: context.workplace.recalledLines
        ) {
            scout.answer(to: $0, within: deadline - Moment.now)
        }.offer(for: words)
        var lines = offer.candidates.map { $0.summary.isEmpty ? $0.name : $0.name + "\t" + $0.summary }
        // A shell inserts what all have in common, and of all it knows these alone.
        if offer.isPartial, !offer.candidates.isEmpty { lines.append(offer.lead + offer.typed + "…") }
        let flags = (offer.files ? ["files"] : []) + (offer.isOpen ? ["nospace"] : [])
        if !flags.isEmpty { lines.append(":" + flags.joined(separator: ",")) }
        context.screen.data(Array(lines.map { $0 + "\n" }.joined().utf8))
        context.screen.flush()
        scout.dismiss()
        return .done
    }
}
