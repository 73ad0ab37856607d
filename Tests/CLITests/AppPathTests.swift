import Foundation
import Support
import Testing

/// App files in folders: usher finds them, chooses the one that fits, and compares their digests.
@Suite struct AppPathTests {
    private static func file(_ name: String, _ more: String = "") -> String {
        """
        -- @app \(name)  The \(name)
        -- @requires public.profiles.subscription_tier
        -- @users
        -- @key id
        -- @email email
        select p.id, p.email from public.profiles p;
        \(more)
        """
    }

    private func run(_ arguments: [String], in folder: String, on conninfo: String? = nil) throws -> Subprocess.Result {
        try Usher.run(arguments, on: conninfo, environment: ["USHER_APP_PATH": folder])
    }

    @Test func ownAppFileWinsOverABuiltInAppFile() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "mine.sql", holding: Self.file("mine"))
        _ = try scratch.path(of: "part.sql", holding: "-- @define part  Of another.\nselect 1;\n")
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let database = try TestCluster.database(of: "impulse").conninfo()
        let shown = try run(["app", "show", "--json"], in: folder, on: database)
        let page = try #require(try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any])
        #expect(page["name"] as? String == "mine")
        #expect(page["file"] as? String == path)
        #expect((page["digest"] as? String)?.count == 64)
        #expect(page["installed"] is NSNull)
        let listed = try run(["app", "list", "-o", "tsv"], in: folder).output.split(separator: "\n").dropFirst()
        #expect(listed.first?.hasPrefix("mine\t") == true)
        #expect(!listed.contains { $0.hasPrefix("part\t") })
        #expect(try run(["app", "show", "mine", "-o", "name"], in: folder).output == "mine\n")
        #expect(try Usher.run(["app", "show", "-o", "name"], on: database).output == "impulse\n")
    }

    /// Checking another person's app file never shows other files of the machine.
    @Test func includeCannotLeaveTheFolderOfTheAppFile() throws {
        let scratch = try Scratch()
        let secret = try scratch.path(of: "pgpass", holding: "localhost:5432:*:me:SECRETPASS\n")
        let outside = URL(fileURLWithPath: secret).deletingLastPathComponent()
        let folder = outside.appendingPathComponent("apps")
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("deep"), withIntermediateDirectories: true)
        let part = "-- @define part  A part.\nselect 'SECRETPASS' as word;\n"
        for (name, text) in [
            ("part.sql", part), ("deep/part.sql", part), ("plain.sql", "me:SECRETPASS"), ("bytes", "SECRETPASS\u{0}"),
        ] {
            try text.write(to: folder.appendingPathComponent(name), atomically: false, encoding: .utf8)
        }
        try part.write(to: outside.appendingPathComponent("part.sql"), atomically: false, encoding: .utf8)
        for (link, target) in [
            ("link.sql", "../pgpass"), ("linked", ".."), ("inside.sql", "deep/part.sql"), ("absolute.sql", secret),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: folder.appendingPathComponent(link).path, withDestinationPath: target)
        }
        #expect(unsafe mkfifo(folder.appendingPathComponent("fifo.sql").path, 0o600) == 0)
        func check(_ name: String) throws -> Subprocess.Result {
            let file = folder.appendingPathComponent("app.sql")
            try Self.file("mine").replacing("-- @users", with: "-- @include \(name)\n-- @users")
                .write(to: file, atomically: false, encoding: .utf8)
            return try Usher.run(["app", "check", file.path], on: try TestCluster.database(of: "impulse").conninfo())
        }
        for name in ["./part.sql", "deep/part.sql", "./inside.sql", "part"] {
            let result = try check(name)
            #expect(result.status == 0, "\(name): \(result.output)\(result.errors)")
        }
        for name in [
            secret, "/dev/zero", "../pgpass", "./../pgpass", "deep/../../pgpass", "deep/../part.sql", "../part.sql",
            "./link.sql", "./absolute.sql", "./linked/pgpass", "linked/part.sql", "./fifo.sql", "./deep", "fifo",
            "./plain.sql", "plain", "./bytes",
        ] {
            let result = try check(name)
            #expect(result.status == 1, "\(name)")
            let output = result.output + result.errors
            #expect(output.contains("@include \(name)"), "\(name): \(output)")
            #expect(!output.contains("SECRETPASS"), "\(name): \(output)")
            #expect(!output.contains("did you mean \(name)?"), "\(name): \(output)")
        }
    }

    /// An operator can name any file of the machine, so usher prints only the name of a file that is not an app file.
    @Test func usherDoesNotRepeatTheContentOfAFileThatIsNotAnAppFile() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "x.sql", holding: "localhost:5432:*:me:SECRETPASS\n")
        for command in [
            ["app", "check", path], ["app", "check", path, "-o", "github"], ["user", "list", "--app", path],
        ] {
            let result = try Usher.run(command, on: try TestCluster.database(of: "impulse").conninfo())
            #expect(result.status != 0)
            #expect((result.output + result.errors).contains("x.sql"))
            #expect(!(result.output + result.errors).contains("SECRETPASS"), "\(result.output)\(result.errors)")
        }
    }

    @Test func appFileUsesAnOptionalTableThatExists() throws {
        let scratch = try Scratch()
        let more = """
            -- @stat limits  The number of limits.
            select 'all', count(*) from public.iap_subscriptions;
            -- @account
            -- @root public.profiles.id
            -- @optional public.iap_subscriptions
            """
        let path = try scratch.path(of: "mine.sql", holding: Self.file("mine", more))
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let database = try TestCluster.database(of: "impulse").conninfo()
        let fitting = try run(["stats", "--json", "-q"], in: folder, on: database).output
        #expect(fitting.contains(#""name":"limits""#), "\(fitting)")
    }

    @Test func appShowReportsWhetherTheAppFileIsInstalled() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "mine.sql", holding: Self.file("mine"))
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let copy = try TestCluster.database(of: "impulse")
        try copy.run("alter database \(copy.name) owner to operator")
        let database = copy.conninfo()
        let installing = try run(["install"], in: folder, on: database)
        #expect(installing.status == 0, "\(installing.output)\(installing.errors)")
        #expect(try run(["app", "show"], in: folder, on: database).output.contains("This version is installed."))
        _ = try scratch.path(of: "mine.sql", holding: Self.file("mine", "-- changed"))
        let other = try run(["app", "show"], in: folder, on: database).output
        #expect(other.contains("The installed version is "))
    }

    @Test func invalidAppFileIsReportedAndNotReplacedByABuiltInOne() throws {
        let scratch = try Scratch()
        let path = try scratch.path(of: "broken.sql", holding: "-- @app broken\n-- @requires public.profiles\n")
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let database = try TestCluster.database(of: "impulse").conninfo()
        let result = try run(["user", "list", "--limit", "1"], in: folder, on: database)
        #expect(result.status != 0)
        #expect(result.errors.contains("broken.sql:1:1: error: the file has no @users"))
        // usher still uses a valid app file that fits.
        _ = try scratch.path(of: "mine.sql", holding: Self.file("mine"))
        #expect(try run(["user", "list", "--limit", "1"], in: folder, on: database).status == 0)
    }

    @Test func appInitDraftsTheAccountLinesOfASurvey() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id bigserial primary key, email text not null)",
            "create table orders (id bigserial primary key, user_id bigint references users)",
            "create table audits (id bigserial primary key, user_id bigint, body text)",
            "insert into users (email) select 'u' || i || '@example.com' from generate_series(1, 50) i",
            "insert into audits (user_id) select i % 50 + 1 from generate_series(1, 100) i", "analyze")
        let result = try Usher.run(["app", "init", "shop"], on: database.conninfo())
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("-- @refers public.audits.user_id -> public.users.id"), "\(result.output)")
        let scratch = try Scratch()
        let path = try scratch.path(of: "shop.sql", holding: result.output)
        let check = try Usher.run(["app", "check", path, "--json", "-q"], on: database.conninfo())
        #expect(check.output == "[]\n")
        let survey = try Usher.run(["account", "survey", "--check", "--app", path], on: database.conninfo())
        #expect(survey.status == 0, "\(survey.output)")
    }

    /// The tables, as Rails creates them, have no foreign keys; a second table looks like users.
    ///
    /// One column gets no proposal.
    @Test func appInitDraftsAnAppFileForTablesWithoutForeignKeys() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table accounts (id bigserial primary key, name text, support_email text)",
            "create table users (id bigserial primary key, email text, name text)",
            "create table account_users (id bigserial primary key, account_id bigint, user_id bigint)",
            "create table logs (id bigserial primary key, owner_type text, owner_id bigint)",
            "insert into users (email) select 'u' || i || '@example.com' from generate_series(1, 50) i",
            "insert into logs (owner_type, owner_id) select 'Zeppelin', i from generate_series(1, 50) i", "analyze")
        func draft(_ root: String...) throws -> String {
            let result = try Usher.run(["app", "init", "shop"] + root, on: database.conninfo())
            #expect(result.status == 0, "\(result.errors)")
            let scratch = try Scratch()
            let path = try scratch.path(of: "shop.sql", holding: result.output)
            let check = try Usher.run(["app", "check", path, "--json", "-q"], on: database.conninfo())
            #expect(check.output == "[]\n")
            return result.output
        }
        let users = try draft()
        #expect(users.contains("-- @root public.users.id") && users.contains(" where t.user_id = :user"), "\(users)")
        #expect(users.contains("-- public.logs.owner_id, ask: "), "\(users)")
        let accounts = try draft("--root", "accounts")
        #expect(accounts.contains("-- @root public.accounts.id") && accounts.contains(" where t.account_id = :user"))
        let nowhere = try Usher.run(["app", "init", "--root", "account"], on: database.conninfo())
        #expect(nowhere.status == 4 && nowhere.errors.contains("there is no table account"))
    }

    /// A generated column can't be set to null, so the draft deletes the row with the user.
    @Test(.long, arguments: ["impulse", "importer", "langchat", "strikelab", "xtablo"])
    func appFileFromAppInitPassesAppCheck(app: String) throws {
        let database = try MarkedDatabase.fresh(app)
        try database.run("analyze")
        let draft = try Usher.run(["app", "init", "drafted"], on: database.conninfo())
        #expect(draft.status == 0, "\(draft.errors)")
        let scratch = try Scratch()
        let path = try scratch.path(of: "drafted.sql", holding: draft.output)
        let check = try Usher.run(["app", "check", path, "--json", "-q"], on: database.conninfo())
        #expect(check.output == "[]\n")
    }

    @Test func appDiffShowsTheDifferencesOfTwoAppFiles() throws {
        let scratch = try Scratch()
        func version(_ sentence: String, _ condition: String) throws -> String {
            let text = Self.file(
                "mine", "-- @decision d  D?\n-- @rule a  \(sentence)\n\(condition);\n-- @rule b  B.\ntrue;")
            return try scratch.path(of: "v\(sentence.count)\(condition.count).sql", holding: text)
        }
        let old = try version("Pays.", "id is not null")
        let result = try Usher.run(["app", "diff", old, try version("Has paid.", "id is not null"), "--json"])
        #expect(result.status == 0)
        let page = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
        #expect(page["same"] as? Bool == false)
        let changes = try #require(page["changes"] as? [[String: Any]])
        #expect(changes.map { $0["change"] as? String } == ["removed", "added"])
        #expect((changes.last?["line"] as? String)?.hasSuffix("Has paid.") == true)
        #expect(
            try Usher.run(["app", "diff", old, old]).output.contains("Both versions are identical."))
        let other = try Usher.run(["app", "diff", old, try version("Pays.", "email is not null")])
        #expect(other.output.contains("They differ elsewhere, for example in SQL or in @account."))
    }
}
