/// The meanings of all option names of a grammar.
struct OptionTable {
    private(set) var takesValue: [String: Bool] = [:]
    private(set) var longs: [Character: String] = [:]

    /// Collects the options of all commands; if two differ, the first counts.
    init(_ grammar: Grammar) {
        takesValue.reserveCapacity(Self.usual)
        add(grammar.globals)
        for command in grammar.commands { add(command.options) }
    }

    private mutating func add(_ options: [Option]) {
        for option in options {
            if takesValue[option.long] == nil { takesValue[option.long] = option.value != nil }
            if let short = option.short, longs[short] == nil { longs[short] = option.long }
        }
    }

    /// The usual number of names in a grammar.
    private static let usual = 128
}
