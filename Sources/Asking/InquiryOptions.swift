package import AppFile
package import Catalog
package import PQ

/// The options of a query; a console uses the same options for all of its commands.
package struct InquiryOptions: Sendable {
    /// The typed time for which usher decides; nil for now.
    package var at: String?
    /// The time zone for typed times that contain none.
    package var zone = OperatorZone.named("UTC")
    package var timeout: Double
    /// True if the operator chose the limit, which then also applies to slow commands.
    package var isTimeoutChosen = false
    /// For `--show-sql`: called with every statement that usher sends for an app file.
    package var trace: (@Sendable (ComposedQuery) -> Void)?
    /// Called with the time that `--at` stands for, and with whether this time is in the past.
    package var decided: (@Sendable (_ at: String, _ isPast: Bool) -> Void)?
    package var reached: (@Sendable (Environment, Connection.Transport) -> Void)?
    /// True if only a key or an email identifies a user; usher suggests other matches but doesn't use them.
    package var isExact = false
    /// Called with a typed text, the column that contains the text, and the user found through it.
    package var identified: (@Sendable (_ text: String, _ through: Identification, _ user: String) -> Void)?
    package var missed: (@Sendable (_ fact: String, _ column: String) -> Void)?
    /// Called with the name of the app that fits the database, if usher had several app files to choose from.
    package var fitted: (@Sendable (String) -> Void)?
    /// Called when the server takes long to confirm a commit.
    package var waiting: @Sendable () -> Void = {}

    package static let usualTimeout = 10.0

    /// The time limit, in seconds, for reading the rows as they were before a transaction on another connection.
    package static let witnessTimeout = usualTimeout * 6

    package init(at: String? = nil, timeout: Double = usualTimeout, trace: (@Sendable (ComposedQuery) -> Void)? = nil) {
        self.at = at
        self.timeout = timeout
        self.trace = trace
    }

    /// The time limit, in seconds, of a statement that scans a whole account.
    package var patientTimeout: Double { isTimeoutChosen ? timeout : timeout * 60 }
}

extension InquiryOptions {
    /// The time limit, in seconds, for a server to confirm a commit or to report its outcome.
    package var commitTimeout: Double { lockTimeout * 3 }

    /// The time limit, in seconds, for waiting until other sessions release their locks.
    package var lockTimeout: Double { min(timeout, Self.usualTimeout) }
}
