/// The meaning of every option name of a grammar, for all commands.
struct OptionTable {
    private(set) var takesValue: [String: Bool] = [:]
    private(set) var longs: [Character: String] = [:]

    /// Reads the options of all commands; where two disagree, the first one counts.
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

    /// About as many names as a grammar has.
    private static let usual = 128
}
