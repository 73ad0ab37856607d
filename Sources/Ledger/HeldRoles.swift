/// Which roles of operators whoever is connected has.
package struct HeldRoles: Sendable, Hashable {
    /// Their names in the database.
    package let names: Set<String>

    /// The names of all roles of operators.
    static let all: Set = ["usher_support", "usher_admin", "usher_engineer", "usher_eraser"]

    /// True if what a role may do is allowed.
    package func includes(_ role: String) -> Bool { names.contains(role) }
}
