import AppFile
import Asking
package import CommandLine
import Ledger
import PQ
package import Terminal

/// Runs a command line, prints failures to standard error, and returns the exit status.
package struct Runner {
    /// The context with the options of the program; each command line may add options.
    private(set) var home: Context
    package var grammar: Grammar { home.grammar }
    package var base: GlobalOptions { home.options }
    package var consoleState: ConsoleState? { home.consoleState }
    var session: CommandSession { home.session }
    var screen: any Screen { home.screen }
    var isConsole: Bool { home.isConsole }
    /// True if usher may ask for a missing reason and open a pager.
    private let mayAsk: Bool
    private var verbs: [Verb]

    /// Creates a runner for one command, or for many commands that share a connection.
    ///
    /// `demo` calls `openConsole` to open the console on its database.
    package init(
        session: CommandSession, screen: any Screen, base: GlobalOptions, isConsole: Bool = false,
        consoleState: ConsoleState? = nil,
        mayAsk: Bool = false, openConsole: (@Sendable (String) -> ExitStatus)? = nil
    ) {
        let own = consoleState == nil ? [] : Verb.ofSession
        let grammar = own.isEmpty ? Verbs.grammar : Verbs.grammar.adding(nouns: [], commands: own.map(\.command))
        verbs = Verbs.all + own
        self.mayAsk = mayAsk
        home = Context(
            options: base, screen: screen, session: session, grammar: grammar, isConsole: isConsole,
            consoleState: consoleState, openConsole: openConsole)
    }

    func parse(_ words: [String]) -> ParsedLine { grammar.parseLine(words, user: consoleState?.user) }

    package func run(_ words: [String]) -> ExitStatus { run(parse(words)) }

    package func run(_ line: ParsedLine) -> ExitStatus {
        let words = line.words
        let loose = GlobalOptions(line.globals, over: base)
        let mistake: UsageError?
        switch line.request {
        // After a noun such as `user`, the next word may be a command of an app file.
        case .success(.help(.noun)): mistake = nil
        case .success(let request): return run(request, loose)
        case .failure(let error): mistake = error
        }
        do throws(Failure) {
            let isOwn = mistake?.command.flatMap(grammar.command) != nil
            let declaring = isOwn ? nil : try home.with(loose).app(mentioning: words)
            // If no app declares the words, the usage error suggests commands of the console's app.
            let own = loose.app == base.app ? consoleState?.app : nil
            if let app = declaring ?? own { return run(words, with: app, loose) }
        } catch {
            let isHelp = line.globals["help"] != nil
            return fail(isHelp ? error.advisingApp : error.sayingNothingChanged, loose)
        }
        do throws(UsageError) { return run(try line.request.get(), loose) } catch { return fail(Failure(error), loose) }
    }

    private func run(_ words: [String], with app: App, _ loose: GlobalOptions) -> ExitStatus {
        var runner = self
        runner.verbs += AppVerbs.all(of: app).map(\.verb).filter { grammar.command(at: $0.command.path) == nil }
        runner.home = home.with(grammar: AppVerbs.extending(grammar, by: app))
        do throws(UsageError) {
            return runner.run(try runner.grammar.parse(words, user: consoleState?.user), loose)
        } catch {
            return fail(Failure(error), loose)
        }
    }

    /// Asks for a missing reason, and returns the command with the reason; nil without an answer.
    private func explained(
        _ invocation: Invocation, after failure: Failure, _ options: GlobalOptions
    ) throws(Failure) -> Invocation? {
        guard failure.code == Failure.noReason, mayAsk, !options.noInput, screen.isTerminal else { return nil }
        // A transaction must not stay open while the operator types.
        session.settle()
        screen.flush()
        let message = failure.message
        screen.note(SafeText(message.prefix(1).uppercased() + message.dropFirst()) + ".")
        let answer = try ControllingTerminal.answer { terminal throws(AskError) in
            try terminal.line("--reason:") ?? ""
        }
        guard let answer, !answer.isEmpty else { return nil }
        var invocation = invocation
        invocation.options["reason"] = [answer]
        return invocation
    }

    private func run(_ request: Request, _ loose: GlobalOptions) -> ExitStatus {
        switch request {
        case .run(let invocation): return run(invocation)
        case .help(let request): HelpView.show(request, HelpView.knowing(home.with(loose)))
        case .version: VersionView.show(home.with(loose))
        case .nothing: HelpView.show(.program, HelpView.knowing(home.with(loose)))
        }
        return finished(.done, loose)
    }

    private func run(_ invocation: Invocation, at member: Member? = nil) -> ExitStatus {
        var options = GlobalOptions(invocation, over: base)
        if let member { options = options.at(member, for: invocation) }
        guard let verb = verbs.first(where: { $0.command.path == invocation.command.path }) else {
            return fail(Failure(.usage, "there is no command \(invocation.command.name)"), options)
        }
        if base.isDryRun, invocation.traits.contains(.isLasting) {
            return fail(
                Failure(
                    .usage, "`\(invocation.command.name)` can't be rolled back, so it doesn't run with --dry-run",
                    hint: "run the command without --dry-run"),
                options)
        }
        if let refusal = options.useZone() ?? Watch.refusal(options) { return fail(refusal, options) }
        // A transaction must not stay open while the operator types.
        defer { if isConsole { session.settle() } }
        consoleState?.begin(invocation, globals: grammar.globals.filter { !Self.passingOptions.contains($0.long) })
        // A pager would hide the questions of a command that changes data.
        if mayAsk, !options.noPager, options.watch == nil, invocation.isReading, let pager = session.pager {
            screen.beginPaging(pager) { Cancellation.interrupt.isTermination }
        }
        let context = home.with(options)
        if member == nil, let status = runOverFleet(invocation, verb, context) { return status }
        let watch = watch(invocation, verb, options)
        let first = watch?.result(options)
        let status: ExitStatus
        do throws(Failure) {
            let done = try verb.run(invocation, context)
            context.writeFootings()
            status = finished(done, options, context.noted)
        } catch {
            context.writeFootings(hasFailed: true)
            let hasLeft =
                error.kind == .interrupted && screen.outputState != .open && !context.noted.isDone
            do throws(Failure) {
                if let invocation = try explained(invocation, after: error, options) {
                    return run(invocation, at: member)
                }
                let reported = invocation.isReading ? error.sayingNothingChanged : error
                status = hasLeft ? finished(.done, options) : fail(reported, options, of: member)
                if status == .partial { writeUnwrittenReport(context.noted, options) }
            } catch {
                status = fail(error.sayingNothingChanged, options, of: member)
            }
        }
        screen.endPaging()
        if status == .done, let watch, let first { return watch.run(after: first, options, on: screen) }
        // After Ctrl-C usher skips sealing; the next operation also seals this operation.
        if !invocation.isReading, !options.isDryRun, !Cancellation.interrupt.isRequested {
            session.seal(context.inquiry)
        }
        return status == .done && Cancellation.interrupt.isTermination ? .interrupted : status
    }

    /// Runs a command in the databases of a fleet; nil without a fleet, or if the command doesn't use a fleet.
    private func runOverFleet(_ invocation: Invocation, _ verb: Verb, _ context: Context) -> ExitStatus? {
        if verb.fleetScope == .outside { return nil }
        let options = context.options
        do throws(Failure) {
            if invocation.options["db"] != nil, invocation.options["fleet"] != nil {
                throw Failure(
                    .usage, "--db is for one database and --fleet for several", hint: "remove one of the two options")
            }
            let template = try session.template(options, app: invocation.app)
            if template != nil {
                if !invocation.isReading {
                    throw Failure(
                        .refused,
                        "`\(invocation.command.name)` can't run, because an app with one schema per tenant is read-only",
                        nothing: .changed, hint: "use an app file for one schema, without @schema")
                }
                // A command about a whole database runs once, not once per schema.
                if verb.isOfDatabase, try TargetReference.named(by: invocation, verb)?.kind != .user { return nil }
            }
            guard let fleet = try session.fleet(options, of: template, on: screen) else { return nil }
            if options.watch != nil {
                throw Failure(
                    .usage, "--watch works with one database, not with a fleet", hint: "choose the database with --db")
            }
            if verb.fleetScope == .memberWithTarget, try TargetReference.named(by: invocation, verb) == nil {
                return nil
            }
            let overAll = FleetRun(
                fleet: fleet, name: fleet.isOfSchemas ? nil : session.namedFleet(options), verb: verb,
                invocation: invocation, context: context
            ) { invocation, member, screen in
                var runner = self
                if let screen {
                    var silent = options
                    silent.refuseQuestions()
                    runner.home = home.with(silent, on: screen)
                }
                return runner.run(invocation, at: member)
            } fail: { failure in
                fail(failure, options)
            }
            let status = overAll.perform()
            context.writeFootings(hasFailed: status != .done)
            let reported = finished(status, options)
            screen.endPaging()
            return reported
        } catch {
            return fail(error, options)
        }
    }

    /// The options that `last` doesn't print, because they apply to one run only.
    private static let passingOptions = ["confirm", "yes", "show-sql"]
}

extension Runner {
    /// Flushes the output, and returns the exit status.
    ///
    /// A closed pipe is not a failure. A full disk is a failure, unless the change is done.
    func finished(
        _ status: ExitStatus, _ options: GlobalOptions, _ noted: NotedOperation? = nil
    ) -> ExitStatus {
        screen.flush()
        if let noted, noted.isDone {
            writeUnwrittenReport(noted, options)
        } else if case .failed(let reason) = screen.outputState {
            return fail(Failure(.failed, "couldn't write the output: \(reason)"), options)
        }
        return status
    }

    /// Prints the operation and its files to standard error, if usher couldn't write the report.
    private func writeUnwrittenReport(_ noted: NotedOperation, _ options: GlobalOptions) {
        guard noted.isDone else { return }
        let reason: String
        switch screen.outputState {
        case .open:
            guard let unwritten = noted.unwritten else { return }
            reason = unwritten
        case .closed: reason = "the program that read the output has ended"
        case .failed(let error): reason = error
        }
        if options.format.isJSON {
            let members = noted.operation.map { [("operation", $0)] } ?? []
            let files = noted.files.map { ($0.what, $0.path) }
            screen.note(SafeText(json: JSON(members + files + [("unwritten", reason)])))
        } else {
            let files = noted.files.map { "The " + SafeText($0.what) + " is in " + SafeText($0.path) }
            let done = noted.operation.map { ["The change is done, as operation " + SafeText($0)] } ?? []
            screen.note(
                (done + files).joined(separator: "; ") + "; usher couldn't write the report: " + SafeText(reason) + ".")
        }
        screen.flush()
    }

    /// Prints a failure, with the name of the database if the command ran at a member of a fleet.
    func fail(_ failure: Failure, _ options: GlobalOptions, of member: Member? = nil) -> ExitStatus {
        var failure = failure
        if failure.code == Ledger.noLedger,
            let template = try? session.template(options, app: nil)
        {
            failure = Ledger.missing(with: template.name, failure)
        }
        ErrorView.show(
            failure, format: options.format, verbose: options.isVerbose, isConsole: isConsole,
            of: member?.name, on: screen)
        screen.flush()
        return failure.kind.status
    }
}
