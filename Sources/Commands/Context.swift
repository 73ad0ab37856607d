import AppFile
import Asking
import Catalog
package import CommandLine
import Inquiries
import PQ
package import Terminal

/// The operation that a command is recorded as, once there is one.
final class NotedOperation {
    var operation: String?
    /// The files that the command wrote.
    var files: [(what: String, path: String)] = []
    /// The reason why there is no report of it, where the output is not to blame.
    var unwritten: String?

    /// True if something is done that stays so without a report.
    var isDone: Bool { operation != nil || !files.isEmpty }
}

/// The context of a command: its options, the screen, and the connection.
package struct Context {
    package private(set) var options: GlobalOptions
    package private(set) var screen: any Screen
    package let workplace: Workplace
    package private(set) var grammar: Grammar
    /// True if commands are typed in the console, without the program's name in front.
    package let isConsole: Bool
    /// The state that the commands of a console or a script share.
    package let session: Session?
    /// The notes that are printed once per screen.
    private(set) var notes = ScreenNotes()
    /// The file of the app that declares the running command; a database of another app refuses it.
    var declaredBy: String?
    /// Opens the console on a database, for commands that lead into it.
    package let openConsole: (@Sendable (_ database: String) -> ExitStatus)?
    /// The operation of the running command.
    private(set) var noted = NotedOperation()

    /// A context for one command line.
    package init(
        options: GlobalOptions, screen: any Screen, workplace: Workplace, grammar: Grammar = Verbs.grammar,
        isConsole: Bool = false, session: Session? = nil, openConsole: (@Sendable (String) -> ExitStatus)? = nil
    ) {
        self.options = options
        self.screen = screen
        self.workplace = workplace
        self.grammar = grammar
        self.isConsole = isConsole
        self.session = session
        self.openConsole = openConsole
    }

    /// A context for a command with other options, on another screen or with another grammar, of which nothing is noted yet.
    func with(
        _ options: GlobalOptions? = nil, on screen: (any Screen)? = nil, grammar: Grammar? = nil
    ) -> Context {
        var context = self
        (context.options, context.screen) = (options ?? self.options, screen ?? self.screen)
        context.grammar = grammar ?? self.grammar
        (context.notes, context.noted, context.declaredBy) = (ScreenNotes(), NotedOperation(), nil)
        return context
    }

    /// Shows what a question is about on the terminal that is asked, unless the output goes there and has shown it.
    ///
    /// Nobody answers what he does not see; where nobody is asked, nothing is shown.
    func showBeforeAsking(isShown: Bool, _ lines: (Context) -> [SafeText]) {
        screen.flush()
        if isShown, screen.isTerminal { return }
        guard let terminal = StandardScreen.ofQuestions(noColor: options.noColor) else { return }
        terminal.write(lines(with(on: terminal)))
        terminal.flush()
    }

    /// The connection, perhaps for somebody who tells what is to be said of the way there.
    func connection(isExamining: Bool = false) throws(Failure) -> Connection {
        try connection(after: try candidates(), isExamining: isExamining)
    }

    /// The same where something is to be changed.
    func connectionToChange() throws(Failure) -> Connection {
        _ = try candidates()
        let connection = try workplace.connectToChange(options, on: screen, reopened: noteReopened) { primary in
            // What was changed a moment ago may not have come to the standby yet.
            let stays: SafeText = isConsole ? " This session stays there." : ""
            remark("This is a standby. usher makes changes on its primary, " + SafeText(primary) + "." + stays)
        }
        return watched(connection)
    }

    /// The connection once the app is known: a mistake in its file is told before anybody waits for a server.
    func connection(after _: [App], isExamining: Bool = false) throws(Failure) -> Connection {
        watched(try workplace.connect(options, on: screen, isExamining: isExamining, reopened: noteReopened))
    }

    /// The connection as this command uses it: it says how long an answer takes, where progress is wanted.
    private func watched(_ connection: Connection) -> Connection {
        connection.patience = patience
        let (screen, notes) = (screen, notes)
        connection.followed = { notes.followed($0) }
        connection.waiting =
            showsProgress
            ? { seconds in screen.status(seconds.map { SafeText("waiting for the server, \($0) s").dim }) } : nil
        return connection
    }

    private func noteReopened(_ farewell: String?) {
        let reason = farewell.map { " (\($0))" } ?? ""
        remark("The connection was lost" + SafeText(reason) + " and is open again; usher repeated nothing.")
    }

    /// Seconds that a server has to say that it stopped.
    private var patience: Double { max(2, min(10, options.timeout)) }

    /// A connection that Ctrl-C does not disturb, for what has to be finished, where it can be.
    func connectionOfItsOwn() throws(Failure) -> Connection {
        do throws(PQError) {
            let conninfo = try Conninfo(options.database)
            let seconds = options.connectTimeout
            var connection = try Connection(conninfo, cancellation: Cancellation(), within: seconds)
            if connection.isStandby,
                let primary = try? Connection(conninfo.toPrimary, cancellation: Cancellation(), within: seconds)
            {
                connection = primary
            }
            connection.patience = patience
            return connection
        } catch {
            throw Failure(error)
        }
    }

    func candidates() throws(Failure) -> [App] {
        if let also = options.also { return [try workplace.app(options, with: also, on: screen)] }
        return try workplace.candidates(options.app, in: options.schema, expecting: expectedApp)
    }

    /// The app that fitted when somebody last looked, where none was chosen.
    private var expectedApp: String? { candidatesAreMany ? workplace.rememberedApp(options.database) : nil }

    /// True if the database has to say which app it is of.
    var candidatesAreMany: Bool { workplace.choice(options.app) == nil }

    /// Notes the operation that the running command is recorded as, for the history of the console and for `last`, and for
    /// whoever has to say what was done when its report cannot be written.
    func noteOperation(_ id: String) {
        noted.operation = id
        session?.note(operation: id)
    }

    /// Notes what was written into a file of the operator's, for whoever has to say so when the report cannot be written.
    func note(_ what: String, in path: String) { noted.files.append((what, path)) }

    /// Writes the report of what is done; that nobody takes it does not change what it came to.
    func report(_ write: () throws(Failure) -> Void) throws(Failure) {
        do throws(Failure) { try write() } catch {
            if screen.outputState != .open { return }
            // What is done cannot be asked for in other words any more.
            guard error.want == .field, noted.isDone else { throw error }
            noted.unwritten = error.message
        }
    }

    /// The app of the database, read whole.
    func app() throws(Failure) -> App {
        var options = inquiry
        // Which app it is, does not depend on an instant.
        options.at = nil
        return try Inquiry.open(
            on: try connection(), candidates: try candidates(), options: options, isLast: true
        ).app
    }

    /// The prefix of commands in hints; empty in the console.
    var program: String { isConsole ? "" : grammar.program + " " }

    /// The zone of times in messages: for people the operator's, nil for programs.
    var zone: Zone? { options.format.isJSON ? nil : notes.zone }

    var inquiry: InquiryOptions {
        var inquiry = InquiryOptions(at: options.at, timeout: options.timeout)
        inquiry.zone = OperatorZone(notes.zone)
        inquiry.declaredBy = declaredBy
        let notes = notes
        inquiry.decided = { at, isPast in notes.decided(at: at, isPast: isPast) }
        inquiry.isTimeoutChosen = options.isTimeoutChosen
        // Beside the rows of others an empty cell looks like a value.
        if let member = options.member {
            let (screen, isJSON, once) = (screen, options.format.isJSON, workplace.once)
            inquiry.missed = { fact, column in
                guard once.first("missed \(fact) \(member)") else { return }
                Self.say(unavailable: fact, because: "there is no \(column)", at: member, on: screen, inJSON: isJSON)
            }
        }
        let cache = workplace.appCache(options.database)
        if candidatesAreMany {
            inquiry.fitted = { name in if AppLibrary.names.contains(name) { cache.store(app: name) } }
        }
        if !options.isQuiet, !options.format.isJSON {
            let (screen, once) = (screen, workplace.once)
            inquiry.reached = { environment, transport in
                guard environment.name == "production", let warning = transport.warning, once.first("transport") else {
                    return
                }
                screen.note(("This is production. " + warning).yellow)
            }
            inquiry.identified = { text, through, user in
                let way = [through.noun, through.column].compactMap { $0 }.joined(separator: " ")
                screen.noteWrapped(SafeText("\(text) is the \(way) of the user  \(user)").dim)
            }
            inquiry.waiting = { screen.note("Waiting for the server to confirm the commit.") }
        }
        if options.showsSQL {
            let screen = screen
            let isJSON = options.format.isJSON
            inquiry.trace = { query in screen.note(isJSON ? SQLView.json(of: query) : SQLView.lines(of: query)) }
        }
        return inquiry
    }

    /// Says beside the result what is not in it, and why, in every format.
    func report(unavailable name: String, because reason: String) {
        Self.say(
            unavailable: name, because: reason, at: options.member, on: screen, inJSON: options.format.isJSON)
    }

    private static func say(
        unavailable name: String, because reason: String, at member: String?, on screen: any Screen, inJSON: Bool
    ) {
        let place = member.map { [(Member.column, JSON.string($0))] } ?? []
        let json = JSON(place + [("unavailable", .string(name)), ("because", .string(reason))])
        screen.note(inJSON ? SafeText(json: json) : SafeText(name) + " is unavailable: " + SafeText(reason))
    }

    /// Says beside an export what may be about the person and is not in it.
    func report(notExported name: String, because reason: String) {
        let json = placed(JSON([("not_exported", .string(name)), ("because", .string(reason))]))
        screen.note(
            options.format.isJSON
                ? SafeText(json: json) : SafeText(name) + " is not exported: " + SafeText(reason))
    }

    /// Says below what has to be said once, where no heading said it; beside a list for programs, how late it is.
    ///
    /// Nothing was decided where the command failed.
    func writeFootings(hasFailed: Bool = false) {
        if options.format.isJSON, !hasFailed, let lag = notes.untoldLag {
            screen.note(SafeText(json: placed(JSON([("standby", JSON(lag))]))))
        }
        guard options.format.shape == .screen else { return }
        if !hasFailed, !options.isQuiet, let past = notes.pastFooting(ScreenText(self)) {
            screen.note(past + notes.heading)
        }
        screen.write(notes.footing)
    }

    /// True if passing lines of progress are wanted.
    var showsProgress: Bool { !options.noProgress && !options.isQuiet && !options.format.isJSON }

    /// A remark beside the result, silent in machine formats and when asked to be quiet.
    func remark(_ text: SafeText) {
        if !options.isQuiet, !options.format.isJSON { screen.noteWrapped(text) }
    }
}

extension OperatorZone {
    /// The zone that times are shown in; of one without a name, the offset that clocks have now.
    fileprivate init(_ zone: Zone) {
        if let mistaken = zone.mistaken {
            self = .mistaken(mistaken)
        } else {
            // POSIX counts the other way round.
            let minutes = -zone.offset(at: Int64(Instant.now().microseconds / 1_000_000)) / 60
            let clock = "\(minutes < 0 ? "-" : "+")\(abs(minutes) / 60):\(abs(minutes) % 60)"
            self = .named(zone.name.hasPrefix("/") ? "<here>" + clock : zone.name)
        }
    }
}
