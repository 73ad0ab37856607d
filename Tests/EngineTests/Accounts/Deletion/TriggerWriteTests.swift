import Accounts
import AppFile
import Asking
import Catalog
import Foundation
import Grants
import Inquiries
import PQ
import Support
import Testing

/// What triggers write while an account goes is one list: survey, grants, plan, `app check` and residue answer from it alike.
@Suite struct TriggerWriteTests {
    private static let notes = [
        "create table notes (id int primary key, user_id uuid references users on delete cascade, topic int, body text)",
        "insert into notes values (1, '\(ErasureLab.ada)', 1, 'by ada@example.com'), (2, '\(ErasureLab.bob)', 1, 'b')",
    ]

    private static func trigger(
        _ name: String, _ body: String, on table: String = "notes", _ events: String = "delete", isOwner: Bool = true
    ) -> [String] {
        [
            """
            create function \(name)() returns trigger language plpgsql \(isOwner ? "security definer" : "")
            set search_path = public as $$ begin \(body) return null; end $$
            """, "create trigger \(name) after \(events) on \(table) for each row execute function \(name)()",
        ]
    }

    private static let copying = trigger("copy", "insert into copies (what) values (old.body);")
    private static let copies = ["create table copies (id int generated always as identity primary key, what text)"]

    private func grants(_ lab: ErasureLab, _ app: App) throws -> [String] {
        try RoleGrants.derive(on: try lab.database.connect(), candidates: [app], options: InquiryOptions())
            .grants.filter { $0.role == .eraser }.map(\.sql)
    }

    private func survey(_ lab: ErasureLab, _ app: App, _ answers: String...) throws -> Survey {
        try Survey.make(
            AccountRequest(users: []), answers: try answers.map { try Survey.Answer($0) },
            on: try lab.database.connect(), candidates: [app], options: InquiryOptions())
    }

    private func findings(_ lab: ErasureLab, _ app: App) throws -> [AppMistake] {
        try app.idleLines(on: try lab.database.connect(), options: InquiryOptions()).map(\.mistake)
    }

    /// A login that has the role and what is printed for it, and nothing else.
    private func eraser(_ lab: ErasureLab, _ app: App) throws -> String {
        let login = "eraser_alone"
        try lab.database.makeRole(login, "bypassrls in role usher_eraser")
        for grant in try grants(lab, app) { try lab.database.run(grant) }
        return login
    }

    private func residue(_ text: String, _ lab: ErasureLab, _ app: App, as role: String) throws -> Residue {
        try Residue.search(
            text, on: try lab.database.connect(user: role), candidates: [app], options: InquiryOptions(),
            progress: { _ in })
    }

    // MARK: Rows that are to be removed

    @Test func whatIsToBeRemovedIsGrantedToWhoeverRemovesIt() throws {
        let lab = try ErasureLab(twoUsersAnd: Self.notes + Self.copies + Self.copying)
        let app = try ErasureLab.app(["@written public.copies : remove : They tell."])
        let granted = try grants(lab, app)
        #expect(granted.contains("grant select, delete on public.copies to usher_eraser"), "\(granted)")
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app, role: try eraser(lab, app))
        #expect(report.isVerified && report.written.map(\.isRemoved) == [true])
        #expect(try lab.value("select count(*) from copies") == "0")
    }

    /// What a trigger does with rows that come is for whoever restores, who has the same role.
    @Test func whatBringingBackSetsOffIsGranted() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + ["create table news (n int primary key)"]
                + Self.trigger(
                    "tell", "if tg_op = 'INSERT' then insert into news values (new.id); end if;", "insert or delete",
                    isOwner: false))
        let granted = try grants(lab, try ErasureLab.app([]))
        #expect(granted.contains { $0.contains("insert") && $0.contains("public.news") }, "\(granted)")
        #expect(try lab.plan(ErasureLab.ada).written.isEmpty)
    }

    @Test func whatIsKeptNobodyMayTakeAway() throws {
        let lab = try ErasureLab(twoUsersAnd: Self.notes + Self.copies + Self.copying)
        let app = try ErasureLab.app(["@written public.copies : keep : The law."])
        #expect(try !grants(lab, app).contains { $0.contains("delete on public.copies") })
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app, role: try eraser(lab, app)).isVerified)
        #expect(try lab.value("select count(*) from copies") == "1")
    }

    @Test func whatWasToBeRemovedIsNamedAsLeft() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + Self.copies + Self.copying + ["insert into copies (what) values ('by eve@x.org')"]
        )
        for (answer, isSettled) in [("remove", false), ("keep", true)] {
            let app = try ErasureLab.app(["@written public.copies : \(answer) : They tell."])
            let residue = try residue("eve@x.org", lab, app, as: ErasureLab.hosted)
            #expect(residue.found.map(\.isSettled) == [isSettled] && residue.isClean == isSettled)
        }
    }

    // MARK: Rows that are changed

    private static let summaries = [
        "create table sums (topic int primary key, last text, n int)", "insert into sums values (1, '', 2)",
    ]

    @Test(arguments: [
        "update sums set last = old.body, n = n - 1 where topic = old.topic;",
        "insert into sums values (old.topic, old.body, 0) on conflict (topic) do update set last = excluded.last;",
        "execute 'update sums set last = $1 where topic = $2' using old.body, old.topic;",
    ])
    func whatTriggersChangeIsAskedAbout(statement: String) throws {
        let lab = try ErasureLab(twoUsersAnd: Self.notes + Self.summaries + Self.trigger("sum", statement))
        let app = try ErasureLab.app(["@mention public.notes.body : keep"])
        #expect(try !lab.delete(ErasureLab.ada, root: nil, app: app, dryRun: true).leftByTriggers.isEmpty)
        let asked = try survey(lab, app)
        #expect(asked.unsettled.map(\.name) == ["public.sums"])
        let line = try #require(asked.unsettled.first?.proposal.first?.line)
        #expect(line == "@written public.sums : keep")
        let settled = try ErasureLab.app(["@mention public.notes.body : keep", line + " : It counts."])
        #expect(try survey(lab, settled).isSettled && findings(lab, settled).isEmpty)
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: settled).isVerified)
    }

    /// A counter holds nobody, though a title stands beside it; nor is anything copied by what only a comment or a text says.
    @Test(arguments: [
        "update sums set n = n - 1 where topic = old.topic;", "-- update sums set last = old.body;\n",
        "raise notice 'never update sums set last = x';", "delete from sums where topic = -1;",
    ])
    func whatHoldsNobodyIsNotAskedAbout(statement: String) throws {
        let lab = try ErasureLab(twoUsersAnd: Self.notes + Self.summaries + Self.trigger("sum", statement))
        let app = try ErasureLab.app(["@mention public.notes.body : keep"])
        #expect(try survey(lab, app).unsettled.map(\.name) == [])
    }

    /// What one trigger writes sets off another.
    @Test func whatIsWrittenInTheSecondPlaceIsKnown() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + Self.copies + Self.copying + [
                "create table pages (path text primary key)", "insert into pages values ('/1')",
                "create table links (id int primary key, page text references pages on delete cascade)",
                "create table gone (what text)",
            ] + Self.trigger("wipe", "delete from pages where path = '/' || new.id;", on: "copies", "insert")
                + Self.trigger("tell", "insert into gone values (old.page);", on: "links"))
        let app = try ErasureLab.app([])
        #expect(try survey(lab, app).unsettled.map(\.name).contains("public.gone"))
        let plan = try lab.plan(ErasureLab.ada)
        #expect(plan.written.map(\.table).sorted() == ["public.copies", "public.gone"])
        #expect(try grants(lab, app).contains { $0.contains("select, insert on public.pages to") })
        try lab.database.run("revoke insert on pages from \(ErasureLab.hosted)")
        let (scratch, before) = (try Scratch(), try lab.everything())
        let archive = scratch.folder.appendingPathComponent("x").path
        let refusal = try failure {
            try lab.delete(ErasureLab.ada, root: nil, app: app, suspected: ["keep"]) { $0.archive = archive }
        }
        #expect(refusal.kind == .forbidden && "\(refusal.details)".contains("public.pages"), "\(refusal)")
        #expect(try lab.everything() == before)
    }

    /// Of numbers that this role may not read nobody knows whose they are, be they ever so small.
    @Test func numbersThatNobodyMayReadAreNotSearched() throws {
        let lab = try ErasureLab(
            "create table users (id int primary key, email text)", "insert into users values (7, 'ada@example.com')",
            "create table goods (id int primary key, shelf int, title text)", "insert into goods values (1, 7, 'x')")
        try lab.database.run(
            "revoke select on goods from \(ErasureLab.hosted)",
            "grant select (id, title) on goods to \(ErasureLab.hosted)")
        let found = try residue("7", lab, try ErasureLab.app([]), as: ErasureLab.hosted)
        #expect("\(found.unsearched)".contains("unreadable(columns: 1)"), "\(found.unsearched)")
    }

    // MARK: Rights

    /// What a trigger reads, counts and calls with the rights of whoever deletes is wanted beforehand, and printed.
    @Test(arguments: [
        ("update sums set n = n - 1 where topic = old.topic;", "select", "sums"),
        ("update sums s set n = (select max(g.n) from gauges g where g.id = old.id);", "select", "gauges"),
        ("insert into lists (what) values ('x');", "usage", "sequence lists_id_seq"),
        (
            "insert into copies (id, what) overriding system value values (nextval('tickets'), 'x');", "usage",
            "sequence tickets"
        ),
        ("perform tell(old.id);", "execute", "function tell(int)"),
        ("perform quiet(old.id);", "execute", "function quiet(int)"),
        ("insert into lists (id, what) values (1, 'x') on conflict (id) do nothing;", "select", "lists"),
    ])
    func whatTriggersNeedBesidesIsWantedBeforehand(body: String, right: String, object: String) throws {
        let tell = "(one int) returns void language sql set search_path = public"
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + Self.copies + [
                "create table sums (topic int primary key, n int)", "insert into sums values (1, 2)",
                "create table gauges (id int primary key, n int)", "create sequence tickets",
                "create table lists (id serial primary key, what text)",
                "create function tell\(tell) security definer as $$ insert into copies (what) values (one::text) $$",
                "create function quiet\(tell) as $$ select 1; $$",
                "revoke execute on function tell, quiet from public",
                "grant execute on function tell, quiet to \(ErasureLab.hosted)",
            ] + Self.trigger("follow", body, isOwner: false))
        let app = try ErasureLab.app(["@mention public.notes.body : keep"])
        try lab.grant()
        #expect(try lab.plan(ErasureLab.ada).obstacles.isEmpty)
        try lab.database.run("revoke \(right) on \(object) from \(ErasureLab.hosted)")
        let obstacles = try lab.plan(ErasureLab.ada).obstacles
        let version = try lab.database.connect().serverVersion
        if version < 18_00_00 {
            #expect(obstacles.count == 1 && obstacles.first?.code == .forbidden, "\(obstacles)")
            #expect(try #require(throws: Failure.self) { try lab.delete(ErasureLab.ada) }.kind == .forbidden)
        }
        let printed = try grants(lab, app)
        let name = object.split(separator: " ").last?.split(separator: "(").first.map(String.init) ?? ""
        #expect(
            printed.contains { $0.hasPrefix("grant") && $0.contains(right) && $0.contains("public.\(name)") },
            "\(printed)")
    }

    /// All that lines want to write and this role may not is told at once, by column.
    @Test func whatLinesWriteIsWantedBeforehand() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table posts (id int primary key, title text, body text, \"Tags\" text[], views int)",
            "insert into posts values (1, 'for ada@example.com', 'ada@example.com', '{ada@example.com}', 3)",
        ])
        let app = try ErasureLab.app([
            "@mention public.posts.title : anonymise", "@mention public.posts.body : anonymise",
            "@mention public.posts.\"Tags\" : detach",
        ])
        try lab.database.run(
            "revoke update on posts from \(ErasureLab.hosted)", "grant update (views) on posts to \(ErasureLab.hosted)")
        let refusal = try #require(throws: Failure.self) { try lab.delete(ErasureLab.ada, root: nil, app: app) }
        guard case .open(let obstacles, _)? = refusal.refusal as? ErasureRefusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(refusal.kind == .forbidden)
        #expect(obstacles == [.mayNot(MissingRight(.update, on: "public.posts", columns: ["Tags", "body", "title"]))])
        try lab.database.run("grant update (title, body, \"Tags\") on posts to \(ErasureLab.hosted)")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
    }

    // MARK: What nobody can read

    private static let composing = trigger(
        "audit", "execute format('insert into %I (what) values ($1)', tg_argv[0]) using old.body;")

    @Test func whatCannotBeReadIsDeclared() throws {
        let lab = try ErasureLab(twoUsersAnd: Self.notes + Self.copies)
        for statement in Self.composing {
            try lab.database.run(statement.replacing("function audit()\n", with: "function audit('copies')\n"))
        }
        try lab.database.run(
            "drop trigger audit on notes",
            "create trigger audit after delete on notes for each row execute function audit('copies')")
        let mention = "@mention public.notes.body : keep"
        func asked(_ lines: String...) throws -> [String] {
            try survey(lab, try ErasureLab.app([mention] + lines)).unsettled.map { "\($0.path) \($0.effect)" }
        }
        #expect(try asked() == ["public.audit ask"])
        #expect(try asked("@writes public.audit -> nothing") == [])
        #expect(try asked("@writes public.audit -> public.copies") == ["public.copies keep"])
        let lines = [mention, "@writes public.audit -> public.copies", "@written public.copies : remove : x"]
        let app = try ErasureLab.app(lines)
        #expect(try survey(lab, app).isSettled && findings(lab, app).isEmpty)
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: app, role: try eraser(lab, app)).isVerified)
        #expect(try lab.value("select count(*) from copies") == "0")
    }

    // MARK: Lines about nothing

    /// What an extension brings is not the app's to declare.
    @Test func whatExtensionsBringIsNotAskedAbout() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create extension lo",
            "create table pictures (id int primary key, user_id uuid references users on delete cascade, raster lo)",
            "create trigger clean before update or delete on pictures for each row execute function lo_manage(raster)",
        ])
        #expect(try survey(lab, try ErasureLab.app([])).unsettled.map(\.name) == [])
    }

    /// What a survey proposed may be about nothing once another line lets the rows stay that the trigger is for.
    @Test func linesAboutWhatNobodyWritesAreTold() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + Self.copies + Self.copying + Self.summaries + ["create table other (what text)"]
                + Self.trigger("sum", "update sums set last = old.body;"))
        func found(_ line: String) throws -> [AppMistake] { try findings(lab, try ErasureLab.app([line])) }
        #expect(try found("@written public.copies : remove : x") == [])
        #expect(try found("@written public.other : keep : x") == [.nobodyWrites(table: "public.other", unread: [])])
        #expect(try found("@written public.sums : keep : x") == [])
        #expect(try found("@written public.sums : remove : x") == [.onlyChanges(table: "public.sums")])
        for statement in ["create table pairs (what text)"]
            + Self.trigger("note", "insert into pairs values (old.body); update pairs set what = '';")
        { try lab.database.run(statement) }
        #expect(try found("@written public.pairs : remove : x") == [.changesToo(table: "public.pairs")])
        try lab.database.run("alter table pairs add id int generated always as identity primary key")
        #expect(try found("@written public.pairs : remove : x") == [])
        #expect(try found("@writes public.copy2 -> nothing") == [.noTrigger(function: "public.copy2")])
        func doubts(_ lines: String...) throws -> [Diagnostic.Severity] {
            try ErasureLab.app(lines).idleLines(on: try lab.database.connect(), options: InquiryOptions()).map(
                \.severity)
        }
        #expect(try doubts("@written public.copies : keep : x", "@keep public.notes : x") == [.warning])
        for statement in Self.composing { try lab.database.run(statement) }
        #expect(try doubts("@written public.other : keep : x") == [.warning])
    }

    // MARK: Residue

    /// Of what lines settle and nobody was given to read nothing is missing; of other columns it is.
    @Test func whatIsSettledAndNotForARoleIsSaidAndNotMissing() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + Self.copies + Self.copying + [
                "create table plays (id uuid primary key, title text)", "create table \"counts of it\" (n numeric)",
            ])
        let app = try ErasureLab.app([
            "@written public.copies : keep : x", "@mention public.plays.title : keep",
            "@mention public.notes.body : keep",
        ])
        let role = try eraser(lab, app)
        let whole = try residue("eve@x.org", lab, app, as: role)
        #expect(whole.isClean && whole.unsearched.isEmpty)
        try lab.database.run(
            "revoke select on copies, plays from usher_eraser", "revoke select (what) on copies from usher_eraser",
            "revoke select (title) on plays from usher_eraser")
        let clean = try residue("eve@x.org", lab, app, as: role)
        #expect(clean.isClean && clean.isWhole)
        #expect(
            clean.unsearched.map { "\($0.table) \($0.gap)" } == [
                "public.copies settled(columns: [\"what\"])", "public.plays settled(columns: [\"title\"])",
            ])
        try lab.database.run("create table late (title text)")
        let gaps = try residue("eve@x.org", lab, app, as: role).unsearched.map(\.gap)
        #expect(gaps.contains(.unreadable(columns: 1)))
        #expect(try !residue("eve@x.org", lab, app, as: role).isClean)
    }

    @Test func aLostConnectionIsNoSearchWithoutAnAppFile() throws {
        let lab = try ErasureLab(twoUsersAnd: [])
        let connection = try lab.database.connect()
        let victim = try connection.execute("select pg_backend_pid()").rows[0].values[0].text ?? ""
        try lab.database.run("select pg_terminate_backend(\(victim), 10000)")
        let failure = try failure {
            _ = try Residue.search(
                "eve@x.org", on: connection, candidates: [try ErasureLab.app([])], options: InquiryOptions(),
                progress: { _ in })
        }
        #expect(failure.kind == .connection)
    }

    // MARK: Counters

    private static let counted =
        [
            "create table topics (id int primary key, title text, n int)", "insert into topics values (1, 'All', 2)",
        ]
        + trigger(
            "tally",
            """
            update topics set n = n + case when tg_op = 'INSERT' then 1 else -1 end
             where id = case when tg_op = 'INSERT' then new.topic else old.topic end;
            """, "insert or delete")

    private func restore(_ path: String, _ lab: ErasureLab) throws -> RestoreReport {
        try Restore.open(
            path, reason: nil, isDryRun: false, on: try lab.database.connect(user: ErasureLab.hosted),
            options: InquiryOptions(), elsewhere: lab.database.elsewhere(user: ErasureLab.hosted)
        ).run(reason: nil, ticket: nil, isDryRun: false)
    }

    /// A counter is moved back by as much as it moved, wherever it stands meanwhile.
    @Test(arguments: [[0, 1], [1, 0]]) func countersAreMovedBackInAnyOrder(order: [Int]) throws {
        let lab = try ErasureLab(twoUsersAnd: Self.notes + Self.counted)
        let before = try lab.everything()
        let scratch = try Scratch()
        let people = [ErasureLab.ada, ErasureLab.bob]
        let paths = people.map { scratch.folder.appendingPathComponent($0).path }
        for (person, path) in zip(people, paths) { try lab.delete(person) { $0.archive = path } }
        for number in order { #expect(try restore(paths[number], lab).missed == []) }
        #expect(try lab.everything() == before)
    }

    /// Where nothing identifies a row, nobody could put it back, which whoever deletes knows before.
    @Test func countersWithoutAKeyAreToldBefore() throws {
        let unkeyed = Self.counted.map { $0.replacing("topics (id int primary key,", with: "topics (id int,") }
        for (statements, isTold) in [(Self.counted, false), (unkeyed, true)] {
            let lab = try ErasureLab(twoUsersAnd: Self.notes + statements)
            let told = try lab.plan(ErasureLab.ada).warnings.contains(.unarchived(["public.topics"]))
            let scratch = try Scratch()
            let path = scratch.folder.appendingPathComponent("x").path
            try lab.delete(ErasureLab.ada) { $0.archive = path }
            let missed = try restore(path, lab).missed
            #expect(told == isTold && missed.isEmpty != isTold, "\(missed)")
        }
    }

    @Test func whatElseWasChangedSinceIsTold() throws {
        let lab = try ErasureLab(
            twoUsersAnd: Self.notes + Self.counted
                + Self.trigger("name", "update topics set title = 'Without ' || old.id where id = old.topic;"))
        let scratch = try Scratch()
        let path = scratch.folder.appendingPathComponent("x").path
        try lab.delete(ErasureLab.ada) {
            $0.archive = path
            $0.account.answers = try AccountAnswers(columns: ["public.topics=keep"])
        }
        try lab.database.run("update topics set title = 'Mine'")
        #expect(try restore(path, lab).missed == [.changedSince(TableRows("public.topics", 1))])
    }

    /// What a row of a table between two others is known by are those others, of whom one stays.
    @Test func whoIsCountedIsNotWhoWent() throws {
        let lab = try ErasureLab(
            twoUsersAnd: [
                "alter table users add followers int not null default 1",
                """
                create table follows (who uuid references users on delete cascade, whom uuid references users on delete cascade,
                                      primary key (who, whom))
                """, "insert into follows values ('\(ErasureLab.ada)', '\(ErasureLab.bob)')",
            ]
                + Self.trigger(
                    "unfollow", "update users set followers = followers - 1 where id = old.whom;", on: "follows"))
        let report = try lab.delete(ErasureLab.ada, collateral: .delete)
        #expect(report.isVerified, "\(report.written)")
    }
}
