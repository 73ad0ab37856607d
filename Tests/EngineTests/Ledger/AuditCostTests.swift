import Ledger
import PQ
import Support
import Testing

/// The cost of reading the audit log doesn't grow with the size of a bulk change.
@Suite(.long) struct AuditCostTests {
    private static let few = Result { try lab(parts: 20) }
    private static let many = Result { try lab(parts: 100) }

    /// The number of users in one batch.
    private static let size = 500
    private static let bulk = LedgerLab.id(1)
    /// A user of the second batch.
    private static let user = "700"

    /// Creates an audit log with one bulk change.
    ///
    /// The bulk change is finished, or its last batch is running.
    private static func lab(parts: Int, isDone: Bool = true) throws -> LedgerLab {
        let lab = try LedgerLab()
        try lab.database.run(
            """
            insert into usher.operation (id, at, kind, outcome, command, root, digest, payload)
            values ('\(bulk)', '2026-01-01', 'bulk', 'committed', 'trial expire', 'public.people', '', '{"target": "--due"}')
            """,
            """
            insert into usher.subject (operation, ordinal, key)
            select '\(bulk)', n, n::text from generate_series(1, \(parts * size)) n
            """,
            """
            insert into usher.operation (id, at, kind, outcome, command, parent, root, subjects, last, digest, payload)
            select md5(p::text)::uuid, '2026-01-01'::timestamptz + p * interval '1 second', 'batch', 'committed', 'trial expire',
                   '\(bulk)', 'public.people', u.keys, p * \(size), '',
                   jsonb_build_object('users', to_jsonb(u.keys), 'done', \(size), 'last', p * \(size))
              from generate_series(1, \(parts)) p
             cross join lateral (
                   select array_agg(n::text) as keys from generate_series((p - 1) * \(size) + 1, p * \(size)) n) u
            """,
            """
            insert into usher.change (operation, ordinal, digest, payload)
            select md5(p::text)::uuid, n - 1, '',
                   jsonb_build_object('table', 'public.people', 'key', jsonb_build_object('id', (p - 1) * \(size) + n),
                                      'before', '{"tier": "trial"}'::jsonb, 'after', '{"tier": "expired"}'::jsonb)
              from generate_series(1, \(parts)) p, generate_series(1, \(size)) n
            """,
            """
            insert into usher.operation (id, at, kind, outcome, command, parent, root, digest, payload)
            select '\(LedgerLab.id(2))', '2026-01-02', 'end', 'committed', 'trial expire', '\(bulk)', 'public.people', '',
                   jsonb_build_object('done', \(parts * size), 'refused', 0, 'changed', \(parts * size))
             where \(isDone)
            """, "vacuum analyze usher.operation", "vacuum analyze usher.change", "analyze usher.subject")
        return lab
    }

    /// The number of pages that the server reads when a query runs for the second time.
    private static func pages(_ question: Query, in lab: LedgerLab) throws -> Int {
        let connection = try lab.database.connect()
        _ = try connection.execute("begin")
        if let setting = question.setting { _ = try connection.execute(Query(unsafe: setting)) }
        _ = try connection.execute(question)
        let plan = try connection.execute(
            Query(unsafe: "explain (analyze, buffers, costs off, timing off) " + question.sql, question.parameters)
        ).rows.compactMap { $0.values[0].text }
        let buffers = try #require(plan.first { $0.contains("Buffers:") })
        // The line is "shared hit=7 read=1, temp read=2 written=2".
        return buffers.split { !$0.isNumber }.compactMap { Int($0) }.reduce(0, +)
    }

    /// An index with five times as many entries may be a level deeper, and each query reads several indexes.
    private static let levels = 10

    static let questions: [(String, Query)] = [
        ("list", Audit.lookUp("list", [nil, nil, nil, "50", nil])),
        ("list of a user", Audit.lookUp("list", [nil, nil, "{\(user)}", "50", nil])),
        ("timeline", Audit.lookUp("timeline", [user, nil, "100", nil])),
        ("timeline since then", Audit.lookUp("timeline", [user, "2025-12-31", "100", nil])),
        ("what is left to be done", Audit.lookUp("inbox", [user])),
        ("an operation", Audit.query("show", [bulk, bulk])),
        ("its first changes", Audit.query("changes", [bulk, "300"])),
        ("its first columns", Audit.query("columns", [bulk, "300", "true"])),
        (
            "what stays of somebody else",
            Query(unsafe: "select usher.remains('public.people', $1, 'id', 'bigint', '{nobody}')", [place])
        ),
        (
            "somebody else forgotten",
            Query(
                unsafe: "select usher.empty('\(bulk)', null, 'public.people', $1, 'id', 'bigint', '{nobody}', false)",
                [place])
        ),
    ]

    private static let place = #"{"schema": "public", "table": "people"}"#

    @Test(arguments: questions.map(\.0))
    func auditQueriesReadAtMostAFewMorePagesAfterALargerBulkChange(_ name: String) throws {
        let question = try #require(Self.questions.first { $0.0 == name }?.1)
        let few = try Self.pages(question, in: try Self.few.get())
        let many = try Self.pages(question, in: try Self.many.get())
        #expect(many <= few + Self.levels)
    }

    /// The last batch shows whether the bulk change has reached the user.
    @Test func inboxReadsOnlyTheLastBatchOfABulkChange() throws {
        let last = Audit.lookUp("inbox", [Self.user])
        let few = try Self.pages(last, in: try Self.lab(parts: 20, isDone: false))
        #expect(try Self.pages(last, in: try Self.lab(parts: 100, isDone: false)) <= few + Self.levels)
    }

    /// The server reads the changes batch by batch, and doesn't sort all of them.
    @Test func auditShowKeepsTheOrderOfChangedRows() throws {
        let connection = try Self.many.get().database.connect()
        for (question, key) in [
            (Audit.query("changes", [Self.bulk, nil]), #"{"id": \#(0)}"#),
            (Audit.query("columns", [Self.bulk, nil, "false"]), "id=0"),
        ] {
            let rows = try connection.execute(question).rows
            let keys = rows.map { $0.shown("key")?.text ?? "" }
            #expect(keys == (1...100 * Self.size).map { key.replacing("0", with: String($0)) })
            let plan = try connection.execute(
                Query(unsafe: "explain (analyze, buffers, costs off, timing off) " + question.sql, question.parameters)
            ).rows.compactMap { $0.values[0].text }.joined(separator: "\n")
            #expect(!plan.contains("temp read"))
        }
    }
}
