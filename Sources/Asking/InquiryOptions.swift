package import AppFile
package import Catalog
package import PQ

/// The options of a query; a console uses the same options for all of its commands.
package struct InquiryOptions: Sendable {
    /// The time of `--at`, for which usher evaluates decisions; nil for the current time.
    package var at: String?
    /// The time zone of typed times without a zone.
    package var zone = OperatorZone.named("UTC")
    package var timeout: Double
    /// True if the operator set `--timeout`, which then also limits slow commands.
    package var isTimeoutChosen = false
    /// For `--show-sql`: called with every statement that usher sends for an app file.
    package var trace: (@Sendable (ComposedQuery) -> Void)?
    /// Called with the parsed time of `--at`, and true if the time is in the past.
    package var decided: (@Sendable (_ at: String, _ isPast: Bool) -> Void)?
    package var reached: (@Sendable (Environment, Connection.Transport) -> Void)?
    /// True if only a key or an email identifies a user; usher suggests other matches but doesn't use them.
    package var isExact = false
    /// Called with a typed text, the name of the column that contains the text, and the user found through it.
    package var identified: (@Sendable (_ text: String, _ column: String, _ user: String) -> Void)?
    /// Called with the name of the app that fits the database.
    package var fitted: (@Sendable (String) -> Void)?

    package static let usualTimeout = 10.0

    /// The time limit, in seconds, for a second connection that reads rows as they were before the transaction.
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
