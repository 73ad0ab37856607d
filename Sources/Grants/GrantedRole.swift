internal import AppFile

/// A role of the database that gets rights: the operators' roles, and separately the eraser.
package enum GrantedRole: String, Sendable, CaseIterable {
    case support, admin, engineer, eraser

    /// The database role of an operator role.
    init(_ rank: OperatorRole) {
        switch rank {
        case .support: self = .support
        case .admin: self = .admin
        case .engineer: self = .engineer
        }
    }

    /// The operator roles; each has the rights of the one before it.
    static let ranks = OperatorRole.allCases.map { GrantedRole($0) }

    /// The role in the database.
    package var name: String { "usher_\(rawValue)" }
}
