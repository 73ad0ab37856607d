import Operations
import PQ
import Support
import Testing

/// Who may do what in the schema of the console, all of it.
@Suite struct PrivilegeWalkTests {
    private static let everybody = ForgeryLab.roles + ["nobody"]

    /// By role, the relations it may read, with the columns that it may not.
    private static let operators = [
        "act", "change -salt", "environment", "erasure -asks,at_once,column,equals,keys,round,type", "operation -salt",
        "seal", "sealed", "subject",
    ]
    private static let readable = [
        "support": operators, "admin": operators, "engineer": operators, "eraser": operators,
        "auditor": ["act", "change", "environment", "erasure", "operation", "seal", "sealed", "subject"],
        "nobody": ["environment"],
    ]

    /// By role, the functions it may call.
    private static let acting = [
        "attempt(uuid,text,text,text,text,jsonb)", "batch(jsonb)", "begin(jsonb)", "outcome(uuid)", "run(jsonb)",
        "seal()",
        "undo(jsonb)", "version()",
    ]
    private static let callable = [
        "support": acting, "admin": acting, "engineer": acting,
        "eraser": [
            "attempt(uuid,text,text,text,text,jsonb)", "erase(jsonb)", "outcome(uuid)", "part(jsonb)", "seal()",
            "version()",
        ],
        "auditor": ["outcome(uuid)", "seal()", "version()"], "nobody": ["version()"],
    ]

    private func holds(_ forgery: ForgeryLab, _ because: String = "") throws {
        for role in Self.everybody {
            let login = ForgeryLab.login(role)
            func list(_ sql: String) throws -> [String] {
                try forgery.lab.rows(sql.replacing("ROLE", with: "'\(login)'")).compactMap { $0.first ?? nil }
            }
            let read = try list(
                """
                select c.relname || coalesce(
                           ' -' || string_agg(a.attname, ',' order by a.attname)
                                     filter (where not has_column_privilege(ROLE, c.oid, a.attnum, 'select')), '')
                  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                 where c.relnamespace = 'usher'::regnamespace and c.relkind = 'r'
                   and has_any_column_privilege(ROLE, c.oid, 'select')
                 group by c.relname order by c.relname
                """)
            #expect(read == Self.readable[role], "\(role) \(because)")
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
            let called = try list(
                """
                select p.proname || '(' || array_to_string(array(select format_type(t, null) from unnest(p.proargtypes) t), ',') || ')'
                  from pg_proc p
                 where p.pronamespace = 'usher'::regnamespace and has_function_privilege(ROLE, p.oid, 'execute')
                 order by 1
                """)
            #expect(called == Self.callable[role], "\(role) \(because)")
            #expect(try list("select 'x' where has_schema_privilege(ROLE, 'usher', 'create')") == [])
        }
    }

    @Test func everythingIsGrantedAsItIsMeant() throws {
        let forgery = try ForgeryLab()
        try holds(forgery)
        // There is nothing else to ask about.
        #expect(
            try forgery.lab.rows(
                "select distinct c.relkind::text from pg_class c where c.relnamespace = 'usher'::regnamespace order by 1"
            )
                == [["i"], ["r"]])
        // What runs with the rights of the owner is for those who are listed, or for nobody, and says where names are looked up.
        #expect(
            try forgery.lab.rows(
                """
                select p.proname from pg_proc p
                 where p.pronamespace = 'usher'::regnamespace and p.prosecdef
                   and not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)
                """) == [])
    }

    @Test func defaultPrivilegesChangeNothing() throws {
        let forgery = try ForgeryLab()
        let owner = try forgery.database.connect(user: ForgeryLab.owner)
        for statement in [
            "drop schema usher cascade",
            "alter default privileges grant all on functions to usher_support, forger_nobody",
            "alter default privileges grant all on tables to usher_eraser, usher_admin",
        ] as [Query] {
            _ = try owner.execute(statement)
        }
        for statement in LedgerSchema.statements { _ = try owner.execute(statement) }
        try holds(forgery, "default privileges")
    }
}
