/// The roles of operators in ascending order; each role has all rights of the previous role.
package enum OperatorRole: String, Sendable, CaseIterable, Comparable {
    case support, admin, engineer

    /// The name of the role in the database.
    package var name: String { "usher_\(rawValue)" }

    package static func < (one: OperatorRole, other: OperatorRole) -> Bool {
        allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
}
