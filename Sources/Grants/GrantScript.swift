internal import AppFile
internal import Asking
internal import EmbeddedSQL
internal import Inquiries
internal import Ledger
internal import PQ

/// A statement of the script, such as GRANT or CREATE POLICY, with its role.
package struct Grant: Sendable {
    package let role: GrantedRole
    /// The owner of the table, who must run the statement; nil if the statement is not about a table.
    package let owner: String?
    package let sql: String
}

extension RoleGrants {
    /// The grants in order: first for schemas, functions and sequences, then table by table.
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

    /// The policies that let the roles read and change every row of the tables with row security.
    package var policies: [Grant] {
        tables.filter(\.isSecured).flatMap { table in
            Self.commands.flatMap { command, clause -> [Grant] in
                let holders = GrantedRole.allCases.filter { role in
                    (needs[role] ?? []).contains {
                        $0.schema == table.schema && $0.name == table.name && $0.privilege == command
                    }
                }
                return holders.flatMap { role -> [Grant] in
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

    /// The complete script for `psql`, with comments for the person who runs it.
    package var script: String {
        var lines = Self.comment(
            "The rights that the roles of operators need for \(app.name), from the statements of its app file. Each role includes",
            "the previous role, except the role that deletes accounts. The owner of a table runs the statements for the table. A grant",
            "that fails is only a warning; `usher roles show` lists the missing rights.")
        lines += ["", EmbeddedSQL.text(of: "usher/roles.sql")]
        if hasLedger {
            lines.append(EmbeddedSQL.text(of: "usher/grants.sql"))
        } else {
            let creator = app.schemas == nil ? "`usher install` creates it" : Ledger.installBeside
            lines += Self.comment(
                "The schema of the audit log doesn't exist yet: \(creator) and grants the rights on it to the roles.")
            lines.append("")
        }
        lines += Self.statements(grants.filter { $0.role != .eraser })
        let erasing = grants.filter { $0.role == .eraser }
        if !erasing.isEmpty {
            lines +=
                [""]
                + Self.comment("These statements allow deleting accounts. Grant the role only to people who need it.")
            lines += Self.statements(erasing)
        }
        for part in unknown {
            lines += Self.comment(
                "\(part.name): usher can't derive the rights, because Postgres rejects the statement: \(part.reason.message)"
            )
        }
        if !secretsRead.isEmpty {
            lines += Self.comment(
                "Not granted, because these columns are @secret: \(secretsRead.joined(separator: ", ")). A statement that reads such a column fails for operators;",
                "`usher app check` shows these statements.")
        }
        if !policies.isEmpty {
            lines += [""]
            lines += Self.comment(
                "Row security: without a policy the roles see no rows of these tables. Instead of the policies, a superuser can",
                "give BYPASSRLS to each login role of an operator; roles do not inherit BYPASSRLS.")
            lines += Self.statements(policies)
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The comment lines of the script; a line break in a name is removed, so that it can't end the comment.
    private static func comment(_ lines: String...) -> [String] {
        lines.map { "-- " + $0.split(whereSeparator: \.isNewline).joined(separator: " ") }
    }

    /// The statements as lines, with a comment wherever the owner of the tables changes.
    private static func statements(_ grants: [Grant]) -> [String] {
        var lines: [String] = []
        var owner: String?
        for grant in grants {
            if let next = grant.owner, next != owner {
                lines += [""] + comment("tables of \(next)")
            }
            owner = grant.owner ?? owner
            lines.append(grant.sql + ";")
        }
        return lines
    }
}

extension Identifier {
    /// The name, quoted only if it contains other characters than lower-case letters and underscores.
    fileprivate var plain: String {
        let isPlain = name.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }
        return isPlain && !name.isEmpty ? name : quoted
    }
}
