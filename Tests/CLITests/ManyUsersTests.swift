import Foundation
import Support
import Testing

/// What `app check` and `doctor` look at where all users are many, by what the server believes: a row is as dear there as a
/// thousand elsewhere.
@Suite(.long) struct ManyUsersTests {
    private static let file = """
        -- @app big  Big
        -- @requires public.people
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email from public.people p;
        -- @decision role  Which role?
        select u.id, u.email, r.role from users u join public.roles r on r.person_id = u.id;
        -- @rule one  {role} it is.
        true;
        -- @quota roles
        select r.person_id, count(*), 3, 'total', null::timestamptz from public.roles r group by r.person_id;
        -- @account
        -- @root public.people.id
        """

    private func database(twice person: Int, isDear: Bool = true) throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.people (id bigint primary key, email text not null)",
            "create table public.roles (person_id bigint not null references public.people, role text not null)",
            "insert into public.people select i, 'u' || i || '@example.com' from generate_series(1, 3000) i",
            "insert into public.roles select i, 'r' from generate_series(1, 3000) i",
            "insert into public.roles values (\(person), 's')", "create index on public.roles (person_id)", "analyze",
            isDear ? "alter database \(database.name) set cpu_tuple_cost = 100" : "select 1")
        return database
    }

    private func run(_ words: [String], twice person: Int, isDear: Bool = true) throws -> Subprocess.Result {
        let scratch = try Scratch()
        let path = try scratch.path(of: "big.sql", holding: Self.file)
        let database = try database(twice: person, isDear: isDear)
        return try Usher.run(["--app", path] + words, on: database.conninfo())
    }

    @Test func whatShowsAmongSomeIsFound() throws {
        let result = try run(["app", "check"], twice: 7)
        #expect(result.status == 1)
        #expect(result.output.contains("@decision role has several rows with the key 7"), "\(result)")
    }

    @Test func whatWasNotLookedAtIsSaid() throws {
        let result = try run(["app", "check"], twice: 2900)
        #expect(result.status == 0)
        let said = result.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(said.contains("one row a user was looked for of 1000 of them alone: "), "\(said)")
        let health = try run(["doctor"], twice: 2900)
        #expect(
            health.output.contains("looked for of 1000 of them alone"), "\(health.output)")
    }

    @Test func whereAllAreFewAllAreLookedAt() throws {
        let result = try run(["app", "check"], twice: 2900, isDear: false)
        #expect(result.status == 1)
        #expect(!result.errors.contains("1000"))
    }
}
