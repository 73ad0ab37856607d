import Asking
package import CommandLine

/// One thing an operator can do: how it is written, and what it does.
package struct Verb: Sendable {
    package let command: Command
    /// The behaviour over a fleet.
    let reach: Reach
    /// True if it is about the database and no part of it, so that it is done once where customers have schemas of their own.
    let isOfDatabase: Bool
    let run: @Sendable (Invocation, Context) throws(Failure) -> ExitStatus

    /// A verb of the grammar and its work.
    init(
        _ command: Command, reach: Reach = .members, isOfDatabase: Bool = false,
        run: @escaping @Sendable (Invocation, Context) throws(Failure) -> ExitStatus
    ) {
        self.command = command
        self.reach = reach
        self.isOfDatabase = isOfDatabase
        self.run = run
    }
}

/// The behaviour of a command if there are several databases.
enum Reach: Sendable {
    /// It has nothing to do with any of them.
    case here
    /// About a user, it runs at the one that has the user; else over all, where it only reads.
    case members
    /// The same, and without a user nothing to do with any.
    case holder
    /// About a user, it runs at every one that has the user.
    case everyHolder
}
