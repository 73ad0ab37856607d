import AppFile
import Changes
import PQ
import Support
import Testing

/// The key of the users can have a type with a length or a scale, or a type that ignores letter case.
@Suite struct KeyTypeTests {
    private static let app = """
        -- @app lab  Laboratory
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.* from public.people p;
        -- @select unpaid  Users who did not pay.
        tier = 'free';
        -- @decision access  Does this person get in?
        -- @rule in  Paid.
        tier = 'paid';
        -- @rule out  Not paid.
        true;
        -- @action trial grant  Give a user access.
        -- @select unpaid
        -- @expect access in
        -- @do
        update public.people set tier = 'paid' where id = any(:users);
        """

    private func lab(_ type: String, _ keys: [String]) throws -> ChangeLab {
        let database = try Lab.withLedger().database
        let connection = try database.connect()
        for statement in [
            "create extension if not exists citext", "create domain public.code as char(8)", "drop table public.people",
            "create table public.people (id \(type) primary key, email text, tier text default 'free')",
        ] {
            _ = try connection.execute(Query(unsafe: statement))
        }
        for (number, key) in keys.enumerated() {
            let row = "insert into public.people (id, email) values ('\(key)', 'u\(number)@example.com')"
            _ = try connection.execute(Query(unsafe: row))
        }
        return try ChangeLab(database, try Lab.app(Self.app, header: ""))
    }

    @Test(arguments: [
        ("char(8)", ["A", "A0000001"]), ("code", ["A", "A0000001"]), ("bit(8)", ["10000000", "11111111"]),
        ("bit varying(8)", ["1", "11"]), ("numeric(6,2)", ["1.00", "1.01"]), ("citext", ["ada", "ADAM"]),
        ("timestamptz(0)", ["2026-01-01 00:00:00+00", "2026-01-01 00:00:01+00"]), ("\"char\"", ["a", "b"]),
        ("varchar(4)", ["a b", "a  b"]), ("interval", ["1 day", "25 hours"]), ("inet", ["10.0.0.1", "10.0.0.1/8"]),
    ]) func changeDoesNotConfuseSimilarKeys(type: String, keys: [String]) throws {
        let lab = try lab(type, keys)
        let before = try lab.everything()
        for number in keys.indices {
            let report = try lab.run(.action("trial", "grant", on: "u\(number)@example.com"))
            #expect(report.changes.count == 1)
            #expect(
                try lab.rows("select email from people where tier = 'paid'") == [["u\(number)@example.com"]], "\(type)")
            try lab.undo(report.operation)
            #expect(try lab.everything() == before)
        }
        var all = ChangeRequest(.action(noun: "trial", verb: "grant"))
        all.selections = ["unpaid"]
        let session = try lab.session(all)
        #expect(try session.plan().changes.count == keys.count)
    }

    @Test func previewListsSelectedUsersByEmail() throws {
        let lab = try lab("integer", ["1", "2"])
        var all = ChangeRequest(.action(noun: "trial", verb: "grant"))
        all.selections = ["unpaid"]
        #expect(try lab.plan(all).subjects.map(\.label) == ["u0@example.com", "u1@example.com"])
    }
}
