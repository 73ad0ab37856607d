/// A parsed command line.
package enum Request: Sendable {
    case run(Invocation)
    case help(HelpRequest)
    case version
    /// No words at all, at most global options.
    case nothing
}

/// The subject of a help page.
package enum HelpRequest: Sendable, Equatable {
    /// The first page: the commands by reader.
    case program
    /// Every command and global option.
    case all
    case noun(String)
    case command([String])
    case topic(String)
}

/// A command line that was read: its words, the global options among them, and what it asks for or what is wrong with it.
package struct ParsedLine: Sendable {
    package let words: [String]
    package let globals: [String: [String]]
    package let request: Result<Request, UsageError>
}
