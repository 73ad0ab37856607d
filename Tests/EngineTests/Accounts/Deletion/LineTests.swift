import Accounts
import AppFile
import Asking
import PQ
import Support
import Testing

/// What lines say together, and what they cannot do: said before anything goes.
@Suite struct LineTests {
    /// A line that keeps rows, and one that takes the person out of a column of theirs.
    @Test func rowsStayAndTheColumnLosesThePerson() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table bills (id int primary key, user_id uuid references users on delete set null, email text)",
            """
            insert into bills values (1, '\(ErasureLab.ada)', 'ada@example.com'), (2, '\(ErasureLab.bob)', 'bob@example.com'),
                (3, null, 'ada@example.com')
            """,
        ])
        let app = try ErasureLab.app([
            "@keep public.bills : Ten years.", "@mention public.bills.email : anonymise",
        ])
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.account.isThorough = false }
        #expect(report.isVerified, "\(report.suspects) \(report.leftByTriggers)")
        #expect(try lab.value("select count(*) from bills") == "3")
        #expect(try lab.rows("select id from bills where email like '%@%' order by id") == [["2"]])
    }

    @Test func rowsThatNobodyCanTellStayAndThePlanSaysSo() throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table notes (id int primary key, user_id uuid references users on delete cascade)",
            "insert into notes values (1, '\(ErasureLab.ada)')",
            "create table feed (line text)", "insert into feed values ('hello')",
            """
            create function tell() returns trigger language plpgsql as $$ begin
                insert into feed values ('user ' || old.user_id);
                update feed set line = line || '!' where line like 'hello%';
                return null;
            end $$
            """, "create trigger tell after delete on notes for each row execute function tell()",
        ])
        let app = try ErasureLab.app(["@written public.feed : remove : It names who went."])
        let report = try lab.delete(ErasureLab.ada, root: nil, app: app) { $0.account.isThorough = false }
        #expect(report.plan.written.map(\.fate) == [.untold])
        #expect(report.leftByTriggers.map(\.why) == [.untold] && !report.isVerified)
    }

    @Test(arguments: [("\(ErasureLab.ada)", true), ("\(ErasureLab.bob)", false)])
    func sharedRowsDoNotGoOverToWhoGoes(heir: String, isRefused: Bool) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            """
            create table teams (id int primary key, lead uuid references users on delete cascade,
                                deputy uuid references users on delete cascade)
            """,
            "insert into teams values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
        ])
        let app = try ErasureLab.app(["@collateral public.teams : reassign = '\(heir)' : They go on."])
        guard isRefused else {
            #expect(try lab.delete(ErasureLab.ada, root: nil, app: app).isVerified)
            #expect(try lab.value("select lead from teams") == ErasureLab.bob)
            return
        }
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) }
        guard case .open(let obstacles, _)? = refusal.refusal as? ErasureRefusal else {
            Issue.record("\(refusal)")
            return
        }
        #expect(obstacles == [.reassigned(table: "public.teams")])
        #expect(try lab.value("select count(*) from users") == "2")
    }

    /// A key of nobody, no value at all, what is no key, and several of them.
    @Test(arguments: [
        "'00000000-0000-4000-8000-000000000000'", "null", "'nobody'", "(select id from public.users)",
    ])
    func sharedRowsGoOverToOneWhoIsThere(heir: String) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            """
            create table teams (id int primary key, lead uuid references users on delete cascade,
                                deputy uuid references users on delete cascade)
            """,
            "insert into teams values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
        ])
        let app = try ErasureLab.app(["@collateral public.teams : reassign = \(heir) : They go on."])
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) }
        #expect(refusal.kind == .refused)
        switch refusal.refusal {
        case ErasureRefusal.open(let obstacles, _):
            #expect(obstacles == [.reassigned(table: "public.teams", toNobody: true)])
        case AccountRefusal.noHeir(let table, to: _, _): #expect(table == "public.teams")
        default: Issue.record("\(refusal)")
        }
        #expect(try lab.value("select count(*) from users") == "2")
    }

    /// Rows that are shared through another table than the users' go over to a row of that table, and what helps says so.
    @Test(arguments: ["'\(ErasureLab.bob)'", "'00000000-0000-4000-8000-000000000000'", "(select id from public.accts)"])
    func sharedRowsGoOverToARowOfWhatTheyReferTo(heir: String) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            "create table accts (id uuid primary key default gen_random_uuid(), user_id uuid not null unique references users on delete cascade)",
            "insert into accts (user_id) select id from users",
            """
            create table projects (id int primary key, acct uuid references accts on delete cascade,
                                   other uuid references accts on delete cascade)
            """,
            "insert into projects select 1, a.id, b.id from accts a, accts b where a.user_id < b.user_id",
        ])
        let app = try ErasureLab.app(["@collateral public.projects : reassign = \(heir) : They go on."])
        let refusal = try failure { try lab.delete(ErasureLab.ada, root: nil, app: app) }
        #expect(refusal.kind == .refused)
        switch refusal.refusal {
        case ErasureRefusal.open(let obstacles, _):
            #expect(obstacles == [.reassigned(table: "public.projects", to: "public.accts", toNobody: true)])
            #expect("\(refusal.details)\(refusal.hint ?? "")".contains("row of public.accts"), "\(refusal)")
        case AccountRefusal.noHeir(_, to: let table, _):
            #expect(table == "public.accts" && refusal.hint?.contains("row of public.accts") == true)
        default: Issue.record("\(refusal)")
        }
    }

    /// What the database refuses of rows that a line settles, another line helps, and no answer.
    @Test(arguments: [true, false]) func whatHelpsWhereSharedRowsMayNotBeChanged(isReassigned: Bool) throws {
        let (ada, bob) = (ErasureLab.ada, ErasureLab.bob)
        let lab = try ErasureLab(twoUsersAnd: [
            "insert into users values ('cccccccc-0000-4000-8000-000000000001', 'eve@example.com')",
            """
            create table chats (id int primary key, a uuid references users on delete cascade,
                                b uuid references users on delete cascade, unique (a, b), check (a is not null))
            """,
            "insert into chats values (1, '\(ada)', '\(bob)'), (2, 'cccccccc-0000-4000-8000-000000000001', '\(bob)')",
        ])
        let fate = isReassigned ? "reassign = 'cccccccc-0000-4000-8000-000000000001'" : "keep"
        let app = try ErasureLab.app(["@collateral public.chats : \(fate) : They go on."])
        let refusal = try failure { try lab.delete(ada, root: nil, app: app) }
        #expect(refusal.hint?.contains("--collateral") == false, "\(refusal)")
        #expect(refusal.hint?.contains("@collateral") == true)
        #expect(refusal.message.contains("cannot be emptied") != isReassigned)
        let open = try failure { try lab.delete(ada, collateral: .keep) }
        #expect(open.hint?.contains("--collateral delete") == true, "\(open)")
    }

    /// What a line says of shared rows no answer changes, so none is named for it.
    @Test(arguments: [nil, "@collateral public.teams : keep : They go on."])
    func whatHelpsWhereSharedRowsCannotStay(line: String?) throws {
        let lab = try ErasureLab(twoUsersAnd: [
            """
            create table teams (id int primary key, lead uuid not null references users on delete cascade,
                                deputy uuid not null references users on delete cascade)
            """,
            "insert into teams values (1, '\(ErasureLab.ada)', '\(ErasureLab.bob)')",
        ])
        let app = try ErasureLab.app([line].compactMap(\.self))
        let refusal = try failure {
            try lab.delete(ErasureLab.ada, root: nil, app: app, collateral: line == nil ? .keep : .delete)
        }
        #expect("\(refusal.details)".contains("--collateral") == (line == nil), "\(refusal.details)")
        #expect("\(refusal.details)".contains("@collateral") == (line != nil), "\(refusal.details)")
    }
}
