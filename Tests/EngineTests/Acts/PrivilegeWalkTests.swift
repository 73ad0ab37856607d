import Foundation
import Ledger
import PQ
import Support
import Testing

/// Each role has exactly the rights in the schema `usher` that SECURITY.md lists.
@Suite struct PrivilegeWalkTests {
    private static let columns = ForgeryLab.roles + ["nobody"]

    /// The table of rights in SECURITY.md, line by line.
    private static let promised = Result {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appendingPathComponent("SECURITY.md"), encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        return Array(lines.drop { !$0.hasPrefix("| in `usher` |") }.prefix { $0.hasPrefix("|") })
    }

    /// The same table from the database: the readable columns of each role, and the functions that the role can call.
    private func table(_ forgery: ForgeryLab) throws -> [String] {
        var names: [String] = []
        var found: [String: [String: String]] = [:]
        for role in Self.columns {
            let rows = try forgery.lab.rows(
                Self.question.replacing("ROLE", with: "'\(ForgeryLab.login(role))'"))
            names = rows.map { $0[0] ?? "" }
            for row in rows { found[row[0] ?? "", default: [:]][role] = row[2] ?? "" }
        }
        let head = ["in `usher`"] + Self.columns.map { $0 == "nobody" ? "everybody" : $0 }
        let lines = names.map { name in
            ["`\(name)`"] + Self.columns.map { found[name]?[$0] ?? "" }
        }.filter { $0.dropFirst().contains { !$0.isEmpty } }
        return ([head, head.map { _ in "---" }] + lines).map { "| " + $0.joined(separator: " | ") + " |" }
    }

    /// Selects the readable columns of each table, then the executable functions, in the format of the table in
    /// SECURITY.md.
    private static let question = """
        select c.relname::text, 'a table',
               case when count(*) filter (where r.readable) = 0 then ''
                    when bool_and(r.readable) then 'read'
                    when count(*) filter (where r.readable) > count(*) / 2
                    then 'read, without ' || string_agg('`' || a.attname || '`', ', ' order by a.attname) filter (where not r.readable)
                    else 'read ' || string_agg('`' || a.attname || '`', ', ' order by a.attname) filter (where r.readable) end
          from pg_class c
          join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         cross join lateral (select has_column_privilege(ROLE, c.oid, a.attnum, 'select') as readable) r
         where c.relnamespace = 'usher'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f')
         group by c.relname
         union all
        select p.proname || '(' || array_to_string(array(select format_type(t, null) from unnest(p.proargtypes) t), ', ') || ')',
               'then a function', case when has_function_privilege(ROLE, p.oid, 'execute') then 'execute' else '' end
          from pg_proc p
         where p.pronamespace = 'usher'::regnamespace
         order by 2, 1
        """

    private func holds(_ forgery: ForgeryLab, _ because: String = "") throws {
        let table = try table(forgery)
        let promised = try Self.promised.get()
        #expect(table == promised, "\(because)\n\(table.joined(separator: "\n"))")
        for role in Self.columns {
            let login = ForgeryLab.login(role)
            func list(_ sql: String) throws -> [String] {
                try forgery.lab.rows(sql.replacing("ROLE", with: "'\(login)'")).compactMap { $0.first ?? nil }
            }
            let written = try list(
                """
                select c.relname || ' ' || p.privilege
                  from pg_class c, unnest(array['insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p (privilege)
                 where c.relnamespace = 'usher'::regnamespace and c.relkind in ('r', 'v', 'm', 'p', 'f')
                   and (has_table_privilege(ROLE, c.oid, p.privilege)
                        or case when p.privilege in ('insert', 'update', 'references')
                                then has_any_column_privilege(ROLE, c.oid, p.privilege) end)
                """)
            #expect(written == [], "\(role) \(because)")
            let set = "has_sequence_privilege(ROLE, 'usher.snapshot_clock', 'usage, update')"
            #expect(try list("select 'x' where \(set)") == [], "\(role) \(because)")
            #expect(try list("select 'x' where has_schema_privilege(ROLE, 'usher', 'create')") == [])
        }
    }

    @Test func rightsOfEachRoleMatchTheTableInSecurityMD() throws {
        let forgery = try ForgeryLab()
        try holds(forgery)
        // The schema has no other kind of relation; a composite type (c) has no rows.
        #expect(
            try forgery.lab.rows(
                "select distinct c.relkind::text from pg_class c where c.relnamespace = 'usher'::regnamespace order by 1"
            )
                == [["S"], ["c"], ["i"], ["r"]])
        // Functions that run with the owner's rights have a fixed search path.
        #expect(
            try forgery.lab.rows(
                """
                select p.proname from pg_proc p
                 where p.pronamespace = 'usher'::regnamespace and p.prosecdef
                   and not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)
                """) == [])
    }

    @Test func defaultPrivilegesDoNotChangeTheRightsOfEachRole() throws {
        let forgery = try ForgeryLab()
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        for statement in [
            "drop schema usher cascade",
            "alter default privileges grant all on functions to usher_support, forger_nobody",
            "alter default privileges grant all on tables to usher_eraser, usher_admin",
            "alter default privileges grant all on sequences to usher_support",
        ] as [Query] {
            _ = try owner.execute(statement)
        }
        for statement in LedgerSchema.transaction { _ = try owner.execute(statement) }
        try holds(forgery, "default privileges")
    }
}
