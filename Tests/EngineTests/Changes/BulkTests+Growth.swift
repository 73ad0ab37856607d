import PQ
import Support
import Testing

/// What a part costs does not grow with the parts before it.
extension BulkTests {
    @Test func aPartAsksAsMuchAsTheOneBefore() throws {
        let lab = try lab()
        let whole = "00000000-0000-4000-8000-0000000000aa"
        let connection = try lab.database.connect()
        for statement in [
            "alter function usher.outcome(uuid) rename to known_outcome",
            """
            create function usher.outcome(operation uuid) returns text language plpgsql as $$ begin
                perform set_config('lab.asked', (current_setting('lab.asked')::integer + 1)::text, false);
                return usher.known_outcome(operation);
            end $$
            """,
            "set lab.asked = 0",
        ] { _ = try connection.execute(Query(unsafe: statement)) }
        func act(_ call: String) throws -> Int {
            _ = try connection.execute(Query(unsafe: "begin isolation level repeatable read"))
            _ = try connection.execute(Query(unsafe: "select usher.\(call)"))
            _ = try connection.execute(Query(unsafe: "commit"))
            let asked = try connection.execute(Query(unsafe: "select current_setting('lab.asked')::integer"))
            return try asked.rows[0].integer(at: 0)
        }
        _ = try act(
            """
            begin(jsonb_build_object(
                'id', '\(whole)', 'app', 'lab', 'kind', 'action', 'name', 'trial extend', 'arguments', '{}'::jsonb,
                'digest', (select encode(a.digest, 'hex') from usher.act a where a.name = 'trial extend'),
                'selections', '["due"]'::jsonb, 'now', now()::text))
            """)
        let asked = try (1...12).map { number in
            try act("batch(jsonb_build_object('id', gen_random_uuid(), 'operation', '\(whole)', 'size', 100))")
        }
        #expect(asked[2] - asked[1] == asked[11] - asked[10])
        #expect(try lab.value("select count(*) from usher.operation where kind = 'batch'") == "12")
    }
}
