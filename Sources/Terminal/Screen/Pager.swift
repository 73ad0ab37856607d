import Glibc

/// The pager for long output.
package struct Pager: Sendable, Hashable {
    /// The command line for `sh`.
    let command: String

    /// The pager of an environment: USHER_PAGER, PSQL_PAGER, PAGER, else `less`; nil if there is none or it is turned
    /// off.
    package init?(_ variable: (String) -> String?) {
        let wanted = ["USHER_PAGER", "PSQL_PAGER", "PAGER"].lazy.compactMap(variable).first
        let command = wanted ?? "less"
        guard !["", "cat"].contains(command), variable("TERM") != "dumb" else { return nil }
        // Only the default pager may be missing.
        guard wanted != nil || Self.isInstalled(command, variable("PATH") ?? "") else { return nil }
        self.command = command
    }

    private static func isInstalled(_ program: String, _ path: String) -> Bool {
        path.split(separator: ":").contains { unsafe access($0 + "/" + program, X_OK) == 0 }
    }

    /// The script for `sh`; it uses exec for a single program, so that signals reach the program.
    var script: String {
        let first = command.prefix { $0 != " " }
        let isProgram = !Self.builtins.contains(String(first)) && !first.contains("=")
        let isLone = command.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: " _@%+=:,./-".utf8.contains(byte)
            }
        }
        return isProgram && isLone ? "exec " + command : command
    }

    private static let builtins = ["exec", "command", "eval", "."]

    /// Additional environment variables of the pager: show colors, leave the output on the screen, allow no shell.
    static let settings = [("LESS", "FRX"), ("LV", "-c"), ("LESSSECURE", "1")]
}
