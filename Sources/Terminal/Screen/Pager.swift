import Glibc

package struct Pager: Sendable, Hashable {
    /// The command line for `sh`.
    private let command: String

    /// The pager of an environment: USHER_PAGER, PSQL_PAGER, PAGER, or else `less`; nil without a pager.
    package init?(_ variable: (String) -> String?) {
        command = ["USHER_PAGER", "PSQL_PAGER", "PAGER"].lazy.compactMap(variable).first ?? "less"
        guard !["", "cat"].contains(command), variable("TERM") != "dumb" else { return nil }
        if let program, !Self.isInstalled(program, variable("PATH") ?? "") { return nil }
    }

    /// The single program of the command line; nil if the line needs the shell.
    private var program: String? {
        let first = String(command.prefix { $0 != " " })
        let isPlain = first.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_@%+:,./-".utf8.contains(byte)
            }
        }
        return isPlain && !Self.builtins.contains(first) ? first : nil
    }

    private static func isInstalled(_ program: String, _ path: String) -> Bool {
        let folders = program.contains("/") ? [""] : path.split(separator: ":").map { $0 + "/" }
        return folders.contains { unsafe access($0 + program, X_OK) == 0 }
    }

    /// The script for `sh`.
    ///
    /// The pager shows colours, leaves its output on the screen, and opens no shell. `exec` replaces the shell
    /// with a single program, so that signals reach the program.
    var script: String {
        let isLone = program != nil && !command.contains { ";|&<>()$`\n".contains($0) }
        return "export LESS=\"${LESS-FRX}\" LV=\"${LV--c}\" LESSSECURE=\"${LESSSECURE-1}\"\n"
            + (isLone ? "exec " : "") + command
    }

    private static let builtins = ["exec", "command", "eval", "."]
}
