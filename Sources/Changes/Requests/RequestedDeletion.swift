package import Catalog

/// A requested deletion of accounts.
package struct RequestedDeletion: Sendable {
    /// The request id; nil for a dry run.
    package let request: String?
    package let role: String
    package let environment: Environment
    package let users: [String]
}
