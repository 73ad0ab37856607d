import Asking
import CommandLine
import Glibc
import PQ
import Terminal

/// Repeats a read-only command, and shows each changed result.
struct Watch {
    let seconds: Double
    /// Runs the command with the given options; false if the command failed and printed an error.
    let command: (_ screen: any Screen, _ options: GlobalOptions) -> Bool

    /// The refusal of a format that `--watch` can't show; nil for other formats.
    static func refusal(_ options: GlobalOptions) -> Failure? {
        guard options.watch != nil, ![.table, .json, .ndjson].contains(options.format) else { return nil }
        return Failure(.usage, "--watch works only with tables, -o json and -o ndjson")
    }

    /// The result as JSON without its time, to compare results; the error if the command failed.
    func result(_ options: GlobalOptions) -> String {
        var options = options
        (options.format, options.isQuiet) = (.json, true)
        let screen = RecordingScreen()
        guard command(screen, options) else { return screen.err }
        guard case .object(let members)? = JSON(reading: screen.out) else { return screen.out }
        return JSON.object(members.filter { $0.key != "at" }).text()
    }

    /// Repeats the command until Ctrl-C, and shows each changed result.
    func run(after first: String, _ options: GlobalOptions, on screen: any Screen) -> ExitStatus {
        var last = first
        while true {
            pause()
            if Cancellation.interrupt.isRequested {
                // The terminal has printed ^C, so the next line must begin below it.
                if screen.isTerminal { screen.note("") }
                if Cancellation.interrupt.isTermination { return .interrupted }
                Cancellation.interrupt.reset()
                return .done
            }
            guard screen.outputState == .open else { return .done }
            let now = result(options)
            if now == last || Cancellation.interrupt.isRequested { continue }
            last = now
            if !options.format.isJSON { screen.write(["", SafeText(Instant.now().clock(in: .current)).dim]) }
            _ = command(screen, options)
            screen.flush()
        }
    }

    /// Waits in short steps, so that Ctrl-C ends the wait.
    private func pause() {
        let end = Moment.now + seconds
        while Moment.now < end, !Cancellation.interrupt.isRequested {
            _ = poll(nil, 0, Int32(min(100, max(1, (end - Moment.now) * 1000))))
        }
    }
}

extension Runner {
    func watch(_ invocation: Invocation, _ verb: Verb, _ options: GlobalOptions) -> Watch? {
        options.watch.map { seconds in
            Watch(seconds: seconds) { screen, options in
                let context = home.with(options, on: screen)
                defer { session.settle() }
                do throws(Failure) {
                    _ = try verb.run(invocation, context)
                    return true
                } catch {
                    screen.note(SafeText(error.message))
                    return false
                }
            }
        }
    }
}
