/// Which roles of operators whoever is connected has.
package struct HeldRoles: Sendable, Hashable {
    /// Their names in the database.
    package let names: Set<String>

    /// Whether what a role may do is allowed.
    package func includes(_ role: String) -> Bool { names.contains(role) }
}
