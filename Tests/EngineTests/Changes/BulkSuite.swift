import Acts
import AppFile
import Asking
import Changes
import Foundation
import PQ
import Support
import Synchronization
import Testing

/// Runs bulk changes of 1,200 users.
protocol BulkSuite {}

extension BulkSuite {
    static var app: String {
        """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p;
        -- @select due  Users who are due.
        seen <= :now and tier = 'trial';

        -- @decision access  Does this person get in?
        -- @rule in  Paid.
        tier = 'paid';
        -- @rule out  Not paid.
        true;

        -- @decision mood  Is this person glad?
        -- @rule any  As everybody is.
        true;

        -- @action trial expire  Ends trials.
        -- @select due
        -- @expect access out
        -- @refuse This one stays.
        score = 13;
        -- @warn The score is close to nine.
        score = 8;
        -- @do
        update public.people set tier = 'expired', seen = least(seen, :now) where id = any(:users);

        -- @action trial extend  One more.
        -- @select due
        -- @do
        update public.people set score = score + 1 where id = any(:users);

        -- @action trial note  Note each user, in the order of the score.
        -- @select due
        -- @each score
        -- @do
        insert into public.log (person) values (:user);
        """
    }

    /// 1,200 users, all of them due.
    func lab(
        _ statements: String..., rule: String = "tier = 'paid';", extension: String = "score = score + 1",
        blocks: String = ""
    ) throws -> ChangeLab {
        let database = try Lab.withLedger().database
        let app = Self.app.replacing("tier = 'paid';", with: rule).replacing("score = score + 1", with: `extension`)
        let connection = try database.connect()
        let fill = [
            "truncate public.people",
            "create table public.log (id bigint generated always as identity primary key, person integer)",
            """
            insert into public.people
            select n, 'u' || n || '@example.com', 'trial', 'glad', n % 10, '2026-01-01' from generate_series(1, 1200) n
            """,
        ]
        for statement in fill + statements + ["analyze public.people"] {
            _ = try connection.execute(Query(unsafe: statement))
        }
        return try ChangeLab(database, try Lab.app(app + blocks, header: ""))
    }

    func request(_ verb: String, _ change: (inout ChangeRequest) -> Void = { _ in }) -> ChangeRequest {
        var request = ChangeRequest(.action(noun: "trial", verb: verb))
        request.selections = ["due"]
        change(&request)
        return request
    }

    /// Runs a bulk change to its end, or until this number of batches is done.
    func run(_ lab: ChangeLab, _ request: ChangeRequest, until batches: Int = .max) throws -> BulkReport {
        let session = try lab.bulk(request)
        _ = try session.plan()
        var left = batches
        return try session.run { _ in
            left -= 1
            return left > 0
        }
    }

    /// Compares the audit log with the tables: one change for each changed row, with the current values.
    func audit(_ lab: ChangeLab, rows: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        #expect(try lab.value("select count(*) from usher.change") == String(rows), sourceLocation: sourceLocation)
        #expect(
            try lab.value("select count(distinct payload -> 'key') from usher.change") == String(rows),
            "no row twice", sourceLocation: sourceLocation)
        #expect(
            try lab.value(
                """
                select count(*) from usher.change c join public.people p on p.id = (c.payload -> 'key' ->> 'id')::integer
                 where not to_jsonb(p) @> (c.payload -> 'after')
                """) == "0", sourceLocation: sourceLocation)
        #expect(try lab.isIntact(), sourceLocation: sourceLocation)
    }

    func outcome(_ lab: ChangeLab, _ operation: String?) throws -> String? {
        try lab.value("select usher.outcome('\(operation ?? "")')")
    }
}
