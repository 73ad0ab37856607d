package enum Request: Sendable {
    case run(Invocation)
    case help(HelpRequest)
    case version
    /// A command line without words, or with global options only.
    case nothing
}

package enum HelpRequest: Sendable, Equatable {
    /// The first page: the commands by reader.
    case program
    case all
    case noun(String)
    case command([String])
    case topic(String)
}

/// A parsed command line: its words, its global options, and the request or the mistake.
package struct ParsedLine: Sendable {
    package let words: [String]
    package let globals: [String: [String]]
    package let request: Result<Request, UsageError>
}
