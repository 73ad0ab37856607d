import Foundation
import PQ
import Support
import Testing

@Suite struct ShowTests {
    @Test func userShowInAPipePrintsDecisionsQuotasAndPanelsWithoutColors() throws {
        let database = try TestCluster.database(of: "impulse").conninfo()
        let result = try Usher.run(["user", "show", "ada@example.com"], on: database)
        #expect(result.status == 0)
        #expect(result.errors == "")
        for part in ["ada@example.com", "paywall", "The trial ended at", "3 of 3", "Sessions"] {
            #expect(result.output.contains(part), "\(part)")
        }
        #expect(!result.output.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("impulse", "grace@example.com"), ("xtablo", "grace@example.com"), ("strikelab", "ada@example.com"),
        ("importer", "douglas@example.com"), ("langchat", "bjorn.chen@example.org"),
    ])
    func briefUserShowHasTwelveLinesAtMost(app: String, user: String) throws {
        let database = try TestCluster.database(of: app).conninfo()
        let brief = try Usher.run(["user", "show", user, "--brief"], on: database)
        #expect(brief.status == 0, "\(brief.errors)")
        #expect(brief.output.split(separator: "\n").count <= 12, "\(brief.output)")
        let whole = try Usher.run(["user", "show", user], on: database)
        let rest = whole.output.split(separator: "\n").dropFirst(brief.output.split(separator: "\n").count)
        #expect(rest.count > 12)
    }

    @Test(arguments: ["impulse", "xtablo", "strikelab", "importer", "langchat"])
    func userShowFindsASecondAccountByNameAndDevice(app: String) throws {
        let database = try MarkedDatabase.fresh(app)
        let users = "(select id from auth.users order by id limit 2)"
        let name =
            [
                "xtablo": "name = 'Twyla Twinner'", "importer": "name = 'Twyla Twinner'",
                "langchat": "first_name = 'Twyla', last_name = 'Twinner'",
            ][app]
        if let name { try database.run("update public.profiles set \(name) where id in \(users)") }
        try database.run(
            "update auth.users set raw_user_meta_data = '{\"full_name\": \"Twyla Twinner\"}' where id in \(users)",
            "delete from auth.sessions where user_id in \(users)",
            "insert into auth.sessions (id, user_id, ip, user_agent) select gen_random_uuid(), id, '203.0.113.9', 'Phone' from auth.users where id in \(users)"
        )
        let both = try database.connect().execute("select id::text from auth.users order by id limit 2").rows
            .compactMap { $0.values[0].text }
        let card = try Usher.run(["user", "show", both[0], "--json"], on: database.conninfo())
        let panels = try #require(try object(card.output)["panels"] as? [[String: Any]])
        let panel = try #require(panels.first { $0["title"] as? String == "Possible other accounts of this person" })
        let rows = try #require(panel["rows"] as? [[String: Any]])
        #expect(rows.map { $0["id"] as? String } == [both[1]])
        #expect(rows.map { $0["same"] as? String } == ["device, name"])
    }
}
