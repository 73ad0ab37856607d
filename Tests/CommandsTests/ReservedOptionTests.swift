import AppFile
import Asking
import Commands
import Inquiries
import Support
import Testing

/// An app file can't declare an option name that usher uses.
@Suite struct ReservedOptionTests {
    @Test func reservedOptionsIncludeGlobalOptionsAndThoseOfEachKindOfCommand() throws {
        let globals: Set<String> = ["reason", "ticket", "at", "timeout", "db", "json", "yes", "dry-run", "help"]
        for block in ["action", "list", "object"] {
            #expect(globals.isSubset(of: try #require(AppVerbs.taken[block])), "\(block)")
        }
        #expect(AppVerbs.taken["action"]?.isSuperset(of: ["from", "resume"]) == true)
        for block in ["list", "object"] {
            #expect(AppVerbs.taken[block]?.isSuperset(of: ["limit", "sort"]) == true, "\(block)")
        }
        #expect(AppVerbs.taken["object"]?.isSuperset(of: ["since", "until", "user"]) == true)
        #expect(AppVerbs.taken["list"]?.contains("from") == false)
    }

    @Test(arguments: AppLibrary.names) func noBuiltInAppDeclaresAReservedOption(name: String) throws {
        #expect(try AppLibrary.examine(name, taken: AppVerbs.taken).findings.flatMap(\.report) == [])
    }

    @Test(arguments: [
        (
            "reason",
            """
            -- @action gift give  A gift.
            -- @option reason: prize | apology = prize
            -- @do
            update public.people set gift = :reason where id = any(:users);
            """
        ),
        // Every list has these two options.
        ("limit", Self.list("limit")), ("sort", Self.list("sort")),
    ])
    func appFileThatDeclaresAReservedOptionIsRefused(name: String, block: String) throws {
        let scratch = try Scratch()
        let file = try scratch.path(
            of: "gift.sql",
            holding: """
                -- @app gift  Gifts
                -- @requires public.people
                -- @users
                -- @key id
                select p.id from public.people p;
                \(block)

                """)
        let failure = #expect(throws: Failure.self) { try CommandSession().candidates(file) }
        let report = try #require(failure).details.joined(separator: "\n")
        #expect(report.contains(":7:12:"), "\(report)")
        #expect(report.contains("`--\(name)` is already an option of usher"), "\(report)")
    }

    private static func list(_ option: String) -> String {
        """
        -- @list gift list  Gifts.
        -- @option \(option)?: text
        select p.id from public.people p where p.gift = :\(option);
        """
    }
}
