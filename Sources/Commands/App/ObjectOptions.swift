import CommandLine

/// The options of every list of objects.
enum ObjectOptions {
    /// How many, and in which order: what no list can say for itself.
    static let order = [
        Option(
            long: "sort", value: .init(placeholder: "COLUMN", kind: .text),
            summary: "In the order of this column; --sort=-COLUMN, the greatest first."),
        .limit(),
    ]

    static func all(hasOwner: Bool) -> [Option] {
        let user = Option(
            long: "user", value: .init(placeholder: "USER", kind: .user), summary: "Only those of this user.")
        return (hasOwner ? [user] : []) + [
            Option(
                long: "since", value: .init(placeholder: "TIME", kind: .time), summary: "Nothing older than that."),
            Option(
                long: "until", value: .init(placeholder: "TIME", kind: .time), summary: "Only what is older than that."),
        ] + order
    }
}
