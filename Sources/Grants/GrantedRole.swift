internal import AppFile

/// A database role that needs rights on the app's tables: an operator role or the eraser.
package enum GrantedRole: String, Sendable, CaseIterable {
    case support, admin, engineer, eraser

    init(_ rank: OperatorRole) {
        switch rank {
        case .support: self = .support
        case .admin: self = .admin
        case .engineer: self = .engineer
        }
    }

    /// The operator roles in ascending order; each role includes the rights of the previous role.
    static let ranks = OperatorRole.allCases.map { GrantedRole($0) }

    package var name: String { "usher_\(rawValue)" }
}
