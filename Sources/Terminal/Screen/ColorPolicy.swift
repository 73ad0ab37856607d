/// Decides if a stream gets color.
package enum ColorPolicy {
    /// The first of these settings decides: `--no-color`, `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR=0`, `TERM=dumb`.
    ///
    /// Otherwise a terminal gets color.
    package static func allowsColor(
        _ variable: (String) -> String?, noColor: Bool, onTerminal isTerminal: Bool
    ) -> Bool {
        if noColor || variable("NO_COLOR")?.isEmpty == false {
            return false
        }
        if let force = variable("CLICOLOR_FORCE"), !force.isEmpty, force != "0" {
            return true
        }
        return isTerminal && variable("CLICOLOR") != "0" && variable("TERM") != "dumb"
    }
}
