import AppFile
package import CommandLine
import Operations
package import Terminal

/// Runs command lines: words in, an exit status out, failures on standard error.
package struct Runner {
    package let grammar: Grammar
    package let workplace: Workplace
    package let screen: any Screen
    /// The options the program was started with; each command line may add to them.
    package let base: GlobalOptions
    package let isConsole: Bool
    /// Opens the console on a database, for commands that lead into it.
    package let openConsole: (@Sendable (_ database: String) -> ExitStatus)?

    /// A runner for one command, or for many that share a connection.
    package init(
        grammar: Grammar = Verbs.grammar, workplace: Workplace, screen: any Screen, base: GlobalOptions,
        isConsole: Bool = false, openConsole: (@Sendable (String) -> ExitStatus)? = nil
    ) {
        self.grammar = grammar
        self.workplace = workplace
        self.screen = screen
        self.base = base
        self.isConsole = isConsole
        self.openConsole = openConsole
    }

    /// Runs one command line.
    package func run(_ words: [String]) -> ExitStatus {
        let loose = GlobalOptions(grammar.globalsOnly(words), over: base)
        do throws(UsageError) {
            return run(try grammar.parse(words), Verbs.all, grammar, loose)
        } catch {
            let mistake = Failure(error)
            do throws(Failure) {
                guard let app = try workplace.app(loose, mentioning: words, beyond: grammar) else {
                    return fail(mistake, loose)
                }
                return run(words, with: app, loose)
            } catch {
                return fail(error, loose)
            }
        }
    }

    /// Runs a command line whose words may be verbs of an app.
    private func run(_ words: [String], with app: App, _ loose: GlobalOptions) -> ExitStatus {
        let verbs = AppVerbs.all(of: app).map(\.verb).filter { grammar.command(at: $0.command.path) == nil }
        let extended = grammar.adding(nouns: AppVerbs.nouns(of: app), commands: verbs.map(\.command))
        do throws(UsageError) {
            return run(try extended.parse(words), Verbs.all + verbs, extended, loose)
        } catch {
            return fail(Failure(error), loose)
        }
    }

    private func run(
        _ request: Request, _ verbs: [Verb], _ grammar: Grammar, _ loose: GlobalOptions
    ) -> ExitStatus {
        switch request {
        case .run(let invocation): return run(invocation, verbs, grammar)
        case .help(let request): HelpView.show(request, context(loose, grammar))
        case .version: VersionView.show(context(loose, grammar))
        case .nothing: HelpView.show(.program, context(loose, grammar))
        }
        return finished(.done, loose)
    }

    private func run(_ invocation: Invocation, _ verbs: [Verb], _ grammar: Grammar) -> ExitStatus {
        let options = GlobalOptions(invocation.options, over: base)
        guard let verb = verbs.first(where: { $0.command.path == invocation.command.path }) else {
            return fail(Failure(.usage, "\(invocation.command.name) is no command"), options)
        }
        // A transaction that a failure left open must not wait while somebody thinks.
        defer { if isConsole { workplace.settle() } }
        do throws(Failure) {
            return finished(try verb.run(invocation, context(options, grammar)), options)
        } catch {
            if error.kind == .interrupted, screen.outputState != .open { return finished(.done, options) }
            return fail(error, options)
        }
    }

    /// What the output came to: a reader who left is no failure, a full disk is.
    private func finished(_ status: ExitStatus, _ options: GlobalOptions) -> ExitStatus {
        screen.flush()
        if case .failed(let reason) = screen.outputState {
            return fail(Failure(.failed, "the output could not be written: \(reason)"), options)
        }
        return status
    }

    private func fail(_ failure: Failure, _ options: GlobalOptions) -> ExitStatus {
        ErrorView.show(failure, format: options.format, verbose: options.isVerbose, on: screen)
        screen.flush()
        return failure.kind.status
    }

    private func context(_ options: GlobalOptions, _ grammar: Grammar) -> Context {
        Context(
            options: options, screen: screen, workplace: workplace, grammar: grammar, isConsole: isConsole,
            openConsole: openConsole)
    }
}
