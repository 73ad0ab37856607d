package struct UsageError: Error, Sendable, Equatable {
    /// One sentence without a full stop; names from the command line are in backticks, unescaped.
    package var message: String
    /// The text after `hint:`, if any.
    package var hint: String?
    /// The noun, or noun and verb, that the words name.
    package var command: [String]?

    package init(message: String, hint: String? = nil, command: [String]? = nil) {
        self.message = message
        self.hint = hint
        self.command = command
    }
}
