import Asking
package import CommandLine

/// A command: its grammar, and its implementation.
package struct Verb: Sendable {
    package let command: Command
    let fleetScope: FleetScope
    /// True if the command runs once per database, not once per schema of a tenant.
    let isOfDatabase: Bool
    let run: @Sendable (Invocation, Context) throws(Failure) -> ExitStatus
}

extension Command {
    /// The command together with its implementation.
    func verb(
        fleetScope: FleetScope = .members, isOfDatabase: Bool = false,
        run: @escaping @Sendable (Invocation, Context) throws(Failure) -> ExitStatus
    ) -> Verb {
        Verb(command: self, fleetScope: fleetScope, isOfDatabase: isOfDatabase, run: run)
    }

    /// The command together with an implementation that is done unless it throws.
    func verb(
        fleetScope: FleetScope = .members, isOfDatabase: Bool = false,
        run: @escaping @Sendable (Invocation, Context) throws(Failure) -> Void
    ) -> Verb {
        Verb(command: self, fleetScope: fleetScope, isOfDatabase: isOfDatabase) { invocation, context throws(Failure) in
            try run(invocation, context)
            return .done
        }
    }
}

/// The databases of a fleet in which a command runs.
enum FleetScope: Sendable {
    /// The command doesn't use the fleet.
    case outside
    /// The command runs in the database that has the user; without a user, it only reads, and runs in all databases.
    case members
    /// The command runs in the database that has the user; without a user, it doesn't use the fleet.
    case memberWithTarget
    /// The command runs in every database that has the user.
    case membersWithTarget
}
