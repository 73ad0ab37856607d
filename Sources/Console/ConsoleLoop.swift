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
/// The first prompt waits a moment for a server that may want a password, and then for nobody: a scout looks around on a
/// connection of its own, and the prompt says what it found as soon as it is known.
package struct ConsoleLoop {
    private let runner: Runner
    private let workplace: Workplace
    private let screen: any Screen
    private let session: Session
    private let diary = Diary()
    private let scout: Scouts
    private let known: KnownApp

    /// A console that runs its lines with these options.
    package init(options: GlobalOptions, workplace: Workplace = Workplace(), screen: any Screen) {
        self.screen = screen
        self.workplace = workplace
        let choice = workplace.choice(options.app)
        known = KnownApp(chosen: choice, remembered: choice == nil ? workplace.rememberedApp(options.database) : nil)
        scout = Scouts(options, workplace) { schema throws(Failure) in
            try Workplace.candidates(chosen: choice, in: schema)
        }
        session = Session(app: { [known, scout] in known.app(besides: scout) }) { [diary] text in
            diary.history.entries(containing: text, besidesRunning: true)
        }
        runner = Runner(
            workplace: workplace, screen: screen, base: options, isConsole: true, session: session, mayAsk: true,
            answers: Question.editor(on: screen))
    }

    /// Reads and runs lines on a terminal until the user leaves; leaving never needs the server.
    package func run() -> ExitStatus {
        let editor: LineEditor
        do throws(Failure) {
            editor = try LineEditor(delegate)
        } catch {
            ErrorView.show(error, format: runner.base.format, on: screen)
            return .failed
        }
        LineEditor.recall(diary.history.lines())
        if runner.base.isVerbose { screen.note(VersionView.line) }
        if !runner.base.isQuiet { screen.note("`help` lists the commands, `quit` or Ctrl-D leaves.") }
        screen.flush()
        scout.start()
        defer { scout.dismiss() }
        askForPassword()
        if Cancellation.interrupt.isTermination { return .interrupted }
        while true {
            screen.flush()
            switch editor.read(prompt: Self.prompt(scout, session, screen)) {
            case .end:
                screen.note("")
                return .done
            case .terminated: return .interrupted
            case .discarded: screen.note("")
            case .text(let line):
                if run(Paste(line)) == .farewell { return .done }
                if Cancellation.interrupt.isTermination { return .interrupted }
            }
        }
    }

    /// Asks for the password that is missing: somebody who sees a prompt types it there, where it is shown and kept.
    private func askForPassword() {
        guard !runner.base.noInput, scout.wantsPassword(within: workplace.completionSeconds) else { return }
        do throws(Failure) {
            try workplace.enter(runner.base, on: screen)
            scout.startOver()
        } catch {
            // What was said here is not said again above the prompt.
            if let loss = scout.loss { _ = diary.firstTime(loss.words.message) }
            ErrorView.show(error, format: runner.base.format, on: screen)
        }
    }

    // MARK: Lines

    private enum Next { case prompt, farewell }

    private func run(_ lines: Paste) -> Next {
        Cancellation.interrupt.reset()
        if lines.commands.count > 1 {
            guard lines.isConfirmed(grammar, user: session.user, on: screen) else { return .prompt }
        }
        for (index, line) in lines.commands.enumerated() {
            if Script.isFarewell(line) { return .farewell }
            Cancellation.interrupt.reset()
            if lines.commands.count > 1 { screen.note(("> " + SafeText(Secrets.masked(line))).dim) }
            let status = execute(line)
            let left = lines.commands.count - index - 1
            if status != .done, left > 0 {
                screen.note("Stopped at " + SafeText("\(index + 1)") + "; \(left) not run.")
                return .prompt
            }
        }
        return .prompt
    }

    private func execute(_ line: String) -> ExitStatus {
        if !known.isChosen, let app = scout.surroundings?.app { workplace.remember(app, runner.base.database) }
        var words: [String]
        do throws(UsageError) {
            words = try Script.words(of: line)
        } catch {
            ErrorView.show(error, format: runner.base.format, on: screen)
            return .usage
        }
        let repeated = session.repeating(words)
        if let repeated {
            words = repeated
            screen.note(("> " + SafeText(words.map(quoteWord).joined(separator: " "))).dim)
        }
        let history = diary.history
        let ticket = words.isEmpty ? nil : KeptLine.of(line, grammar).map(history.begin)
        LineEditor.recall(history.lines())
        session.forgetOperation()
        let status = runner.run(words, isEnded: Script.isEnded(line), isRepeated: repeated != nil)
        if let ticket { history.end(ticket, status.word, operation: session.operation) }
        let grade = grade(of: words)
        explain()
        if grade != .read || !scout.isThere || status == .connection { scout.lookAgain() }
        return status
    }

    /// Says what an end before its time has left behind.
    private func explain() {
        if workplace.hasLostConnection {
            screen.note("The connection is gone; the next command opens another, and nothing is repeated.")
        }
    }

    private func grade(of words: [String]) -> Grade { grammar.grade(of: words, user: session.user) ?? .read }

    // MARK: What is known

    /// The grammar with the verbs of the app, as far as it is known.
    private var grammar: Grammar { Self.grammar(runner.grammar, known.app(besides: scout)) }

    private static func grammar(_ grammar: Grammar, _ app: App?) -> Grammar {
        app.map { AppVerbs.extending(grammar, by: $0) } ?? grammar
    }

    private static func prompt(_ scout: Scouts, _ session: Session, _ screen: any Screen) -> String {
        Prompt(
            place: scout.surroundings, databases: scout.databases, isOffline: scout.loss != nil,
            user: session.userLabel, colors: screen.colorsOutput
        ).text
    }

    /// Why nothing is known of the place, on one line: libpq's own have several.
    private static func remark(_ failure: Failure) -> SafeText {
        let lines = failure.words.message.split(whereSeparator: \.isNewline)
        let message = lines.map { String($0.drop(while: \.isWhitespace)) }.joined(separator: " ")
        return ("usher: " as SafeText).bold.red + SafeText(Secrets.masked(message))
    }

    private var delegate: LineEditor.Delegate {
        let (scout, session, screen, diary) = (scout, session, screen, diary)
        let (known, grammar, patience) = (known, runner.grammar, workplace.completionSeconds)
        let recalled = workplace.recalledLines
        return LineEditor.Delegate(
            news: {
                guard scout.takeNews() else { return nil }
                var remarks: [SafeText] = []
                if let failure = scout.loss {
                    remarks = diary.firstTime(failure.words.message) ? [Self.remark(failure)] : []
                } else if scout.isThere, let place = scout.surroundings {
                    _ = diary.firstTime(nil)
                    if diary.turn(to: place.environment.name) {
                        LineEditor.recall(diary.history.lines())
                        if let doubt = place.environment.doubt {
                            remarks = [("This counts as production: " + SafeText(doubt.sentence) + ".").yellow]
                        }
                    }
                } else {
                    return nil
                }
                return (Self.prompt(scout, session, screen), remarks)
            },
            complete: { words in
                let completer = Completer(
                    grammar: grammar, app: known.app(besides: scout), roles: scout.surroundings?.roles, recall: recalled
                ) {
                    scout.answer(to: $0, within: patience)
                }
                return completer.offer(for: words, hasUser: session.user != nil)
            },
            remark: { lines in
                for line in lines { screen.note(line) }
            },
            show: { candidates in
                screen.write([""] + CandidateList.lines(candidates, width: screen.width))
                screen.flush()
            })
    }
}
