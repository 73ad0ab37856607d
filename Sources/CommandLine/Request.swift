package enum Request: Sendable {
    case run(Invocation)
    case help(HelpRequest)
    case version
    case nothing
}

package enum HelpRequest: Sendable, Equatable {
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
