/// The reason why a command line cannot be understood.
package struct UsageError: Error, Sendable, Equatable {
    /// One sentence without a full stop; names from the command line stand in backticks, unescaped.
    package var message: String
    /// The hint.
    package var hint: String?
    /// The noun, or noun and verb, that the words did name.
    package var command: [String]?
    /// The part that is missing for a complete command.
    package var missing: Missing?
    /// The option that no command has, where that is the mistake.
    package var unknownOption: String?

    /// Describes a mistake.
    package init(message: String, hint: String? = nil, command: [String]? = nil, missing: Missing? = nil) {
        self.message = message
        self.hint = hint
        self.command = command
        self.missing = missing
    }
}

extension UsageError {
    /// A value that a command cannot do without.
    package enum Missing: Sendable, Equatable {
        case argument(Argument)
        case option(String, Option.Value, summary: String)

        /// The words of a command line with the value added.
        package func added(_ value: String, to words: [String]) -> [String] {
            switch self {
            case .option(let long, _, _): ["--\(long)=\(value)"] + words
            // What is missing is always the last of what there would be.
            case .argument: words + (words.contains("--") || !OptionScan.looksLikeOption(value) ? [] : ["--"]) + [value]
            }
        }
    }
}
