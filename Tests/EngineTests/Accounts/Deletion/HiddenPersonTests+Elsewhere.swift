import Accounts
import AppFile
import Asking
import LocalCluster
import PQ
import Support
import Testing

/// Persons whom tables of other servers name.
extension HiddenPersonTests {
    // MARK: Other servers

    @Test(arguments: [true, false]) func foreignTablesAreSearchedAndLeft(isThere: Bool) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create extension file_fdw", "create server files foreign data wrapper file_fdw",
            """
            create foreign table remote (id int, user_mail text) server files
            options (program 'echo 7\(isThere ? ",ada@example.com" : "")', format 'csv')
            """,
        ])
        let suspects = try lab.plan(ErasureLab.ada).suspects
        #expect(suspects.map(\.name) == ["public.remote.user_mail"])
        #expect(suspects.first.map { ($0.trouble == nil) == isThere && (!isThere || $0.isForeign) } == true)
        let residue = try residue("ada@example.com", lab)
        #expect((isThere ? residue.found.map(\.table) : residue.unsearched.map(\.table)).contains("public.remote"))
        for answer in ["delete", "public.remote.user_mail=detach"] {
            let refusal = try failure { try lab.delete(ErasureLab.ada, suspected: [answer]) }
            #expect(refusal.kind == .refused && refusal.details.contains { $0.contains("user_mail=keep") })
        }
        #expect(try lab.value("select count(*) from users") == "2")
        // What nobody could look into may hold whom it likes.
        let report = try lab.delete(ErasureLab.bob, suspected: ["keep"])
        #expect(report.isVerified == isThere)
        #expect(report.doubts.isEmpty == isThere)
    }

    /// What another server holds is read, and never written; its rows are not counted here.
    @Test func rowsOfOtherServersAreNoTargets() throws {
        let there = try TestCluster.emptyDatabase()
        try there.run(
            "create table away (person uuid, text text)", "insert into away values ('\(ErasureLab.ada)', 'hers')")
        let lab = try ErasureLab(twoUsersAnd: [
            "create extension postgres_fdw",
            """
            create server there foreign data wrapper postgres_fdw
                options (host '\(there.cluster.socketFolder)', dbname '\(there.name)')
            """,
            """
            create user mapping for public server there
                options (user '\(there.cluster.superuser)', password_required 'false')
            """,
            "create foreign table away (person uuid, text text) server there",
            "create table parts (person uuid, text text) partition by list (text)",
            "create table parts_here partition of parts for values in ('here')",
            "create foreign table parts_there partition of parts for values in ('hers') server there options (table_name 'away')",
            "insert into parts values ('\(ErasureLab.bob)', 'here')",
        ])
        func app(_ lines: String...) throws -> App { try ErasureLab.app(lines) }
        let away = "@reference public.away.person -> public.users.id"
        let parts = "@reference public.parts.person -> public.users.id"
        func refusal(_ app: App) throws -> Failure {
            try failure { try lab.delete(ErasureLab.ada, root: nil, app: app, suspected: ["keep"]) }
        }
        let direct = try refusal(try app(away))
        #expect(direct.kind == .refused && direct.details.contains { $0.contains("@keep public.away`") })
        // A row belongs to the whole, and only that can stay.
        #expect(
            try refusal(try app(parts)).details.contains {
                $0.contains("public.parts_there is a foreign table") && $0.contains("`@keep public.parts`")
            })
        #expect(try lab.value("select count(*) from users") == "2")
        // Nor are they what triggers may write.
        try lab.database.run(
            "create function tell() returns trigger language plpgsql as $$ begin "
                + "update public.away set text = null where person = old.id; return old; end $$",
            "create trigger tell before delete on users for each row execute function tell()")
        let told = try failure { try lab.delete(ErasureLab.bob, root: nil, app: try app(parts), suspected: ["keep"]) }
        #expect(
            told.kind == .refused && told.details.contains { $0.contains("changes rows of public.away") }, "\(told)")
        #expect(told.hint?.contains("disable trigger tell") == true, "\(told)")
        // What they add may stay there where a line says so, in parts of a table, too.
        try lab.database.run(
            "create or replace function tell() returns trigger language plpgsql as $$ begin "
                + "insert into public.parts (text) values ('hers'); return old; end $$")
        let adding = try failure { try lab.delete(ErasureLab.bob, root: nil, app: try app(parts), suspected: ["keep"]) }
        #expect(adding.details.contains { $0.contains("adds rows to public.parts, of which parts") }, "\(adding)")
        #expect(adding.hint?.contains("`@written public.parts : keep`") == true, "\(adding)")
        let settled = try app(parts, "@written public.parts : keep : It is counted there.")
        #expect(try lab.delete(ErasureLab.bob, root: nil, app: settled, suspected: ["keep"]).isVerified)
        try lab.database.run("drop trigger tell on users")
        #expect(try lab.value("select count(*) from parts") == "2")
        let kept = try app(
            away, "@keep public.away : It is told there.", parts, "@keep public.parts : So is this.")
        #expect(try lab.delete(ErasureLab.ada, root: nil, app: kept, suspected: ["keep"]).isVerified)
        #expect(try lab.value("select count(*) from away") == "2")
    }

    @Test func partitionsOfOtherServersSpoilNoSearch() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create foreign data wrapper nowhere", "create server far foreign data wrapper nowhere",
            "create table events (id int, mail text) partition by list (id)",
            "create table events_here partition of events for values in (1, 2) partition by list (id)",
            "create table events_1 partition of events_here for values in (1)",
            "create foreign table events_far partition of events for values in (3) server far",
            "insert into events values (1, 'ada@example.com')",
            "create table letters (mail text)", "insert into letters values ('ada@example.com')",
            "create foreign table letters_far () inherits (letters) server far",
        ])
        let residue = try residue("ada@example.com", lab)
        #expect(residue.found.map(\.table) == ["public.events_1", "public.letters", "public.users"])
        #expect(residue.unsearched.map(\.table) == ["public.events_far", "public.letters_far"])
        let survey = try Survey.make(
            AccountRequest(users: [], root: try AccountRoot.Name("users")),
            on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [], options: InquiryOptions())
        #expect(survey.unsettled.map(\.name) == ["public.letters.mail"])
        #expect(survey.hidden == ["public.events.mail", "public.letters_far.mail"])
        let suspects = try lab.plan(ErasureLab.ada).suspects
        #expect(suspects.map(\.name) == ["public.events.mail", "public.letters.mail", "public.letters_far.mail"])
        #expect(suspects.first?.trouble != nil)
        let refusal = try failure { try lab.delete(ErasureLab.ada, suspected: ["delete"]) }
        #expect(refusal.kind == .refused && refusal.details.contains { $0.contains("public.letters_far.mail=keep") })
        let answers = ["delete", "public.letters_far.mail=keep"]
        #expect(try !lab.delete(ErasureLab.ada, suspected: answers).isVerified)
        #expect(try !lab.delete(ErasureLab.bob, suspected: ["keep"]).isVerified)
    }
}
