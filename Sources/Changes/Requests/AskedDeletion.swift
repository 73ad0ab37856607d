package import Catalog

/// A requested deletion of accounts.
package struct AskedDeletion: Sendable {
    /// The request id; nil for a dry run.
    package let request: String?
    /// The role that can delete.
    package let role: String
    package let environment: Environment
    /// The labels of the users.
    package let users: [String]
}
