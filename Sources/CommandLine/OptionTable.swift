/// What every option name of a grammar means, whichever command it belongs to.
struct OptionTable {
    private(set) var takesValue: [String: Bool] = [:]
    private(set) var longs: [Character: String] = [:]

    /// Reads the options of all commands; where two disagree, which `problems()` reports, the first one counts.
    init(_ grammar: Grammar) {
        for option in grammar.globals + grammar.commands.flatMap(\.options) {
            takesValue[option.long] = takesValue[option.long] ?? (option.value != nil)
            if let short = option.short { longs[short] = longs[short] ?? option.long }
        }
    }
}
