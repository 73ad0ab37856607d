import Foundation
import Support
import Testing

/// Every command prints every format.
@Suite(.waiting) struct FormatTests {
    private static let ada = "ada@example.com"

    private static func run(_ words: [String], _ more: [String]) throws -> Subprocess.Result {
        let connects = !words.starts(with: ["app", "list"])
        return try Usher.run(words + more, on: connects ? try SampleDatabase.conninfo : nil)
    }

    /// Commands, each with the name of its first column and one of the keys that it lists.
    static let commands: [(words: [String], column: String, key: String?)] = [
        (["user", "find", "ada@example.com"], "id", nil),
        (["user", "list", "--where", "partners", "--limit", "3"], "id", nil),
        (["user", "list", "--where", "due", "--decision", "access=active"], "id", nil),
        (["user", "show", "trial@example.com"], "id", "11111111-1111-1111-1111-111111111111"),
        (["user", "why", "trial@example.com"], "decision", "11111111-1111-1111-1111-111111111111"),
        (["user", "timeline", "trial@example.com"], "at", nil),
        (["quota", "show"], "name", "impulses"), (["quota", "show", "trial@example.com"], "name", "impulses"),
        (["app", "list"], "name", "importer"), (["app", "show"], "name", "impulse"),
        (["app", "show", "impulse"], "name", "impulse"), (["doctor"], "topic", "connection"),
    ]

    @Test(arguments: sample(commands.indices), ["table", "json", "ndjson", "csv", "tsv", "name"])
    func everyCommandWritesEveryFormat(_ index: Int, _ format: String) throws {
        let (words, column, key) = Self.commands[index]
        let result = try Self.run(words, ["-o", format])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        switch format {
        case "json":
            #expect(result.errors == "")
            #expect(lines.count == 1)
            _ = try JSONSerialization.jsonObject(with: Data(result.output.utf8))
        case "ndjson":
            #expect(result.errors == "")
            for line in lines { _ = try object(line) }
        case "csv", "tsv":
            #expect(lines.first?.split(separator: format == "csv" ? "," : "\t").first.map(String.init) == column)
        case "name":
            #expect(lines.allSatisfy { !$0.contains("\t") })
            if let key { #expect(lines.first.map(String.init) == key) }
        default:
            #expect(!result.output.contains("\u{1B}"))
        }
    }

    @Test func emptyListIsValidInEveryFormat() throws {
        let nobody = ["user", "list", "--where", "due", "--decision", "access=active"]
        let database = try SampleDatabase.conninfo
        #expect(try Usher.run(nobody + ["--json"], on: database).output == "[]\n")
        #expect(try Usher.run(nobody + ["-o", "ndjson"], on: database).output == "")
        #expect(try Usher.run(nobody + ["-o", "csv", "--fields", "email,id"], on: database).output == "email,id\n")
        #expect(try Usher.run(nobody, on: database).errors == "No rows found.\n")
        #expect(try Usher.run(nobody + ["-q"], on: database).errors == "")
        let unfound = ["user", "find", "zzz"]
        #expect(try Usher.run(unfound + ["--json"], on: database).output == "[]\n")
        #expect(try Usher.run(unfound + ["-o", "tsv", "--fields", "id"], on: database).output == "id\n")
        #expect(try Usher.run(unfound, on: database).errors.hasPrefix("No user found. Searched: id, email, "))
    }

    @Test(arguments: ["", "email,", "email,id,email"]) func usherRefusesEmptyAndDuplicateFields(_ fields: String) throws
    {
        let result = try Usher.run(
            ["user", "list", "--limit", "1", "--json", "--fields", fields], on: try SampleDatabase.conninfo)
        #expect(result.status == 2)
        #expect(result.output == "")
    }

    /// Commands, each with its CSV columns, and with the members of its JSON document if they differ from the columns.
    static let fields: [(words: [String], fields: String, members: String)] = [
        (["user", "find", "ada"], "tier,email", "tier,email"),
        (["user", "list", "--limit", "2"], "tier,id", "tier,id"),
        (["user", "show", ada], "email,tier", "app,user"), (["user", "why", ada], "outcome,decided", "at,decisions"),
        (["user", "timeline", ada], "title,at", "title,at"), (["quota", "show"], "users,name", "users,name"),
        (["quota", "show", ada], "limit,used", "limit,used"), (["app", "list"], "title", "title"),
        (["app", "show"], "title,name", "quotas,name"), (["doctor"], "health,topic", "health,topic"),
    ]

    @Test(.long, arguments: fields.indices) func fieldsOptionPrintsTheColumnsInItsOrder(_ index: Int) throws {
        let (words, fields, members) = Self.fields[index]
        let csv = try Self.run(words, ["-o", "csv", "--fields", fields])
        #expect(csv.output.hasPrefix(fields + "\n"))
        let table = try Self.run(words, ["--fields", fields])
        let heads = table.output.split(separator: "\n").first?.split(separator: " ").map(String.init)
        #expect(heads == fields.split(separator: ",").map(String.init))
        let json = try Self.run(words, ["-o", "ndjson", "--fields", members])
        let first = try object(try #require(json.output.split(separator: "\n").first))
        #expect(Set(first.keys) == Set(members.split(separator: ",").map(String.init)))
    }

    @Test(.long, arguments: sample(fields.indices), ["table", "json", "csv", "name"])
    func errorOfAnUnknownFieldListsTheFields(_ index: Int, _ format: String) throws {
        let (words, fields, members) = Self.fields[index]
        let result = try Self.run(words, ["-o", format, "--fields", "nope"])
        #expect(result.status == 2)
        #expect(result.output == "")
        #expect(result.errors.contains("there is no field nope"))
        for name in (format.hasSuffix("json") ? members : fields).split(separator: ",") {
            #expect(result.errors.contains(name), "\(name)")
        }
    }

    @Test func csvDistinguishesNullFromEmpty() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run(
            """
            update profiles set notification_email = E'a "b", c\nd', partner_source = null, email = ''
             where email = 'ada@example.com'
            """)
        let words = ["user", "show", "a \"b\", c\nd", "--fields", "notification_email,partner_source,email"]
        let csv = try Usher.run(words + ["-o", "csv"], on: database.conninfo())
        #expect(csv.output == "notification_email,partner_source,email\n\"a \"\"b\"\", c\nd\",,\"\"\n")
        let tsv = try Usher.run(words + ["-o", "tsv"], on: database.conninfo())
        #expect(tsv.output == "notification_email\tpartner_source\temail\na \"b\", c\\nd\t\\N\t\n")
    }
}
