internal import AppFile

/// A role of the database that gets something of an app: the ranks of operators, and who deletes accounts, apart.
package enum GrantedRole: String, Sendable, CaseIterable {
    case support, admin, engineer, eraser

    /// The role that a rank of operators is in the database.
    init(_ rank: OperatorRole) {
        switch rank {
        case .support: self = .support
        case .admin: self = .admin
        case .engineer: self = .engineer
        }
    }

    /// The ranks, each of which may do what the one before it may.
    static let ranks = OperatorRole.allCases.map { GrantedRole($0) }

    /// The role in the database.
    package var name: String { "usher_\(rawValue)" }
}
