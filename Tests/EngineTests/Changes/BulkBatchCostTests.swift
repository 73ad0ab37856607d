import Changes
import PQ
import Support
import Testing

/// Later batches don't cost more than earlier batches.
@Suite(.waiting) struct BulkBatchCostTests: BulkSuite {
    @Test func everyBatchRunsTheSameNumberOfQueries() throws {
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
            // The table also has rows of another bulk change, and no statistics.
            """
            insert into usher.subject (operation, ordinal, key)
            select '00000000-0000-4000-8000-0000000000bb', n, n::text from generate_series(1, 40000) n
            """,
        ] { _ = try connection.execute(Query(unsafe: statement)) }
        func count(_ what: String) throws -> Int {
            try connection.execute(Query(unsafe: "select \(what)")).rows[0].integer(at: 0)
        }
        func listed() throws -> Int {
            try count(
                "(select seq_tup_read + idx_tup_fetch from pg_stat_xact_user_tables where relid = 'usher.subject'::regclass)"
            )
        }
        func act(_ call: String) throws -> (asked: Int, listed: Int) {
            _ = try connection.execute("select usher.advance_clock()")
            _ = try connection.execute(Query(unsafe: "begin isolation level repeatable read"))
            // The counter still has the reads of the previous transaction.
            let before = try listed()
            _ = try connection.execute(Query(unsafe: "select usher.\(call)"))
            let after = try listed()
            _ = try connection.execute(Query(unsafe: "commit"))
            return try (count("current_setting('lab.asked')::integer"), after - before)
        }
        _ = try act(
            """
            begin(jsonb_build_object(
                'id', '\(whole)', 'app', 'lab', 'kind', 'action', 'name', 'trial extend', 'arguments', '{}'::jsonb,
                'digest', (select encode(a.digest, 'hex') from usher.act a where a.name = 'trial extend'),
                'selections', '["due"]'::jsonb, 'now', now()::text))
            """)
        let parts = try (1...12).map { _ in
            try act("batch(jsonb_build_object('id', gen_random_uuid(), 'operation', '\(whole)', 'size', 100))")
        }
        #expect(parts[2].asked - parts[1].asked == parts[11].asked - parts[10].asked)
        // The number of reads of the user list doesn't grow with the number of remaining users.
        #expect(parts[1].listed == parts[8].listed)
        #expect(try lab.value("select count(*) from usher.operation where kind = 'batch'") == "12")
    }

    /// `audit verify` compares this number with the number of recorded rows.
    @Test func auditLogRecordsTheNumberOfChangedRowsOfABulkChange() throws {
        let lab = try lab()
        let report = try run(lab, request("expire"))
        #expect(report.progress.changes == 1200)
        #expect(try lab.value("select payload ->> 'changed' from usher.operation where kind = 'end'") == "1200")
        #expect(try lab.isIntact())
        try lab.database.run("update usher.operation set payload = payload || '{\"changed\": 7}' where kind = 'end'")
        #expect(
            try lab.database.auditFindings().contains {
                $0.hasSuffix("the end record counts 7 changed rows, but the batches have 1200")
            })
    }
}
