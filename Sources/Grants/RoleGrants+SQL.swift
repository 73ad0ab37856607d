internal import AppFile
internal import EmbeddedSQL
internal import Inquiries
internal import PQ

/// One GRANT or similar statement for a role.
package struct Grant: Sendable {
    package let role: GrantedRole
    /// The role that can run the statement; nil if any role with rights on the schema can.
    package let owner: String?
    package let sql: String
}

/// A comment between the statements of a script.
package enum ScriptRemark: Sendable {
    /// The purpose of the script, and who runs it.
    case roles(app: String)
    /// The schema `usher` doesn't exist; an app with several schemas creates it without roles.
    case noLedger(ofSchemas: Bool)
    case deleting
    case unknown(RoleGrants.Unknown)
    /// Secret columns that statements read; no role gets them.
    case secrets([String])
    /// Triggers that run with the rights of the role that changes a table.
    case triggers(String, table: String)
    case rowSecurity
    /// The owner of the next tables.
    case owner(String)
}

extension RoleGrants {
    /// The grants in order: schemas, then table by table.
    package var grants: [Grant] {
        GrantedRole.allCases.flatMap { role in
            let needs = needs[role] ?? []
            let schemas = needs.filter { $0.privilege == .usage && $0.name.isEmpty }.map(\.schema).sorted()
            let sequences = needs.filter { $0.privilege == .usage && !$0.name.isEmpty }.map(\.path).sorted()
            let functions = needs.filter { $0.privilege == .execute }.sorted {
                ($0.schema, $0.name) < ($1.schema, $1.name)
            }
            var grants: [Grant] = []
            if !schemas.isEmpty {
                let list = schemas.map { Identifier($0).plain }.joined(separator: ", ")
                grants.append(Grant(role: role, owner: nil, sql: "grant usage on schema \(list) to \(role.name)"))
            }
            for function in functions {
                let name = "\(Identifier(function.schema).plain).\(function.name)"
                grants.append(Grant(role: role, owner: nil, sql: "grant execute on function \(name) to \(role.name)"))
            }
            if !sequences.isEmpty {
                let list = sequences.joined(separator: ", ")
                grants.append(Grant(role: role, owner: nil, sql: "grant usage on sequence \(list) to \(role.name)"))
            }
            return grants + tables.flatMap { self.grants(of: $0, to: role) }
        }
    }

    private func grants(of table: GrantableTable, to role: GrantedRole) -> [Grant] {
        let own = (needs[role] ?? []).filter { $0.schema == table.schema && $0.name == table.name }
        let privileges = Need.Privilege.allCases.compactMap { privilege -> String? in
            let wanted = own.filter { $0.privilege == privilege }
            guard !wanted.isEmpty else { return nil }
            let columns = table.columns.filter { column in wanted.contains { $0.column == column.name } }
            let system = GrantableTable.systemColumns.filter { name in wanted.contains { $0.column == name } }
            let isWhole = columns.count == table.columns.count || columns.isEmpty && system.isEmpty
            if isWhole { return privilege.rawValue }
            return "\(privilege.rawValue) (\((columns.map(\.sql) + system).joined(separator: ", ")))"
        }
        guard !privileges.isEmpty else { return [] }
        var grants = [
            Grant(
                role: role, owner: table.owner,
                sql: "grant \(privileges.joined(separator: ", ")) on \(table.sql) to \(role.name)")
        ]
        if own.contains(where: { $0.privilege == .insert }), !table.sequences.isEmpty {
            grants.append(
                Grant(
                    role: role, owner: table.owner,
                    sql: "grant usage on sequence \(table.sequences.joined(separator: ", ")) to \(role.name)"))
        }
        return grants
    }

    /// The policies that let the roles read and change every row of tables with row security.
    package var policies: [Grant] {
        tables.filter(\.isSecured).flatMap { table in
            Self.commands.flatMap { command, clause -> [Grant] in
                let holders = GrantedRole.allCases.filter { role in
                    (needs[role] ?? []).contains {
                        $0.schema == table.schema && $0.name == table.name && $0.privilege == command
                    }
                }
                // A policy for one role also applies to the roles above it.
                let ranks = holders.filter(GrantedRole.ranks.contains).prefix(1)
                return (ranks + holders.filter { !GrantedRole.ranks.contains($0) }).flatMap { role -> [Grant] in
                    let name = "\(role.name)_\(command.rawValue)"
                    let head = "policy \(name) on \(table.sql) for \(command.rawValue)"
                    return [
                        Grant(role: role, owner: table.owner, sql: "drop policy if exists \(name) on \(table.sql)"),
                        Grant(role: role, owner: table.owner, sql: "create \(head) to \(role.name) \(clause)"),
                    ]
                }
            }
        }
    }

    private static let commands: [(Need.Privilege, String)] = [
        (.select, "using (true)"), (.insert, "with check (true)"), (.update, "using (true) with check (true)"),
        (.delete, "using (true)"),
    ]

    /// All statements as a script for `psql`; `telling` returns the lines of each comment.
    package func script(telling: (ScriptRemark) -> [String]) -> String {
        func told(_ remark: ScriptRemark) -> [String] { telling(remark).map(Self.comment) }
        var lines = told(.roles(app: app.name)) + [""]
        lines.append(EmbeddedSQL.text(of: "usher/roles.sql"))
        if hasLedger {
            lines.append(EmbeddedSQL.text(of: "usher/grants.sql"))
        } else {
            lines += told(.noLedger(ofSchemas: app.schemas != nil)) + [""]
        }
        lines += Self.statements(grants.filter { $0.role != .eraser }, told)
        let erasing = grants.filter { $0.role == .eraser }
        if !erasing.isEmpty { lines += [""] + told(.deleting) + Self.statements(erasing, told) }
        lines += unknown.flatMap { told(.unknown($0)) }
        if !secretsRead.isEmpty { lines += told(.secrets(secretsRead)) }
        for table in tables {
            guard let triggers = table.triggers else { continue }
            let isWritten = needs.values.joined().contains {
                $0.schema == table.schema && $0.name == table.name && $0.privilege.isWrite
            }
            if isWritten { lines += told(.triggers(triggers, table: table.sql)) }
        }
        if !policies.isEmpty { lines += [""] + told(.rowSecurity) + Self.statements(policies, told) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A comment ends with its line, whatever a name in it contains.
    private static func comment(_ text: String) -> String {
        "-- " + text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Statements, with a comment at each new owner.
    private static func statements(_ grants: [Grant], _ told: (ScriptRemark) -> [String]) -> [String] {
        var lines: [String] = []
        var owner: String?
        for grant in grants {
            if let next = grant.owner, next != owner {
                lines += [""] + told(.owner(next))
            }
            owner = grant.owner ?? owner
            lines.append(grant.sql + ";")
        }
        return lines
    }
}

extension Identifier {
    /// The name without quotes where none are needed.
    fileprivate var plain: String {
        let isPlain = name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }
        return isPlain && !name.isEmpty ? name : quoted
    }
}
