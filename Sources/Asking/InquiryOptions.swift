package import AppFile
package import Catalog
package import PQ

/// The options of a query, the same for every command of a console.
package struct InquiryOptions: Sendable {
    /// The instant to decide for as it was typed, nil for now.
    package var at: String?
    /// The zone of times that are typed without one.
    package var zone = OperatorZone.named("UTC")
    /// Seconds that one statement may take.
    package var timeout: Double
    /// True if the operator said so, and it holds for what may take long too.
    package var isTimeoutChosen = false
    /// The file of the app that the words of the command come from, nil where they are the engine's own.
    package var declaredBy: String?
    /// Called with every statement of an app file that is sent, for `--show-sql`.
    package var trace: (@Sendable (ComposedQuery) -> Void)?
    /// Called with the instant that is decided for when one was asked about, and whether it is in the past.
    package var decided: (@Sendable (_ at: String, _ isPast: Bool) -> Void)?
    /// Called with where an inquiry came to, and by which way.
    package var reached: (@Sendable (Environment, Connection.Transport) -> Void)?
    /// True if a user is named by key or address alone: where else a text leads is told, and not gone.
    package var isExact = false
    /// Called with what somebody typed, the way by which it led to a user, and the user.
    package var identified: (@Sendable (_ text: String, _ through: Identification, _ user: String) -> Void)?
    /// Called with each fact that this schema does not have, and the column that it would be made of.
    package var missed: (@Sendable (_ fact: String, _ column: String) -> Void)?
    /// Called with the name of the app that fits, of several.
    package var fitted: (@Sendable (String) -> Void)?
    /// Called when a server takes long to confirm a commit.
    package var waiting: @Sendable () -> Void = {}

    /// Seconds that one statement may take unless somebody says otherwise.
    package static let usualTimeout = 10.0

    /// Seconds that another connection has to say how rows were before a transaction changed them.
    package static let witnessTimeout = usualTimeout * 6

    /// Options with nothing special.
    package init(at: String? = nil, timeout: Double = usualTimeout, trace: (@Sendable (ComposedQuery) -> Void)? = nil) {
        self.at = at
        self.timeout = timeout
        self.trace = trace
    }

    /// Seconds that one statement over a whole account may take.
    package var patientTimeout: Double { isTimeoutChosen ? timeout : timeout * 60 }
}

extension InquiryOptions {
    /// Seconds that a server has to confirm a commit, and to say what became of one.
    package var commitTimeout: Double { lockTimeout * 3 }

    /// Seconds to wait for what somebody else holds.
    package var lockTimeout: Double { min(timeout, Self.usualTimeout) }
}
