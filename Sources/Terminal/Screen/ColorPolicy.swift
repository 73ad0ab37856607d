/// Decides if a stream gets color.
///
/// The first of these settings decides: `--no-color`, `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR=0`, `TERM=dumb`.
/// Otherwise a terminal gets color.
package struct ColorPolicy: Sendable, Hashable {
    /// The environment variables that matter.
    package static let variables = ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"]

    private let verdict: Bool?

    /// Creates the policy for an environment and the flag `--no-color`.
    package init(environment: [String: String], noColor: Bool) {
        verdict = Self.verdict(environment, noColor)
    }

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
