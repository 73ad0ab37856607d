package import Catalog

/// A deletion of accounts that was asked for.
package struct AskedDeletion: Sendable {
    /// Nil where it was only tried.
    package let request: String?
    /// Who may do it.
    package let role: String
    package let environment: Environment
    /// What people call them whom it is about.
    package let users: [String]
}
