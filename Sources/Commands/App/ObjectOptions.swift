import CommandLine

enum ObjectOptions {
    /// The options --sort and --limit, which a list of an app file can't declare itself.
    static let order = [
        Option("--sort COLUMN", .text, summary: "Sort by this column; --sort=-COLUMN reverses the order."),
        .limit(),
    ]

    static func all(hasOwner: Bool) -> [Option] {
        (hasOwner ? [.user("rows of")] : []) + [.since("rows"), .until("rows")] + order
    }
}

/// The filters of lists; `rows` is the noun of the listed rows in the plural.
extension Option {
    static func user(_ rows: String) -> Option {
        Option("--user USER", .user, summary: "List only \(rows) this user.")
    }

    static func since(_ rows: String) -> Option { time("since", "List only \(rows) since this time.") }

    static func until(_ rows: String) -> Option { time("until", "List only \(rows) before this time.") }

    private static func time(_ name: String, _ summary: String) -> Option {
        Option("--\(name) TIME", .time, summary: summary)
    }
}
