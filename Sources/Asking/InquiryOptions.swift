package import AppFile
package import Catalog
package import PQ

/// The options of a query, the same for every command of a console.
package struct InquiryOptions: Sendable {
    /// The time to decide for, as typed; nil for now.
    package var at: String?
    /// The zone of typed times without one.
    package var zone = OperatorZone.named("UTC")
    /// The time limit of one statement in seconds.
    package var timeout: Double
    /// True if the operator chose the limit, which then also applies to slow commands.
    package var isTimeoutChosen = false
    /// Called with every statement of an app file that is sent, for `--show-sql`.
    package var trace: (@Sendable (ComposedQuery) -> Void)?
    /// Called with the time that `--at` means, and whether it is in the past.
    package var decided: (@Sendable (_ at: String, _ isPast: Bool) -> Void)?
    /// Called with the environment and the route of the connection.
    package var reached: (@Sendable (Environment, Connection.Transport) -> Void)?
    /// True if only a key or an email can name a user; other matches are suggested but not used.
    package var isExact = false
    /// Called with the typed text, the column where it was found, and the user.
    package var identified: (@Sendable (_ text: String, _ through: Identification, _ user: String) -> Void)?
    /// Called with each fact that this schema lacks, and its missing column.
    package var missed: (@Sendable (_ fact: String, _ column: String) -> Void)?
    /// Called with the name of the app that fits, if several app files exist.
    package var fitted: (@Sendable (String) -> Void)?
    /// Called when a server takes long to confirm a commit.
    package var waiting: @Sendable () -> Void = {}

    /// The default time limit of one statement in seconds.
    package static let usualTimeout = 10.0

    /// The time limit for another connection to read the rows as they were before a transaction, in seconds.
    package static let witnessTimeout = usualTimeout * 6

    /// Options with default values.
    package init(at: String? = nil, timeout: Double = usualTimeout, trace: (@Sendable (ComposedQuery) -> Void)? = nil) {
        self.at = at
        self.timeout = timeout
        self.trace = trace
    }

    /// The time limit of one statement over a whole account, in seconds.
    package var patientTimeout: Double { isTimeoutChosen ? timeout : timeout * 60 }
}

extension InquiryOptions {
    /// The time limit for a server to confirm a commit or report its outcome, in seconds.
    package var commitTimeout: Double { lockTimeout * 3 }

    /// The time limit for waiting for locks of others, in seconds.
    package var lockTimeout: Double { min(timeout, Self.usualTimeout) }
}
