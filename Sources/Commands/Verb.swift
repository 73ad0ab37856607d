import Asking
package import CommandLine

/// A command: its grammar, and its implementation.
package struct Verb: Sendable {
    package let command: Command
    let fleetScope: FleetScope
    /// True if the command is about a whole database, so that it runs once per database, not once per tenant's schema.
    let isOfDatabase: Bool
    let run: @Sendable (Invocation, Context) throws(Failure) -> ExitStatus

    init(
        _ command: Command, fleetScope: FleetScope = .members, isOfDatabase: Bool = false,
        run: @escaping @Sendable (Invocation, Context) throws(Failure) -> ExitStatus
    ) {
        self.command = command
        self.fleetScope = fleetScope
        self.isOfDatabase = isOfDatabase
        self.run = run
    }
}

/// The databases of a fleet in which a command runs.
enum FleetScope: Sendable {
    /// Runs without any database of the fleet.
    case outside
    /// With a user, runs at the database that has the user; otherwise, if it only reads, runs at all databases.
    case members
    /// With a user, runs at the database that has the user; otherwise runs without any database of the fleet.
    case memberWithTarget
    /// With a user, runs at every database that has the user.
    case membersWithTarget
}
