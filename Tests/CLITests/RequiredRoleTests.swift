import Foundation
import Ledger
import PQ
import Support
import Testing

/// Screens show a support agent which commands need another role.
@Suite struct RequiredRoleTests {
    private static let shared = Result { try database(of: "front_desk") }

    /// A database with a support agent.
    private static func database(of agent: String) throws -> (database: TestDatabase, support: String) {
        let database = try MarkedDatabase.granted()
        try database.run("create role \(agent) login in role usher_support")
        return (database, database.conninfo(user: agent))
    }

    @Test func adviceNamesTheRoleThatTheCommandRequires() throws {
        let (database, support) = try Self.shared.get()
        let mine = try Usher.run(["user", "show", "ada@example.com"], on: support)
        #expect(mine.status == 0, "\(mine.errors)")
        let expire = "→ usher trial expire ada@example.com  (needs admin; add --request to request the change)\n"
        #expect(mine.output.contains(expire))
        #expect(mine.output.contains("Give more time: usher trial extend ada@example.com --days 7\n"))
        let owners = try Usher.run(["user", "show", "ada@example.com"], on: database.conninfo())
        #expect(!owners.output.contains("(needs admin"))
        let json = try object(try Usher.run(["user", "show", "ada@example.com", "--json"], on: support).output)
        let inbox = try #require(json["inbox"] as? [[String: Any]])
        #expect(inbox.map { $0["role"] as? String } == ["admin"])
    }

    @Test func checkNamesTheRoleThatARepairRequires() throws {
        let (_, support) = try Self.shared.get()
        let found = try Usher.run(["check", "trial-overdue"], on: support)
        let repair = "usher check trial-overdue --fix  (needs admin; add --request to request the change)\n"
        #expect(found.output.contains(repair), "\(found.output)\(found.errors)")
        let mine = try Usher.run(["check", "partner-flag"], on: support)
        #expect(mine.output.contains("usher check partner-flag --fix\n"), "\(mine.output)")
    }

    @Test func supportCanRunMildActionsButNotTheActionsOfAnAdmin() throws {
        let (_, support) = try Self.shared.get()
        for words in ["trial extend ada@example.com --days 3", "quota reset grace@example.com"] {
            let done = try Usher.run(words.split(separator: " ").map(String.init) + ["-n"], on: support)
            #expect(done.status == 0, "\(words): \(done.errors)")
        }
        let refused = try Usher.run(
            ["partner", "grant", "ada@example.com", "--source", "marketing", "-n"], on: support)
        #expect(refused.status == 5)
        #expect(refused.errors.contains("needs the role usher_admin"))
        let uninstall = try Usher.run(["uninstall", "--discard-audit", "-n"], on: support)
        #expect(
            uninstall.status == 5
                && uninstall.errors.hasPrefix("usher: your role can't remove usher: permission denied"),
            "\(uninstall.errors)")
        let quota = try Usher.run(["quota", "set", "trial", "impulse_limit", "5", "-n"], on: support)
        #expect(
            quota.errors.contains("`quota impulse_limit` needs the role usher_admin")
                && quota.errors.contains("hint: to ask somebody with this role, run the command again with --request"),
            "\(quota.errors)")
    }

    /// No role can force a test state in production, so usher suggests no request.
    @Test func testStateCannotBeRequestedInProduction() throws {
        let (database, support) = try Self.database(of: "state_desk")
        try database.run("update usher.environment set name = 'production'")
        let refused = try Usher.run(["state", "force", "ada@example.com", "trial-expired"], on: support)
        #expect(refused.status == 3, "\(refused.errors)")
        #expect(refused.errors.contains("test states can't be used in production"), "\(refused.errors)")
        #expect(!refused.errors.contains("--request"), "\(refused.errors)")
    }

    /// usher reports the missing role first, and doesn't record an attempt without a reason.
    @Test func usherReportsAMissingRoleBeforeAMissingReason() throws {
        let (database, support) = try Self.database(of: "night_desk")
        try database.run("update usher.environment set name = 'production'")
        let grant = ["partner", "grant", "alan@example.com", "--source", "marketing"]
        let forbidden = try Usher.run(grant, on: support)
        #expect(forbidden.status == 5, "\(forbidden.errors)")
        #expect(forbidden.errors.contains("needs the role usher_admin"))
        let unexplained = try Usher.run(["trial", "extend", "alan@example.com", "--days", "3"], on: support)
        #expect(unexplained.status == 3 && unexplained.errors.contains("reason"), "\(unexplained.errors)")
        let tried = try objects(
            try Usher.run(["audit", "list", "--user", "alan@example.com", "--json"], on: support).output)
        #expect(tried.map { $0["outcome"] as? String } == ["refused"])
    }

    @Test func helpNamesTheRequiredRole() throws {
        let (_, support) = try Self.shared.get()
        let help = try Usher.run(["--app", "impulse", "help", "partner"], on: support).output
        #expect(help.contains("grant") && help.contains("or until a date. (admin)"))
        let grant = try Usher.run(["partner", "grant", "--help"], on: support).output
        #expect(grant.contains("Requires the role admin") && grant.contains("--request"))
        #expect(
            try Usher.run(["account", "delete", "--help"], on: support).output.contains("--request")
        )
        #expect(!(try Usher.run(["account", "restore", "--help"], on: support).output.contains("--request asks")))
    }

    /// TAB offers only some of many matches, and inserts only their common beginning.
    @Test func completionMarksAnIncompleteList() throws {
        let database = try MarkedDatabase.fresh()
        try database.run(
            """
            insert into auth.users (id, instance_id, email)
            select md5('john' || n)::uuid, '00000000-0000-0000-0000-000000000000', 'john.a' || n || '@example.com'
              from generate_series(1, 60) n
            """,
            """
            insert into auth.users (id, instance_id, email)
            values (md5('johnny')::uuid, '00000000-0000-0000-0000-000000000000', 'johnny@example.com')
            """)
        let patient = ["USHER_COMPLETION_SECONDS": "20"]
        let many = try Usher.run(["__complete", "user", "show", "john"], on: database.conninfo(), environment: patient)
        #expect(many.output.hasSuffix("\njohn…\n"), "\(many.output)")
        let one = try Usher.run(["__complete", "user", "show", "johnn"], on: database.conninfo(), environment: patient)
        #expect(one.output == "johnny@example.com\n")
    }
}
