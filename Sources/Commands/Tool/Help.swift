import AppFile
package import Asking
package import CommandLine
import Inquiries
import Terminal

extension Verb {
    static let help = Command(
        "help", summary: "Show help for a topic or a command.",
        arguments: [Argument("[TOPIC...]", .topic, summary: "A topic, a command, a group such as `user`, or `all`.")],
        examples: [
            Example("help", explains: "List the most important commands by role."),
            Example("help all", explains: "List all commands and options."),
            Example(
                "help exit-codes", explains: "Show the exit codes, for scripts.",
                output: """
                    0  done; also if a search found nothing
                    """),
        ], traits: .reachesDatabase
    ).verb(fleetScope: .outside) { invocation, context throws(Failure) in
        let words = invocation.arguments("TOPIC")
        let context = HelpView.knowing(context)
        do throws(UsageError) {
            HelpView.show(try context.grammar.helpRequest(for: words), context)
        } catch {
            let console = context.grammar.adding(nouns: [], commands: Verb.ofSession.map(\.command))
            if context.consoleState == nil, let request = try? console.helpRequest(for: words) {
                HelpView.show(request, context.with(grammar: console))
                return
            }
            let app: App?
            do throws(Failure) { app = try context.app(mentioning: words) } catch { throw error.advisingApp }
            guard let app else { throw Failure(error) }
            let extended = HelpView.extended(context, by: app)
            do throws(UsageError) {
                HelpView.show(try extended.grammar.helpRequest(for: words), extended)
            } catch {
                throw Failure(error)
            }
        }
    }
}

package enum HelpView {
    package static func show(_ request: HelpRequest, _ context: Context) {
        let width = min(100, context.screen.isTerminal ? context.screen.width : 100)
        context.screen.write(SafeText(multiline: context.grammar.help(request).text(width: width)).lines)
    }

    /// A context with the commands of the chosen app, or of the console's app.
    static func knowing(_ context: Context) -> Context {
        var app = context.consoleState?.app
        if app == nil, context.chosenApp != nil { app = try? context.candidates().first }
        // usher uses the cached app of the database, because help must not wait for a server.
        if app == nil, let name = context.session.rememberedApp(context.options.database) {
            app = try? AppLibrary.app(name)
        }
        return app.map { extended(context, by: $0) } ?? context
    }

    fileprivate static func extended(_ context: Context, by app: App) -> Context {
        context.with(grammar: AppVerbs.extending(context.grammar, by: app))
    }

    /// Prints help to standard error, because the command is missing.
    package static func showForMissingCommand(_ context: Context) -> ExitStatus {
        if context.options.format.isJSON {
            let failure = Failure(.usage, "the command is missing", hint: "`usher help all` lists all commands")
            ErrorView.show(failure, format: context.options.format, on: context.screen)
        } else {
            if context.options.isVerbose { context.screen.note(VersionView.line) }
            context.screen.note(SafeText(multiline: context.grammar.help(.program).text()))
        }
        return .usage
    }
}

extension Failure {
    /// A connection failure with the advice to add `--app`, which shows help without a database.
    var advisingApp: Failure {
        kind == .connection ? advising("to read this help without a database, add --app NAME") : self
    }

    package init(_ error: UsageError) { self.init(.usage, error.message, hint: error.hint) }
}
