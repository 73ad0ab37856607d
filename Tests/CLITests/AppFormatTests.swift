import Foundation
import Support
import Testing

/// `app format` formats app files, and editors get a list of directives.
@Suite struct AppFormatTests {
    private static let loose = "--  @app shop Shop\n-- @requires public.users\n-- @users\n\nselect 1;\n"
    private static let tidy = "-- @app shop  Shop\n-- @requires public.users\n\n-- @users\nselect 1;\n"

    @Test func appFormatWritesAFileOnlyIfItChanges() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "shop.sql", holding: Self.loose)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let done = try Usher.run(["app", "format", path])
        #expect(done.status == 0)
        #expect(done.errors.contains("is formatted"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.tidy)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        let number = attributes[.systemFileNumber] as? Int
        let again = try Usher.run(["app", "format", path])
        #expect(again.status == 0 && again.errors == "")
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int == number)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["shop.sql"])
    }

    @Test func appFormatKeepsASymbolicLink() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "shop.sql", holding: Self.loose)
        let link = scratch.folder.appendingPathComponent("link.sql").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        #expect(try Usher.run(["app", "format", link]).status == 0)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.tidy)
    }

    @Test func appFormatPrintsFormattedStandardInput() throws {
        let result = try Usher.run(["app", "format", "-"], input: Self.loose)
        #expect(result.output == Self.tidy && result.status == 0)
    }

    @Test func appFormatWithCheckReportsTheLineThatWouldChange() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "shop.sql", holding: Self.loose)
        let people = try Usher.run(["app", "format", "--check", path])
        #expect(people.status == 1)
        #expect(people.output.contains("\(path):1:1: error: this line is not formatted"))
        let github = try Usher.run(["app", "format", "--check", path, "-o", "github"])
        #expect(github.status == 1)
        #expect(github.output.hasPrefix("::error file=\(path),line=1,col=1::this line is not"))
        let rows = try objects(try Usher.run(["app", "format", "--check", path, "--json"]).output)
        #expect(rows.compactMap { $0["line"] as? Int } == [1])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == Self.loose)
        #expect(try Usher.run(["app", "format", path]).status == 0)
        #expect(try Usher.run(["app", "format", "--check", path]).status == 0)
    }

    @Test func appFormatDoesNotChangeAnyFileIfOneFileIsInvalid() throws {
        let scratch = try Scratch()
        let good = try scratch.path(of: "good.sql", holding: Self.loose)
        let broken = try scratch.path(of: "broken.sql", holding: "-- @panel P\nselect 'x;\n")
        let result = try Usher.run(["app", "format", good, broken])
        #expect(result.status == 1)
        #expect(result.errors.contains("broken.sql:2:8"))
        #expect(try String(contentsOfFile: good, encoding: .utf8) == Self.loose)
        #expect(try Usher.run(["app", "format", "/nowhere/x.sql"]).status != 0)
    }

    @Test func helpOfAppFormatSaysThatAppCheckFindsMistakes() throws {
        let unknown = Self.tidy + "-- @pannel  P\nselect 1;\n"
        let result = try Usher.run(["app", "format", "-"], input: unknown)
        #expect(result.status == 0 && result.output == unknown, "\(result)")
        let help = try Usher.run(["help", "app", "format"]).output.split(whereSeparator: \.isWhitespace)
        #expect(help.joined(separator: " ").contains("doesn't report mistakes; `app check` finds them"), "\(help)")
    }
}

/// `app check` by a role that can't read every table of the app file.
@Suite struct DeniedCheckTests {
    private static let file = """
        -- @app shop  Shop
        -- @requires shut.orders
        -- @users
        -- @key id
        -- @email email
        select u.id, u.email from public.people u;
        -- @panel Orders
        select o.total from shut.orders o where o.person = :user;
        -- @panel Letters
        select l.body from public.letters l where l.person = :user;
        """

    private func check(_ file: String, _ words: [String] = []) throws -> Subprocess.Result {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.people (id int primary key, email text)",
            "create table public.letters (person int, body text)", "create schema shut",
            "create table shut.orders (person int, total int)")
        let role = "checker_" + database.name.suffix(12)
        try database.makeRole(role, "")
        try database.run("grant select on public.people to \(role)")
        let scratch = try Scratch()
        return try Usher.run(
            ["app", "check", try scratch.path(of: "shop.sql", holding: file)] + words, on: database.conninfo(user: role)
        )
    }

    @Test func appCheckReportsMissingRightsOfTheRoleAsWarnings() throws {
        let result = try check(Self.file)
        #expect(result.status == 5)
        #expect(result.output.contains(":8:21: warning: permission denied for schema shut"))
        #expect(result.output.contains("your role lacks SELECT on public.letters"))
        #expect(result.output.contains("the app file may be right; run the check as the owner of the tables"))
        #expect(!result.output.contains("error"))
        #expect(result.errors.contains("your role can't read some tables or columns that the app file uses"))
    }

    @Test func appCheckFindsMistakesDespiteMissingRights() throws {
        let result = try check(Self.file.replacingOccurrences(of: "u.email from", with: "u.mail from"), ["--json"])
        #expect(result.status == 1)
        let findings = try objects(result.output)
        #expect(findings.filter { $0["severity"] as? String == "error" }.compactMap { $0["line"] as? Int } == [6])
        #expect(findings.contains { ($0["message"] as? String)?.contains("schema shut") == true })
    }
}
