package import Asking
package import CommandLine
import PQ
package import Terminal

/// Prints failures to standard error: sentences for people, a JSON object for programs.
package enum ErrorView {
    package static func show(_ error: UsageError, format: OutputFormat, on screen: any Screen) {
        show(Failure(error), format: format, on: screen)
    }

    /// Prints a failure of the whole command, or of a member of a fleet.
    ///
    /// In a console or script, hints leave out the program's name.
    package static func show(
        _ failure: Failure, format: OutputFormat, verbose: Bool = false, isConsole: Bool = false,
        of member: String? = nil, on screen: any Screen
    ) {
        if format.isJSON { return screen.note(SafeText(json: json(failure, of: member))) }
        // Messages of libpq have several lines; the indent shows that they belong together.
        let lines = SafeText(multiline: Secrets.masked(failure.message(in: .current))).lines
        let name = member.map { SafeText($0) + ": " } ?? ""
        screen.noteWrapped(("usher: " as SafeText).bold.red + name + (lines.first ?? ""))
        for line in lines.dropFirst() { screen.noteWrapped("  " + line, indent: 4) }
        for detail in failure.details(in: .current) {
            screen.noteWrapped("  " + SafeText(advice: Secrets.masked(detail)), indent: 4)
        }
        if let hint = failure.hint.map({ isConsole ? withoutProgram($0) : $0 }) {
            screen.noteWrapped("hint: " + SafeText(advice: Secrets.masked(hint)))
        }
        if verbose, let state = failure.state { screen.note("SQLSTATE " + SafeText(state.rawValue)) }
    }

    package static func showPlace(line number: Int, of text: String, format: OutputFormat, on screen: any Screen) {
        let text = Secrets.masked(text)
        if format.isJSON {
            screen.note(SafeText(json: JSON([("line", number), ("command", text)])))
        } else {
            screen.note(("line " + SafeText("\(number)") + ": ").dim + SafeText(text))
        }
    }

    /// A hint without the program's name in its commands, for the console.
    private static func withoutProgram(_ hint: String) -> String {
        let parts = hint.split(separator: "`", omittingEmptySubsequences: false)
        return parts.enumerated().map { index, part in
            index % 2 == 1 && part.hasPrefix("usher ") ? part.dropFirst(6) : part
        }.joined(separator: "`")
    }

    private static func json(_ failure: Failure, of member: String?) -> JSON {
        let details = failure.details(in: nil).map(Secrets.masked)
        let members: JSON.Members = [
            ("code", failure.kind.code), ("message", Secrets.masked(failure.message(in: nil))),
            ("hint", failure.hint.map(Secrets.masked)), ("sqlstate", failure.state?.rawValue),
        ]
        let more = JSON.given([("details", details.isEmpty ? nil : details), (Member.column, member)])
        return JSON([("error", JSON(members + more))])
    }
}

extension SafeText {
    /// A sentence in which line breaks never split a command in backticks.
    init(advice text: String) {
        self.init()
        var rest = text[...]
        while let open = rest.firstIndex(of: "`"), let end = rest[rest.index(after: open)...].firstIndex(of: "`") {
            self += SafeText(rest[..<open]) + SafeText(rest[open...end]).whole
            rest = rest[rest.index(after: end)...]
        }
        self += SafeText(rest)
    }
}
