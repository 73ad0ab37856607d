/// Decides whether a terminal makes links of texts (OSC 8).
///
/// No terminal can be asked; those that have links say in the environment who they are. `FORCE_HYPERLINK` decides for others.
package enum LinkPolicy {
    /// The variables that are looked at.
    package static let variables = [
        "FORCE_HYPERLINK", "TERM", "TERM_PROGRAM", "VTE_VERSION", "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION",
        "TMUX", "STY",
    ]

    private static let programs: Set<String> = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "Tabby"]
    private static let terminals = ["xterm-kitty", "xterm-ghostty", "alacritty", "foot", "contour", "wezterm"]
    /// The first VTE in which links do not break.
    private static let soundVTE = 5000

    /// True if links are drawn by the terminal of an environment.
    package static func allowsLinks(_ environment: [String: String]) -> Bool {
        if let force = environment["FORCE_HYPERLINK"], !force.isEmpty { return force != "0" }
        // Between the program and the terminal, links get lost, or worse.
        if environment["TERM"] == "dumb" || environment["TMUX"] != nil || environment["STY"] != nil { return false }
        if ["KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION"].contains(where: { environment[$0]?.isEmpty == false }) {
            return true
        }
        if let version = environment["VTE_VERSION"].flatMap({ Int($0) }) { return version >= soundVTE }
        return environment["TERM_PROGRAM"].map(programs.contains) == true
            || terminals.contains { environment["TERM"]?.hasPrefix($0) == true }
    }
}
