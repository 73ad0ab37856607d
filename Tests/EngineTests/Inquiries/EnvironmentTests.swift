import Asking
import Catalog
import Inquiries
import PQ
import Support
import Testing

/// What counts as production although it says something else.
@Suite struct EnvironmentTests {
    private func environment(of database: TestDatabase, role: String? = nil) throws -> Environment {
        try Inquiry.open(
            on: try database.connect(user: role), candidates: [try AppLibrary.app("impulse")],
            options: InquiryOptions(), isLast: true
        ).environment
    }

    @Test func aMarkIsBelieved() throws {
        let database = try TestCluster.database(of: "impulse")
        // A clone has another owner and another oid than its template, and the mark knows both.
        #expect(try environment(of: database).doubt?.contains("belongs to neither") == true)
        try database.run("alter database \(database.name) owner to operator")
        #expect(try environment(of: database).doubt?.contains("another database") == true)
        try Self.mark(database)
        #expect(try environment(of: database) == environment(of: database, role: "operator"))
        #expect(try environment(of: database).name == "test")
        #expect(try environment(of: database).doubt == nil)
    }

    /// What is done to a marked database, and what the doubt about it says.
    static let doubts: [(change: String, doubt: String)] = [
        ("drop schema usher cascade", "no environment is declared"),
        ("drop table usher.environment", "no environment is declared"),
        ("delete from usher.environment", "no environment is declared"),
        (
            """
            do $$ begin
              drop index usher.environment_is_one_row;
              insert into usher.environment select * from usher.environment;
            end $$
            """, "more than one environment is declared"
        ),
        (
            """
            do $$ begin
              alter table usher.environment rename to hidden;
              create view usher.environment as select * from usher.hidden;
              grant select on usher.environment to public;
            end $$
            """, "is not a table"
        ),
        ("update usher.environment set system_identifier = 1", "another database"),
        ("update usher.environment set database = 1", "another database"),
        ("alter schema usher owner to stranger", "belongs to neither"),
        (
            """
            do $$ begin
              alter table usher.environment drop constraint environment_name_check;
              update usher.environment set name = 'playground';
            end $$
            """, "no environment of the name playground"
        ),
        ("alter table usher.environment drop column database", "cannot be read"),
    ]

    @Test(arguments: doubts.indices) func whateverCannotBeBelievedIsProduction(_ index: Int) throws {
        let (change, doubt) = Self.doubts[index]
        let database = try TestCluster.database(of: "impulse")
        try Self.mark(database)
        try Self.strangerMade.get()
        try database.run(change)
        let found = try environment(of: database)
        #expect(found.name == "production")
        #expect(found.doubt?.contains(doubt) == true, "\(found.doubt ?? "none")")
    }

    @Test func whatAStrangerPutThereIsNotRun() throws {
        let database = try TestCluster.database(of: "impulse")
        try Self.strangerMade.get()
        try database.run(
            "drop schema usher cascade", "create sequence public.trap", "grant all on sequence public.trap to public",
            "create schema usher authorization stranger", "set role stranger",
            """
            create function usher.trap() returns text language sql volatile as $$ select nextval('public.trap')::text $$
            """,
            """
            create view usher.environment as
              select 'test' || left(usher.trap(), 0) as name, 1::bigint as system_identifier, 1::oid as database
            """, "grant usage on schema usher to public", "grant select on usher.environment to public", "reset role")
        #expect(try environment(of: database).doubt == "usher.environment is not a table")
        let calls = try database.connect().execute("select is_called from public.trap").first?.shown("is_called")?.text
        #expect(calls == "f")
    }

    @Test func anUnreadableMarkIsProduction() throws {
        let database = try TestCluster.database(of: "impulse")
        try Self.mark(database)
        try database.makeRole("mark_blind", "bypassrls")
        try database.run(
            "grant usage on schema auth, public to mark_blind", "grant select on auth.users, profiles to mark_blind",
            "revoke select on usher.environment from public")
        let found = try environment(of: database, role: "mark_blind")
        #expect(found.name == "production")
        #expect(found.doubt?.contains("permission denied") == true)
    }

    private static let strangerMade = Result { try TestCluster.emptyDatabase().makeRole("stranger") }

    private static func mark(_ database: TestDatabase) throws {
        try database.run(
            "alter database \(database.name) owner to operator",
            """
            update usher.environment e set database = d.oid from pg_database d where d.datname = current_database()
            """)
    }
}
