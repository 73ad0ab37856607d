/// Decides if a stream gets color.
package enum ColorPolicy {
    /// The environment variables that matter.
    package static let variables = ["NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "TERM"]

    /// The first of these settings decides: `--no-color`, `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR=0`, `TERM=dumb`.
    ///
    /// Otherwise a terminal gets color.
    package static func allowsColor(
        _ environment: [String: String], noColor: Bool, onTerminal isTerminal: Bool
    ) -> Bool {
        if noColor || environment["NO_COLOR"]?.isEmpty == false {
            return false
        }
        if let force = environment["CLICOLOR_FORCE"], !force.isEmpty, force != "0" {
            return true
        }
        return isTerminal && environment["CLICOLOR"] != "0" && environment["TERM"] != "dumb"
    }
}
