internal import AppFile
package import Asking
internal import Catalog
internal import Inquiries
package import PQ

/// A right on a table, function or schema that a role needs, and whether the role has it.
package struct RoleStanding: Sendable {
    package let role: GrantedRole
    package let privilege: String
    package let subject: String
    package let path: String
    /// The needed columns; empty if the right concerns the whole object.
    package let columns: [String]
    /// The columns without the right, or the name of the whole object if the role lacks the right on it.
    package let missing: [String]
    /// True if the role has the right on all columns; nil if the role doesn't exist.
    package let isGranted: Bool?
}

extension RoleGrants {
    /// Compares the rights that each role needs with the rights that the role has in the database.
    package func standing(on connection: Connection, options: InquiryOptions) throws(Failure) -> [RoleStanding] {
        let wanted = GrantedRole.allCases.flatMap { role in sorted(needs[role] ?? []).map { (role: role, need: $0) } }
        let question = Need.granted(wanted.map { ($0.role.name, $0.need) })
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        let answer = try failing(try transaction.read([question], isLast: true))[0].rows()
        var standing: [RoleStanding] = []
        var index = 0
        while index < wanted.count {
            let (role, first) = wanted[index]
            let end = wanted[index...].firstIndex { $0.role != role || !$0.need.isAlike(first) } ?? wanted.count
            let granted = try failing(
                try answer.rows[index..<end].map { row throws(PQError) in try row.optionalBoolean("granted") })
            let missing = zip(wanted[index..<end], granted).filter { $0.1 != true }.map {
                $0.0.need.column ?? first.subject
            }
            standing.append(
                RoleStanding(
                    role: role, privilege: first.privilege.rawValue, subject: first.subject,
                    path: first.path, columns: wanted[index..<end].compactMap(\.need.column), missing: missing,
                    isGranted: granted.contains(nil) ? nil : missing.isEmpty))
            index = end
        }
        return standing
    }

    /// Sorts needs by object and privilege, with columns in the order of the table and system columns last.
    private func sorted(_ needs: Set<Need>) -> [Need] {
        func place(_ need: Need) -> Int {
            let table = tables.first { $0.schema == need.schema && $0.name == need.name }
            return table?.columns.firstIndex { $0.name == need.column } ?? .max
        }
        func rank(_ need: Need) -> Int { Need.Privilege.allCases.firstIndex(of: need.privilege) ?? 0 }
        return needs.map { (need: $0, place: place($0)) }.sorted { one, other in
            (one.need.schema, one.need.name, rank(one.need), one.place, one.need.column ?? "")
                < (other.need.schema, other.need.name, rank(other.need), other.place, other.need.column ?? "")
        }.map(\.need)
    }
}

extension Need {
    func isAlike(_ other: Need) -> Bool {
        privilege == other.privilege && schema == other.schema && name == other.name
    }
}
