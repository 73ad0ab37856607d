/// Decides whether a stream gets colour.
///
/// The first that speaks decides: `--no-color`, `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR=0`, `TERM=dumb`, and then
/// whether the stream is a terminal.
package struct ColorPolicy: Sendable, Hashable {
    /// The variables that are looked at.
    package static let variables = ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"]

    private let verdict: Bool?

    /// Makes the policy of an environment and of the flag `--no-color`.
    package init(environment: [String: String], noColor: Bool) {
        verdict = Self.verdict(environment, noColor)
    }

    /// True if a stream gets colour.
    package func allowsColor(onTerminal isTerminal: Bool) -> Bool {
        verdict ?? isTerminal
    }

    private static func verdict(_ environment: [String: String], _ noColor: Bool) -> Bool? {
        if noColor || environment["NO_COLOR"]?.isEmpty == false {
            return false
        }
        if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" {
            return true
        }
        if environment["CLICOLOR"] == "0" || environment["TERM"] == "dumb" {
            return false
        }
        return nil
    }
}
