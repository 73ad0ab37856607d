import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// usher counts all users by decisions, quotas and selections.
@Suite struct UserCountTests {
    private static let lab = Result {
        try Lab(
            "create table seats (person integer, used integer, most integer)",
            "insert into people (id) values (11), (12), (13)",
            "insert into seats values (11, 1, 5), (12, 9, 5), (13, 2, 2)")
    }

    private struct Counts {
        var decisions: [String: [String: String]] = [:]
        var quotas: [String: [String]] = [:]
        var selections: [String: Int] = [:]
    }

    private func counts(_ blocks: String) throws -> Counts {
        let app = try Lab.app(blocks)
        var counts = Counts()
        let report = try Inquiry.open(
            on: try Self.lab.get().database.connect(), candidates: [app], options: InquiryOptions()
        ).stats()
        for decision in report.decisions {
            let rows = try #require(decision.rows, "\(decision.unavailable as Any)")
            for row in rows.rows {
                let outcome = row.values[0].text ?? "no rule of the decision applies"
                counts.decisions[decision.name, default: [:]][outcome] = row.values[1].text
            }
        }
        for quota in report.quotas {
            let rows = try #require(quota.rows, "\(quota.unavailable as Any)")
            counts.quotas[quota.name] = rows.rows.map { row in
                row.columns.map(\.name).joined(separator: " ") + ": "
                    + row.values.map { $0.text ?? "-" }.joined(separator: " ")
            }
        }
        for selection in report.selections { counts.selections[selection.selection.name] = selection.users }
        return counts
    }

    /// Three decisions; only the decision `seat` declares assumptions.
    private static let seated = """
        -- @decision seat  Is a seat left?
        -- @assume used: integer = 7
        -- @assume most: integer
        select u.*, s.used, s.most as "limit", 'x' as period from users u left join public.seats s on s.person = u.id;
        -- @rule none  No seat.
        "limit" is null;
        -- @rule left  Some.
        used < "limit";
        -- @rule full  {used}.
        used = "limit";
        -- @rule over  More than there are.
        true;

        -- @decision odd  Is the number odd?
        select u.*, s.most % 2 as "limit" from users u left join public.seats s on s.person = u.id;
        -- @rule odd  It is.
        "limit" = 1;
        -- @rule even  It is not.
        true;

        -- @decision late  Did they come late?
        -- @rule late  They did.
        id > 11;
        -- @rule early  They did not.
        true;

        """

    @Test func statsCountTheUsersOfEachDecisionAndQuota() throws {
        let counts = try counts(
            Self.seated + "-- @quota none\nselect id, 1, 2, 'total', null::timestamptz from users where id < 3;\n")
        #expect(counts.decisions["seat"] == ["none": "3", "left": "1", "full": "1", "over": "1"])
        #expect(counts.decisions["odd"] == ["odd": "2", "even": "4"])
        #expect(counts.decisions["late"] == ["late": "2", "early": "4"])
        #expect(counts.quotas["none"] == ["limit period users used exhausted: 2 total 2 2 0"])
    }

    @Test func statsCountQuotaUsersByLimitAndPeriod() throws {
        let counts = try counts(
            """
            -- @define taken  Seats.
            select s.person, s.used, s.most, 'month' as period from public.seats s;
            -- @quota used
            select person, used, most, period, null::timestamptz from taken;
            -- @quota low
            select person, used * 1.5, 3, null, null::timestamptz from taken where used < 5;
            -- @quota open
            select person, used, null::integer, period, null::timestamptz from taken where used > 100;
            """)
        let names = "limit period users used exhausted: "
        #expect(counts.quotas["used"] == [names + "2 month 1 2 1", names + "5 month 2 10 1"])
        #expect(counts.quotas["low"] == [names + "3 - 2 4.5 1"])
        #expect(counts.quotas["open"] == nil || counts.quotas["open"] == [])
    }

    @Test(arguments: [
        "generate_series(1, 2) as again, s.used", "s.used, (select 1 / (u.id - 1)) as ratio",
        "s.used, count(*) over () as used_by",
    ])
    func statsCountAUserOnceForEachRowOfADecision(list: String) throws {
        let counts = try counts(
            """
            -- @decision one  One?
            select u.*, \(list) from users u left join public.seats s on s.person = u.id;
            -- @rule yes  Yes.
            used > 1;
            -- @rule no  No.
            true;
            -- @decision two  Two?
            select u.*, s.used from users u left join public.seats s on s.person = u.id;
            -- @rule yes  Yes.
            used > 1;
            -- @rule no  No.
            true;
            """)
        let times = list.contains("generate_series") ? 2 : 1
        #expect(counts.decisions["one"] == ["yes": "\(2 * times)", "no": "\(4 * times)"])
        #expect(counts.decisions["two"] == ["yes": "2", "no": "4"])
    }

    @Test func statsUseTheDefaultAssumptionOfEachDecision() throws {
        func decision(_ name: String, _ supposed: Int) -> String {
            """
            -- @decision \(name)  Is it?
            -- @assume most: integer = \(supposed)
            select u.*, coalesce(s.used, :most) as used from users u left join public.seats s on s.person = u.id;
            -- @rule much  Much.
            used > 5;
            -- @rule little  Little.
            true;

            """
        }
        let counts = try counts(decision("first", 6) + decision("second", 1))
        #expect(counts.decisions["first"] == ["much": "4", "little": "2"])
        #expect(counts.decisions["second"] == ["much": "1", "little": "5"])
    }

    @Test func statsCountTheSelectedUsersOfEachSelection() throws {
        let app = try Lab.app(
            Self.seated,
            header: """
                -- @app lab  Laboratory
                -- @requires public.people
                -- @users
                -- @key id
                -- @email email
                select p.* from public.people p;
                -- @select paying  Who pay.
                tier = 'paid';
                -- @select seen  Who were seen.
                seen < :now and exists (select from public.people x where x.id = facts.id);


                """)
        let report = try Inquiry.open(
            on: try Self.lab.get().database.connect(), candidates: [app], options: InquiryOptions()
        ).stats()
        #expect(report.users == 6)
        #expect(report.selections.map(\.users) == [1, 1])
    }
}
