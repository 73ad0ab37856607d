import AppFile
import Asking
import Inquiries
import PQ
import Support
import Testing

/// If row security may hide rows, usher doesn't report them as missing.
@Suite struct RowSecurityTests {
    private static let tables = "profiles, subscription_config, impulse_quota, iap_subscriptions, iap_transactions"

    /// The sample data, and a role with the right to read every table.
    ///
    /// Row security hides rows from this role unless a policy allows them.
    private func sample(role: String, visible: String...) throws -> Sample {
        let sample = try Sample()
        try sample.database.makeRole(role)
        try sample.database.run(
            "grant usage on schema auth, public to \(role)",
            "grant select on all tables in schema auth, public to \(role)",
            "grant execute on all functions in schema auth to \(role)")
        for table in visible {
            try sample.database.run("create policy support on \(table) for select to \(role) using (true)")
        }
        return sample
    }

    private static let hidesQuota = "row security hides rows of public.impulse_quota from rls_profiles"

    @Test func usherRefusesToReadUsersIfRowSecurityMayHideThem() throws {
        let sample = try sample(role: "rls_none")
        let works: [() throws -> Void] = [
            { _ = try sample.ask("ada@example.com", role: "rls_none") },
            { _ = try sample.ask("nobody@example.com", role: "rls_none") },
            { _ = try sample.list(ListOptions(), role: "rls_none") },
            {
                _ = try UserSearch.find(
                    "ada", limit: 1, on: try sample.database.connect(user: "rls_none"), candidates: [sample.app],
                    options: InquiryOptions())
            },
        ]
        for work in works {
            let error = try failure(of: work)
            #expect(error.kind == .forbidden)
            #expect(error.message == "row security hides rows of public.profiles from rls_none")
            #expect(error.hint?.contains("BYPASSRLS") == true)
        }
    }

    /// If row security applies, usher reads the policies before it shows a user.
    @Test func usherReadsUsersIfPoliciesShowAllRows() throws {
        let sample = try sample(role: "rls_open", visible: "profiles")
        func search() throws -> FoundUsers {
            try UserSearch.find(
                "ada@example.com", limit: 1, on: try sample.database.connect(user: "rls_open"),
                candidates: [sample.app], options: InquiryOptions())
        }
        #expect(try search().users.count == 1)
        #expect(!(try sample.list(ListOptions(), role: "rls_open").isEmpty))
        try sample.database.run(
            "create policy narrow on profiles as restrictive for select to rls_open using (email <> 'ada@example.com')")
        #expect(try failure { _ = try search() }.kind == .forbidden)
        #expect(try failure { _ = try sample.list(ListOptions(), role: "rls_open") }.kind == .forbidden)
    }

    /// If the role can read all users, an unknown email is "not found" although the policies hide rows of other tables.
    @Test(arguments: [("impulse", "rls_profiles"), ("strikelab", nil)])
    func userLookupReportsAnUnknownEmailAsNotFoundUnderRowSecurity(_ app: String, _ role: String?) throws {
        let sample = try role.map { try self.sample(role: $0, visible: "profiles") } ?? Sample(app)
        let error = try failure { _ = try sample.ask("nobody@example.com", role: role) }
        #expect(error.kind == .notFound, "\(error.message)")
    }

    @Test func userReportNamesPanelsWithHiddenRowsAndShowsTheOtherPanels() throws {
        let sample = try sample(role: "rls_profiles", visible: "profiles")
        let report = try sample.ask("ada@example.com", role: "rls_profiles")
        // An unprocessed purchase also decides about access, so the decision needs the hidden table.
        let access = try report.decision("access")
        #expect(access.outcome == nil)
        let reason = try #require(access.unavailable?.sentence)
        #expect(reason.hasPrefix("row security hides rows of ") && reason.hasSuffix(" from rls_profiles"))
        #expect(reason.contains("public.iap_webhook_events"))
        for unavailable in [
            try report.decision("create-impulse").unavailable, try report.decision("create-check-in").unavailable,
            try report.quota("impulses").unavailable,
        ] {
            #expect(unavailable?.sentence == Self.hidesQuota)
        }
        #expect(try report.decision("create-impulse").outcome == nil)
        #expect(try report.quota("impulses").usage == nil)
        for title in ["Store subscription", "Transactions", "Store webhooks"] {
            #expect(try report.panel(title).rows == nil)
            #expect(try report.panel(title).unavailable?.sentence.hasPrefix("row security hides") == true)
        }
        for title in ["Profile", "Sessions", "Sign-in methods"] {
            #expect(try report.panel(title).rows?.rows.isEmpty == false, "\(title)")
        }
        let hidden = try failure {
            _ = try sample.list(ListOptions(decision: ("create-impulse", "allowed")), role: "rls_profiles")
        }
        #expect(hidden.kind == .forbidden)
        #expect(hidden.hint?.contains("BYPASSRLS") == true)
        let summary = try Inquiry.open(
            on: try sample.database.connect(user: "rls_profiles"), candidates: [sample.app], options: InquiryOptions()
        ).quotas()
        for quota in summary {
            #expect(quota.rows == nil)
            #expect(quota.unavailable?.sentence == Self.hidesQuota)
        }
    }

    @Test func timelineReportsHiddenSources() throws {
        let sample = try sample(role: "rls_timeline", visible: "profiles")
        let report = try Inquiry.open(
            on: try sample.database.connect(user: "rls_timeline"), candidates: [sample.app], options: InquiryOptions(),
            for: .users
        ).timeline(of: "grace@example.com", since: nil, limit: 100)
        #expect(Set(report.unavailable.map(\.source)) == ["store", "payment", "content"])
        #expect(Set(report.events.map(\.source)) == ["account", "sign-in"])
    }

    @Test func userReportIsCompleteIfPoliciesShowAllRowsToTheRole() throws {
        let sample = try sample(
            role: "rls_all", visible: "profiles", "impulse_quota", "iap_subscriptions", "iap_transactions",
            "iap_webhook_events")
        let report = try sample.ask("grace@example.com", role: "rls_all")
        let whole = try sample.ask("grace@example.com")
        #expect(report.decisions.map(\.outcome) == whole.decisions.map(\.outcome))
        #expect(report.quotas.map(\.usage) == whole.quotas.map(\.usage))
        #expect(report.panels.map(\.rows) == whole.panels.map(\.rows))
        #expect(report.panels.allSatisfy { $0.unavailable == nil })
    }

    /// Policies on the table of users; `isOpen` is true if usher trusts these policies to show every row.
    static let policies: [(policies: [String], isOpen: Bool)] = [
        ([], false),
        (["for select using (true)"], true),
        (["for all using (true)"], true),
        (["for select to public using (true)"], true),
        (["for select to rls_group using (true)"], true),
        (["for select to rls_other using (true)"], false),
        (["for select using (id > 0)"], false),
        (["for select using (1 = 1)"], false),
        (["for update using (true)"], false),
        (["for insert with check (true)"], false),
        (["for select using (true)", "as restrictive for select using (id > 0)"], false),
        (["for select using (true)", "as restrictive for select to rls_other using (false)"], true),
        (["for select using (id > 0)", "for select using (true)"], true),
    ]

    @Test(arguments: policies.indices) func usherTrustsOnlyAnUnconditionalPolicyToShowEveryRow(_ index: Int) throws {
        let (policies, isOpen) = Self.policies[index]
        try Self.roles.get()
        let lab = try Lab("alter table people enable row level security", "grant select on people to rls_member")
        for (number, policy) in policies.enumerated() {
            try lab.database.run("create policy p\(number) on people \(policy)")
        }
        if isOpen {
            #expect(try lab.ask("1", "", role: "rls_member").user.key == "1")
        } else {
            #expect(try failure { _ = try lab.ask("1", "", role: "rls_member") }.kind == .forbidden)
        }
        #expect(try lab.ask("1", "").user.key == "1")
    }

    @Test func roleWithBypassRLSSeesUsersDespiteRowSecurity() throws {
        let lab = try Lab("alter table people enable row level security")
        try lab.database.makeRole("rls_bypass", "bypassrls")
        try lab.database.run("grant select on people to rls_bypass")
        #expect(try lab.ask("1", "", role: "rls_bypass").user.key == "1")
    }

    private static let roles = Result {
        let database = try TestCluster.emptyDatabase()
        try database.makeRole("rls_group")
        try database.makeRole("rls_other")
        try database.makeRole("rls_member", "in role rls_group")
    }
}
