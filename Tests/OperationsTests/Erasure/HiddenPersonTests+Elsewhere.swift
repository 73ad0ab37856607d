import Operations
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
        #expect(suspects.first?.why.contains(isThere ? "foreign" : "cannot be looked into") == true)
        let residue = try residue("ada@example.com", lab)
        #expect((isThere ? residue.found.map(\.table) : residue.unsearched.map(\.table)).contains("public.remote"))
        #expect(try !lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try lab.delete(ErasureLab.bob, suspected: ["keep"]).isVerified)
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
        let check = try AccountCheck.make(
            AccountRequest(users: [], root: try RootName("users")),
            on: try lab.database.connect(user: ErasureLab.hosted),
            candidates: [], options: InquiryOptions())
        #expect(check.suspects.map(\.name) == ["public.letters.mail"])
        #expect(check.hidden == ["public.events.mail"])
        let suspects = try lab.plan(ErasureLab.ada).suspects
        #expect(suspects.map(\.name) == ["public.events.mail", "public.letters.mail", "public.letters_far.mail"])
        #expect(suspects.first?.why.contains("cannot be looked into") == true)
        #expect(try !lab.delete(ErasureLab.ada, suspected: ["delete"]).isVerified)
        #expect(try lab.delete(ErasureLab.bob, suspected: ["keep"]).isVerified)
    }
}
