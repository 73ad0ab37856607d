package import Catalog

/// A deletion of accounts that was asked for.
package struct AskedDeletion: Sendable {
    /// Nil where it was only tried.
    package let request: String?
    /// The role that can delete.
    package let role: String
    package let environment: Environment
    /// The labels of the users.
    package let users: [String]
}
