import CommandLine

enum ObjectOptions {
    /// The options --sort and --limit, which a list of an app file can't declare itself.
    static let order = [
        Option(
            long: "sort", value: .init(placeholder: "COLUMN", kind: .text),
            summary: "Sort by this column; --sort=-COLUMN reverses the order."),
        .limit(),
    ]

    static func all(hasOwner: Bool) -> [Option] {
        let user = Option(
            long: "user", value: .init(placeholder: "USER", kind: .user), summary: "List only rows of this user.")
        return (hasOwner ? [user] : []) + [
            Option(
                long: "since", value: .init(placeholder: "TIME", kind: .time),
                summary: "List only rows since this time."),
            Option(
                long: "until", value: .init(placeholder: "TIME", kind: .time),
                summary: "List only rows before this time."),
        ] + order
    }
}
