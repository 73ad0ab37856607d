/// The roles of operators; each has all rights of the one before it.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    case support, admin, engineer

    /// The role in the database.
    package var name: String { "usher_\(rawValue)" }

    package static func < (one: OperatorRole, other: OperatorRole) -> Bool {
        one.rank < other.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
