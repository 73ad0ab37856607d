/// The operator roles whose rights the connected role has.
package struct HeldRoles: Sendable, Hashable {
    /// The names of the operator roles in the database.
    package let names: Set<String>

    /// The names of all operator roles.
    static let all: Set = ["usher_support", "usher_admin", "usher_engineer", "usher_eraser"]

    /// True if the connected role has the rights of an operator role.
    package func includes(_ role: String) -> Bool { names.contains(role) }
}
