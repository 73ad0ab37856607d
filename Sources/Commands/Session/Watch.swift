import Asking
import CommandLine
import Glibc
import PQ
import Terminal

/// Runs a reading command again and again, and tells what is different each time.
struct Watch {
    private let seconds: Double
    /// Runs the command for a program, on a screen of its own; false where it failed, which the screen tells.
    private let look: (_ screen: RecordingScreen) -> Bool
    /// The sample before the first screen, so that no change is missed between the screen and the next sample.
    private let first: (sample: Sample, at: Double)

    /// Looks for the first time, before the screen is shown.
    init(seconds: Double, look: @escaping (_ screen: RecordingScreen) -> Bool) {
        self.seconds = seconds
        self.look = look
        first = (Self.sample(look), Moment.now)
    }

    /// Changes that a screen tells of one look before it says how many more there are.
    private static let most = 8

    /// The reason why a format cannot be watched, where it is to be.
    static func refusal(_ options: GlobalOptions) -> Failure? {
        guard options.watch != nil, ![.screen, .document, .objects].contains(options.format.shape) else { return nil }
        return Failure(.usage, "--watch works only with tables, -o json and -o ndjson")
    }

    /// One screen tells of one database.
    static let refusalOfFleets = Failure(
        .usage, "--watch works with one database, not with a fleet", hint: "choose the database with --db")

    /// Watches until somebody has had enough.
    func run(_ options: GlobalOptions, on screen: any Screen) -> ExitStatus {
        var (last, lastAt) = first
        while true {
            pause()
            if Cancellation.interrupt.isRequested {
                // Behind the terminal's ^C.
                if screen.isTerminal { screen.note("") }
                return Cancellation.interrupt.isTermination ? .interrupted : .done
            }
            guard screen.outputState == .open else { return .done }
            let (now, nowAt) = (Self.sample(look), Moment.now)
            if Cancellation.interrupt.isRequested { continue }
            switch (last, now) {
            case (.seen(let before), .seen(let after)):
                // When it was looked is different each time.
                tell(
                    JSONDifference.all(from: before, to: after, after: nowAt - lastAt, ignoring: ["at"]), options,
                    screen)
            case (_, .unseen(let reason)): if last != now { tell(reason, options, screen) }
            case (.unseen, .seen): tell("usher can read it again", options, screen)
            }
            (last, lastAt) = (now, nowAt)
        }
    }

    private enum Sample: Equatable {
        case seen(JSON)
        case unseen(String)
    }

    private static func sample(_ look: (RecordingScreen) -> Bool) -> Sample {
        let screen = RecordingScreen()
        guard look(screen) else {
            return .unseen(screen.err.split(separator: "\n").first.map(String.init) ?? "it failed")
        }
        return JSON(reading: screen.out).map { .seen($0) } ?? .unseen("usher can't compare the result")
    }

    /// Waits, and looks up now and then: Ctrl-C ends it.
    private func pause() {
        let end = Moment.now + seconds
        while Moment.now < end, !Cancellation.interrupt.isRequested {
            _ = poll(nil, 0, Int32(min(100, max(1, (end - Moment.now) * 1000))))
        }
    }

    private func tell(_ reason: String, _ options: GlobalOptions, _ screen: any Screen) {
        if options.format.isJSON { return }
        screen.note(clock + SafeText(reason).yellow)
    }

    private func tell(_ changes: [JSONDifference], _ options: GlobalOptions, _ screen: any Screen) {
        if changes.isEmpty { return }
        if options.format.isJSON {
            let list = changes.map { change in
                JSON([
                    ("path", .array(change.path.map { .string($0) })), ("before", change.before ?? .null),
                    ("after", change.after ?? .null),
                ])
            }
            screen.write(
                SafeText(json: JSON([("at", .string(Instant.now().description)), ("changed", .array(list))])))
        } else {
            let most = options.isVerbose ? changes.count : Self.most
            for change in changes.prefix(most) {
                let line = clock + Self.line(change)
                screen.write(screen.widthLimit.map { line.cut(to: $0) } ?? line)
            }
            if changes.count > most {
                screen.write((clock + SafeText("… and \(changes.count - most) more; -v shows all")).dim)
            }
        }
        screen.flush()
    }

    private var clock: SafeText {
        (SafeText(Instant.now().clock(in: .current)) + "  ").dim
    }

    private static func line(_ change: JSONDifference) -> SafeText {
        let path = change.path.map { SafeText($0) }.joined(separator: " ")
        switch (change.before, change.after) {
        case (let before?, let after?):
            return path + ": " + SafeText(before.brief) + " → " + SafeText(after.brief).bold
        case (nil, let after?): return ("+ " as SafeText).green + path + ": " + SafeText(after.brief)
        case (let before, nil): return ("- " as SafeText).red + path + ": " + SafeText(before?.brief ?? "")
        }
    }
}

extension Runner {
    /// Begins to look, where somebody wants to know what changes.
    func beginWatching(
        _ invocation: Invocation, _ verb: Verb, _ options: GlobalOptions, _ grammar: Grammar
    ) -> Watch? {
        guard let seconds = options.watch else { return nil }
        var looking = options
        (looking.format, looking.fields, looking.isQuiet) = (.json, options.fields, true)
        return Watch(seconds: seconds) { screen in
            let context = Context(
                options: looking, screen: screen, workplace: workplace, grammar: grammar, isConsole: isConsole,
                session: session)
            defer { workplace.settle() }
            do throws(Failure) {
                _ = try verb.run(invocation, context)
                return true
            } catch {
                screen.note(SafeText(error.message))
                return false
            }
        }
    }

    /// Goes on to look, for as long as somebody wants to know.
    func goOn(_ watch: Watch, _ options: GlobalOptions) -> ExitStatus {
        let status = watch.run(options, on: screen)
        if !Cancellation.interrupt.isTermination { Cancellation.interrupt.reset() }
        return status
    }
}
