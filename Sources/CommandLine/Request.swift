/// What a command line asks for.
package enum Request: Sendable {
    case run(Invocation)
    case help(HelpRequest)
    case version
    /// No words at all, at most global options; `Grammar.globalsOnly` has those.
    case nothing
}

/// What a help page is about.
package enum HelpRequest: Sendable, Equatable {
    case program
    case noun(String)
    case command([String])
    case topic(String)
}
