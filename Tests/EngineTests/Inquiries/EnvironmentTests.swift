import Asking
import Catalog
import Inquiries
import PQ
import Support
import Testing

/// A database counts as production unless its declared environment can be trusted.
@Suite struct EnvironmentTests {
    private func environment(of database: TestDatabase, role: String? = nil) throws -> Environment {
        try Inquiry.open(
            on: try database.connect(user: role), candidates: [try AppLibrary.app("impulse")],
            options: InquiryOptions(), isLast: true
        ).environment
    }

    @Test func usherTrustsTheEnvironmentOnlyIfItRecordsThisDatabase() throws {
        let database = try TestCluster.database(of: "impulse")
        // A clone has another owner and another oid than its template, and the environment records both.
        #expect(try environment(of: database).doubt == Self.foreign)
        try database.run("alter database \(database.name) owner to operator")
        #expect(try environment(of: database).doubt == Self.copied)
        try Self.mark(database)
        #expect(try environment(of: database) == environment(of: database, role: "operator"))
        #expect(try environment(of: database).name == "test")
        #expect(try environment(of: database).doubt == nil)
    }

    private static let undeclared = "the database has no declared environment"
    private static let noTable = "usher.environment is not a table"
    private static let foreign = "the schema usher belongs to neither the database's owner nor a superuser"
    private static let copied = "the database is a copy, and its environment was declared for the original"

    /// Changes to a database with an environment, and the reason why usher no longer trusts the environment.
    static let doubts: [(change: String, doubt: String)] = [
        ("drop schema usher cascade", undeclared),
        ("drop table usher.environment", undeclared),
        ("delete from usher.environment", undeclared),
        (
            """
            do $$ begin
              drop index usher.environment_is_one_row;
              insert into usher.environment select * from usher.environment;
            end $$
            """, "the database declares more than one environment"
        ),
        (
            """
            do $$ begin
              alter table usher.environment rename to hidden;
              create view usher.environment as select * from usher.hidden;
              grant select on usher.environment to public;
            end $$
            """, noTable
        ),
        ("update usher.environment set system_identifier = 1", copied),
        ("update usher.environment set database = 1", copied),
        ("alter schema usher owner to stranger", foreign),
        (
            """
            do $$ begin
              alter table usher.environment drop constraint environment_name_check;
              update usher.environment set name = 'playground';
            end $$
            """, "playground is not an environment"
        ),
    ]

    @Test(arguments: doubts.indices) func doubtfulEnvironmentCountsAsProduction(_ index: Int) throws {
        let (change, doubt) = Self.doubts[index]
        let database = try TestCluster.database(of: "impulse")
        try Self.mark(database)
        try Self.strangerMade.get()
        try database.run(change)
        let found = try environment(of: database)
        #expect(found.name == "production")
        #expect(found.doubt == doubt)
    }

    @Test func usherReadsTheEnvironmentWithoutRunningCodeOfAForeignSchemaOwner() throws {
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
        #expect(try environment(of: database).doubt == Self.noTable)
        let calls = try database.connect().execute("select is_called from public.trap").first?.shown("is_called")?.text
        #expect(calls == "f")
    }

    @Test func environmentTableWithAMissingColumnCountsAsProduction() throws {
        let database = try TestCluster.database(of: "impulse")
        try Self.mark(database)
        try database.run("alter table usher.environment drop column database")
        let found = try environment(of: database)
        #expect(found.name == "production")
        #expect(found.doubt?.hasPrefix("usher can't read the environment") == true, "\(found)")
    }

    @Test func unreadableEnvironmentCountsAsProduction() throws {
        let database = try TestCluster.database(of: "impulse")
        try Self.mark(database)
        try database.makeRole("mark_blind", "bypassrls")
        try database.run(
            "grant usage on schema auth, public to mark_blind", "grant select on auth.users, profiles to mark_blind",
            "revoke select on usher.environment from public")
        let found = try environment(of: database, role: "mark_blind")
        #expect(found.name == "production")
        #expect(found.doubt?.contains("permission denied") == true, "\(found)")
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
