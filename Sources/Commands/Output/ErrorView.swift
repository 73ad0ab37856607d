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
        let lines = SafeText(multiline: failure.message).lines
        screen.note(("usher: " as SafeText).bold.red + (lines.first ?? ""))
        for line in lines.dropFirst() { screen.note("  " + line) }
        for detail in failure.details { screen.note("  " + SafeText(detail)) }
        if let hint = failure.hint { screen.note("hint: " + SafeText(hint)) }
        if verbose, let state = failure.state { screen.note("SQLSTATE " + SafeText(state.rawValue)) }
    }

    private static func json(_ failure: Failure) -> JSON {
        var members: [(String, JSON)] = [
            ("code", .string(failure.kind.code)), ("message", .string(failure.message)), ("hint", JSON(failure.hint)),
            ("sqlstate", JSON(failure.state?.rawValue)),
        ]
        if !failure.details.isEmpty { members.append(("details", .array(failure.details.map { .string($0) }))) }
        return JSON([("error", JSON(members))])
    }
}
