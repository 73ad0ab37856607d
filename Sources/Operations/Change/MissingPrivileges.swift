internal import Catalog
internal import PQ

extension ChangeSetting {
    /// What the role lacks for the statements of the change, one line a privilege, in words for whoever may grant it.
    ///
    /// Postgres names the first only; all of them are found by having the statements stored and rolled back.
    func missingPrivileges() -> [String] {
        let statements = work.steps(bindings(now: "2000-01-01", keys: subjects.map(\.key))).map(\.query.sql)
        do {
            try connection.rollbackIfOpen()
            defer { try? connection.rollbackIfOpen() }
            let reader = try NeedReader(on: connection, timeout: options.timeout)
            var needs: Set<Need> = []
            for answer in try reader.needs(of: statements) {
                if case .success(let found) = answer { needs.formUnion(found) }
            }
            return try missing(Array(needs), reader)
        } catch {
            return []
        }
    }

    private func missing(_ needs: [Need], _ reader: NeedReader) throws -> [String] {
        let role = try reader.read("select current_user::text as role").only().text("role")
        let rows = try reader.read(
            Query(
                file: "catalog/granted_privileges.sql",
                [
                    arrayLiteral(needs.map { _ in role }), arrayLiteral(needs.map(\.privilege.rawValue)),
                    arrayLiteral(needs.map(\.schema)), arrayLiteral(needs.map(\.name)),
                    arrayLiteral(needs.map { $0.column ?? "" }),
                ]))
        var columns: [String: [String]] = [:]
        for (need, row) in zip(needs, rows.rows) where try row.optionalBoolean("granted") == false {
            columns["\(need.privilege.rawValue) on \(need.subject)", default: []] += need.column.map { [$0] } ?? []
        }
        return columns.sorted { $0.key < $1.key }.map { privilege, names in
            "\(role) lacks \(privilege)" + (names.isEmpty ? "" : " (\(names.sorted().joined(separator: ", ")))")
        }
    }
}
