/// The operator roles of the connected role.
package struct HeldRoles: Sendable, Hashable {
    /// The names of the roles in the database.
    package let names: Set<String>

    /// The names of all roles of operators.
    static let all: Set = ["usher_support", "usher_admin", "usher_engineer", "usher_eraser"]

    /// True if the connected role has the rights of a role.
    package func includes(_ role: String) -> Bool { names.contains(role) }
}
