internal import Inquiries
import AppFile
import Asking
import Catalog
import CommandLine
package import Commands
import PQ
package import Terminal

/// The console: the same commands without the program's name, on one connection.
///
/// The console connects before the first prompt, because the prompt shows the database. TAB uses the same connection.
/// The console also runs without a server.
package final class ConsoleLoop {
    private let runner: Runner
    private let session: CommandSession
    private let screen: any Screen
    private let consoleState: ConsoleState
    /// The history of the database's environment, if known.
    private var history = History(environment: History.unknown)
    /// The last connection problem that was shown, so that it isn't shown twice.
    private var shownProblem: String?
    private let lookup: CompletionLookup

    package init(options: GlobalOptions, session: CommandSession = CommandSession(), screen: any Screen) {
        self.screen = screen
        self.session = session
        lookup = CompletionLookup(options, session, on: screen)
        consoleState = ConsoleState(
            chosenApp: session.choice(options.app), rememberedApp: session.rememberedApp(options.database))
        runner = Runner(
            session: session, screen: screen, base: options, isConsole: true, consoleState: consoleState, mayAsk: true)
    }

    package func run() -> ExitStatus {
        let editor: LineEditor
        do throws(Failure) {
            editor = try makeEditor()
        } catch {
            ErrorView.show(error, format: runner.base.format, on: screen)
            return .failed
        }
        history.load()
        if runner.base.isVerbose { screen.note(VersionView.line) }
        screen.flush()
        refresh(within: min(runner.base.timeout, Self.secondsToLook))
        if Cancellation.interrupt.isTermination { return .interrupted }
        if lookup.failure?.kind == .connection, isOfNoDatabase { return .connection }
        if !runner.base.isQuiet { screen.note("`help` lists the commands; `quit` or Ctrl-D leaves.") }
        while true {
            screen.flush()
            switch editor.read(prompt: prompt) {
            case .end:
                screen.note("")
                return .done
            case .terminated: return .interrupted
            case .discarded: screen.note("")
            case .text(let line):
                if run(Self.commands(in: line)) == .exit { return .done }
                if Cancellation.interrupt.isTermination { return .interrupted }
            }
        }
    }

    private func refresh(within seconds: Double) {
        lookup.refresh(within: seconds)
        if let failure = lookup.failure {
            if failure.kind == .connection, isOfNoDatabase { return screen.write(Self.welcome) }
            if failure.kind != .interrupted, failure.message != shownProblem { screen.note(Self.remark(failure)) }
            shownProblem = failure.message
            return
        }
        shownProblem = nil
        guard let place = lookup.summary else { return }
        if let app = place.app { consoleState.found(app) }
        guard place.environment.name != history.environment else { return }
        history = History(environment: place.environment.name)
        history.load()
        if let doubt = place.environment.doubt {
            screen.note(("usher treats this database as production: " + SafeText(doubt) + ".").yellow)
        }
    }

    private var isOfNoDatabase: Bool {
        runner.base.database == nil && !Conninfo.isNamedByEnvironment
    }

    private static let welcome: [SafeText] = [
        "usher answers support questions from your app's own Postgres database.", "",
        "usher is not connected to a database yet.",
        "    " + ("usher demo" as SafeText).bold + "             starts a private Postgres with sample data",
        "    " + ("usher connect NAME" as SafeText).bold
            + "     stores the connection, and doesn't change your database",
        "    " + ("usher help" as SafeText).bold + "             lists the commands",
    ]

    /// The time that the first prompt waits for a server, in seconds.
    private static let secondsToLook = 5.0

    // MARK: Typed lines

    private enum Next { case prompt, exit }

    /// The commands in a text; a pasted text may contain several commands.
    ///
    /// A line break in quotes belongs to its command.
    private static func commands(in text: String) -> [String] {
        var commands: [String] = []
        var open = ""
        for line in text.split(whereSeparator: \.isNewline) {
            open += (open.isEmpty ? "" : "\n") + line
            if let words = try? splitWords(open) {
                if !words.isEmpty { commands.append(open) }
                open = ""
            }
        }
        return open.isEmpty ? commands : commands + [open]
    }

    /// Lists pasted commands and asks whether to run them; the pasted text can't answer the question.
    private func isConfirmed(_ commands: [String]) -> Bool {
        for command in commands { screen.note("  " + SafeText(Secrets.masked(command))) }
        screen.flush()
        let question = "Run these " + SafeText("\(commands.count)") + " commands?"
        var isAccepted = false
        if !runner.base.noInput {
            let answer = try? ControllingTerminal.answer { terminal throws(AskError) in
                try terminal.confirm(question)
            }
            isAccepted = answer == true
        }
        if !isAccepted { screen.note("usher ran none of the commands.") }
        return isAccepted
    }

    private func run(_ commands: [String]) -> Next {
        Cancellation.interrupt.reset()
        if commands.count > 1, !isConfirmed(commands) { return .prompt }
        for (index, line) in commands.enumerated() {
            if Script.isExit(line) { return .exit }
            Cancellation.interrupt.reset()
            if commands.count > 1 { screen.note(("> " + SafeText(Secrets.masked(line))).dim) }
            let status = execute(line)
            let left = commands.count - index - 1
            if status != .done, left > 0 {
                screen.note(
                    "Stopped at command " + SafeText("\(index + 1)") + " of " + SafeText("\(commands.count)")
                        + "; usher didn't run the later commands.")
                return .prompt
            }
        }
        return .prompt
    }

    private func execute(_ line: String) -> ExitStatus {
        let words: [String]
        do throws(UsageError) {
            words = try Script.words(of: line)
        } catch {
            ErrorView.show(error, format: runner.base.format, on: screen)
            return .usage
        }
        if !words.isEmpty, let kept = HistoryRedactor.of(line, grammar) { history.append(kept) }
        consoleState.forgetOperation()
        let status = runner.run(words)
        if session.hasLostConnection {
            screen.note(
                "The connection is lost; the next command opens a new connection. usher does not repeat the last command."
            )
        }
        // The command may have changed facts about the database, or the server may be reachable again.
        let isKnown = lookup.summary != nil && lookup.failure == nil
        if consoleState.operation != nil || !isKnown, !lookup.isOffline { refresh(within: 1) }
        return status
    }

    // MARK: Facts about the database

    private var grammar: Grammar {
        consoleState.app.map { AppVerbs.extending(runner.grammar, by: $0) } ?? runner.grammar
    }

    private var prompt: String {
        Prompt(
            place: lookup.summary, databases: lookup.databases, isOffline: lookup.isOffline,
            user: consoleState.userLabel, colors: screen.colorsOutput
        ).text
    }

    /// The reason why the database is unknown, on one line; libpq's messages have several lines.
    private static func remark(_ failure: Failure) -> SafeText {
        let lines = failure.message.split(whereSeparator: \.isNewline)
        let message = lines.map { String($0.drop(while: \.isWhitespace)) }.joined(separator: " ")
        return ("usher: " as SafeText).bold.red + SafeText(Secrets.masked(message))
    }

    private func makeEditor() throws(Failure) -> LineEditor {
        let (lookup, consoleState, screen) = (lookup, consoleState, screen)
        let (grammar, seconds) = (runner.grammar, session.completionSeconds)
        return try LineEditor(
            complete: { words in
                let completer = Completer(grammar: grammar, app: consoleState.app) {
                    lookup.candidates(for: $0, within: seconds)
                }
                return completer.offer(for: words, hasUser: consoleState.user != nil)
            },
            show: { candidates in
                screen.write([""] + CandidateList.lines(candidates, width: screen.width))
                screen.flush()
            })
    }
}
