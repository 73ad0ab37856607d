package struct HeldRoles: Sendable, Hashable {
    package let names: Set<String>

    static let all: Set = ["usher_support", "usher_admin", "usher_engineer", "usher_eraser"]

    package func includes(_ role: String) -> Bool { names.contains(role) }
}
