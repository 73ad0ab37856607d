/// The roles of operators, each of which may do what the one before it may.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    case support, admin, engineer

    /// The role in the database.
    package var name: String { "usher_\(rawValue)" }

    package static func < (one: OperatorRole, other: OperatorRole) -> Bool {
        one.rank < other.rank
    }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
