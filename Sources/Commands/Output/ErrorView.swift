import PQ
package import Operations
package import Terminal

/// How failures reach standard error: a sentence for people, one JSON object for programs.
package enum ErrorView {
    /// Writes a failure in the words of the chosen format.
    package static func show(_ failure: Failure, format: OutputFormat, verbose: Bool = false, on screen: any Screen) {
        if format.isJSON {
            screen.note(SafeText(json: json(failure)))
            return
        }
        // libpq's messages have several lines; the second and later ones must not look like lines of ours.
        let lines = SafeText(multiline: Secrets.masked(failure.message)).lines
        screen.note(("usher: " as SafeText).bold.red + (lines.first ?? ""))
        for line in lines.dropFirst() { screen.note("  " + line) }
        for detail in failure.details { screen.note("  " + SafeText(Secrets.masked(detail))) }
        if let hint = failure.hint { screen.note("hint: " + SafeText(Secrets.masked(hint))) }
        if verbose, let state = failure.state { screen.note("SQLSTATE " + SafeText(state.rawValue)) }
    }

    /// Says which line of a script it was.
    package static func showPlace(line number: Int, of text: String, format: OutputFormat, on screen: any Screen) {
        let text = Secrets.masked(text)
        if format.isJSON {
            screen.note(SafeText(json: JSON([("line", JSON(number)), ("command", .string(text))])))
        } else {
            screen.note(("line " + SafeText("\(number)") + ": ").dim + SafeText(text))
        }
    }

    private static func json(_ failure: Failure) -> JSON {
        var members: [(String, JSON)] = [
            ("code", .string(failure.kind.code)), ("message", .string(Secrets.masked(failure.message))),
            ("hint", JSON(failure.hint.map(Secrets.masked))), ("sqlstate", JSON(failure.state?.rawValue)),
        ]
        let details = failure.details.map { JSON.string(Secrets.masked($0)) }
        if !details.isEmpty { members.append(("details", .array(details))) }
        return JSON([("error", JSON(members))])
    }
}
