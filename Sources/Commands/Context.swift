import AppFile
import Asking
import Catalog
package import CommandLine
import Inquiries
import PQ
package import Terminal

/// The operation of the running command, and the files that the command wrote.
final class NotedOperation {
    var operation: String?
    var files: [(what: String, path: String)] = []
    /// The reason why usher couldn't write the report, if the output works.
    var unwritten: String?

    /// True if the command committed a change or wrote a file.
    var isDone: Bool { operation != nil || !files.isEmpty }
}

package struct Context {
    package private(set) var options: GlobalOptions
    package private(set) var screen: any Screen
    package let session: CommandSession
    package private(set) var grammar: Grammar
    /// True if the command was typed in the console, without the program's name.
    package let isConsole: Bool
    package let consoleState: ConsoleState?
    private(set) var notes = ScreenNotes()
    /// Opens the console on a database, for commands that end in the console.
    package let openConsole: (@Sendable (_ database: String) -> ExitStatus)?
    private(set) var noted = NotedOperation()

    package init(
        options: GlobalOptions, screen: any Screen, session: CommandSession, grammar: Grammar = Verbs.grammar,
        isConsole: Bool = false, consoleState: ConsoleState? = nil,
        openConsole: (@Sendable (String) -> ExitStatus)? = nil
    ) {
        self.options = options
        self.screen = screen
        self.session = session
        self.grammar = grammar
        self.isConsole = isConsole
        self.consoleState = consoleState
        self.openConsole = openConsole
    }

    /// A copy of the context with other options, screen or grammar; notes and operations start empty.
    func with(
        _ options: GlobalOptions? = nil, on screen: (any Screen)? = nil, grammar: Grammar? = nil
    ) -> Context {
        var context = self
        (context.options, context.screen) = (options ?? self.options, screen ?? self.screen)
        context.grammar = grammar ?? self.grammar
        (context.notes, context.noted) = (ScreenNotes(), NotedOperation())
        return context
    }

    /// Prints a preview on the terminal where usher asks for confirmation, unless the preview is already visible there.
    ///
    /// Operators must see what they confirm. If there is no terminal for the question, usher prints nothing.
    func showBeforeAsking(isShown: Bool, _ lines: (Context) -> [SafeText]) {
        screen.flush()
        if isShown, screen.isTerminal { return }
        guard let terminal = StandardScreen.ofQuestions(noColor: options.noColor) else { return }
        terminal.write(lines(with(on: terminal)))
        terminal.flush()
    }

    /// Connects to the database, and reads the app files meanwhile.
    ///
    /// An error in an app file is reported before a connection error.
    func connection() throws(Failure) -> Connection {
        let connection = Result { () throws(Failure) in
            try session.connect(options, on: screen) {
                // The file of --also may need this connection to find the app that the file extends.
                if options.also == nil { _ = try? candidates() }
            }
        }
        _ = try candidates()
        return watched(try connection.get())
    }

    /// The connection for a change: to the primary, if usher is connected to a standby and can find the primary.
    func connectionToChange() throws(Failure) -> Connection {
        let connection = try connection()
        guard connection.isStandby, let primary = session.connectToPrimary(options, on: screen) else {
            return connection
        }
        // The standby may not have replayed a recent change yet, so the console stays on the primary.
        let stays: SafeText = isConsole ? " This session stays on the primary." : ""
        remark("This is a standby. usher makes changes on its primary, " + SafeText(primary.host) + "." + stays)
        return watched(primary)
    }

    private func watched(_ connection: Connection) -> Connection {
        connection.patience = patience
        let (screen, notes) = (screen, notes)
        connection.followed = { notes.followed($0) }
        connection.waiting =
            showsProgress
            ? { seconds in screen.status(seconds.map { SafeText("waiting for the server, \($0) s").dim }) } : nil
        return connection
    }

    /// The time that usher waits for the end of a canceled statement, in seconds.
    private var patience: Double { max(2, min(10, options.timeout)) }

    /// A second connection that Ctrl-C doesn't interrupt.
    func connectionOfItsOwn() throws(Failure) -> Connection {
        try failing { () throws(PQError) in
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
        }
    }

    /// Refuses `-` as a file in the console or a script, where standard input contains the commands.
    func refuseStandardInput(_ path: String, of what: String, hint: String) throws(Failure) {
        guard path == "-", isConsole else { return }
        throw Failure(.usage, "standard input contains the commands, so it can't also contain \(what)", hint: hint)
    }

    /// Stores the operation id for the console's history, for `last`, and for an error about the report.
    func noteOperation(_ id: String) {
        noted.operation = id
        consoleState?.note(operation: id)
    }

    /// Stores the path of a written file, for an error about the report.
    func note(_ what: String, in path: String) { noted.files.append((what, path)) }

    /// Writes the report of a change; a closed pipe is not a failure.
    func report(_ write: () throws(Failure) -> Void) throws(Failure) {
        do throws(Failure) { try write() } catch {
            if screen.outputState != .open { return }
            // The change is done, so the operator can't run the command again with other fields.
            guard error.code == Fields.unknown, noted.isDone else { throw error }
            noted.unwritten = error.message
        }
    }

    /// The prefix of commands in hints; empty in the console.
    var program: String { isConsole ? "" : grammar.program + " " }

    /// The option that commands in hints need in production, unless usher can ask for the reason at a terminal.
    func reasonOption(in environment: Environment) -> SafeText {
        environment.name == "production" && (!screen.isTerminal || options.noInput) ? " --reason TEXT" : ""
    }

    /// The line with the command that undoes an operation.
    func undoHint(of operation: String, takesTwo: Bool, in environment: Environment) -> SafeText {
        ("  Undo: " as SafeText).dim + SafeText(program + "undo " + operation + (takesTwo ? " --request" : ""))
            + reasonOption(in: environment)
    }

    /// The time zone of messages: the operator's zone for people, nil for programs.
    var zone: Zone? { options.format.isJSON ? nil : notes.zone }

    var inquiry: InquiryOptions {
        var inquiry = InquiryOptions(at: options.at, timeout: options.timeout)
        inquiry.zone = OperatorZone(notes.zone)
        let notes = notes
        inquiry.decided = { at, isPast in notes.decided(at: at, isPast: isPast) }
        inquiry.isTimeoutChosen = options.isTimeoutChosen
        let cache = session.appCache(options.database)
        if chosenApp == nil { inquiry.fitted = { name in cache.store(app: name) } }
        if !options.isQuiet, !options.format.isJSON {
            let (screen, once) = (screen, session.once)
            inquiry.reached = { environment, transport in
                guard environment.name == "production", let warning = transport.warning, once.first("transport") else {
                    return
                }
                screen.note(("This is production. " + warning).yellow)
            }
            inquiry.identified = { text, column, user in
                screen.noteWrapped(SafeText("\(text) is the \(column) of the user  \(user)").dim)
            }
        }
        if options.showsSQL {
            let screen = screen
            let isJSON = options.format.isJSON
            inquiry.trace = { query in screen.note(isJSON ? SQLView.json(of: query) : SQLView.lines(of: query)) }
        }
        return inquiry
    }

    /// Reports the reason for a missing part of the result, in every format; `what` is also the field in JSON.
    func report(_ name: String, _ what: String = "unavailable", because reason: String) {
        let json = placed(JSON([(what.replacing(" ", with: "_"), name), ("because", reason)]))
        screen.note(options.format.isJSON ? SafeText(json: json) : SafeText("\(name) is \(what): \(reason)"))
    }

    /// Prints the notes that no heading has printed yet: time zone, time of the decisions, replication delay.
    ///
    /// A failed command evaluated no decisions, so usher omits their time.
    func writeFootings(hasFailed: Bool = false) {
        if options.format.isJSON, !hasFailed, let lag = notes.unwrittenLag {
            screen.note(SafeText(json: placed(JSON([("standby", lag)]))))
        }
        guard options.format == .table else { return }
        if !hasFailed, !options.isQuiet, let past = notes.pastFooting(ScreenText(self)) {
            screen.note(past + notes.heading)
        }
        screen.write(notes.footing)
    }

    var showsProgress: Bool { !options.noProgress && !options.isQuiet && !options.format.isJSON }

    /// Prints a remark, except in JSON formats and with --quiet.
    func remark(_ text: SafeText) {
        if !options.isQuiet, !options.format.isJSON { screen.noteWrapped(text) }
    }
}

extension OperatorZone {
    /// The time zone as Postgres reads it; for a zone without a name, the current offset from UTC.
    fileprivate init(_ zone: Zone) {
        if let mistaken = zone.mistaken {
            self = .mistaken(mistaken)
        } else {
            // POSIX writes offsets with the opposite sign.
            let minutes = -zone.offset(at: Int64(Instant.now().microseconds / 1_000_000)) / 60
            let clock = "\(minutes < 0 ? "-" : "+")\(abs(minutes) / 60):\(abs(minutes) % 60)"
            self = .named(zone.name.hasPrefix("/") ? "<here>" + clock : zone.name)
        }
    }
}
