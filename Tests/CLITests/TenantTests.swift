import Foundation
import PQ
import Support
import Testing

/// One app file describes the schemas of many customers.
@Suite(.waiting) struct TenantTests {
    /// A database with a schema for each customer, and one app file for all of them.
    private struct Shops {
        static let plain = ["shop_a", "shop_b", "shop_C \"Ltd\"; --"]
        let database: TestDatabase
        let folder: URL
        var path: String { folder.appendingPathComponent("shop.sql").path }

        /// The app file; a long suite runs it over a thousand schemas too.
        static let text =
            (try? String(
                contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                    path: "../Fixtures/shop.sql"), encoding: .utf8)) ?? ""

        init(_ names: [String] = plain, _ text: String = text, audited: Bool = false) throws {
            database = audited ? try MarkedDatabase.fresh() : try TestCluster.emptyDatabase()
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("shops-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for (index, name) in names.enumerated() { try add(name, index + 1) }
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }

        static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

        func add(_ name: String, _ number: Int) throws {
            let schema = Self.quoted(name)
            try database.run(
                """
                do $shop$ begin
                create schema \(schema);
                create table \(schema).people (id bigint primary key, email text not null, paid boolean not null);
                create unique index on \(schema).people (email);
                create table \(schema).orders (no bigint primary key, person bigint references \(schema).people, at timestamptz);
                insert into \(schema).people
                values (1, 'own\(number)@example.com', true), (2, 'ada@example.com', false),
                       (\(100 + number), 'late\(number)@example.com', false);
                insert into \(schema).orders values (\(number), 1, '2026-01-01'), (\(10 * number), 2, '2026-01-02');
                end $shop$
                """)
        }

        func run(_ words: String..., environment: [String: String?] = [:]) throws -> Subprocess.Result {
            try run(words, environment: environment)
        }

        func run(_ words: [String], environment: [String: String?] = [:]) throws -> Subprocess.Result {
            try Usher.run(["--app", path] + words, on: database.conninfo(), environment: environment)
        }

        func remove() { try? FileManager.default.removeItem(at: folder) }
    }

    private func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }

    private func databases(_ result: Subprocess.Result) throws -> Set<String> {
        Set(try lines(result.output).compactMap { try object($0)["database"] as? String })
    }

    // MARK: Commands that read every schema

    @Test func readCommandsRunInEachTenant() throws {
        let shops = try Shops()
        defer { shops.remove() }
        let found = try shops.run("user", "find", "ada@example.com", "-o", "ndjson")
        #expect(found.status == 0, "\(found.errors)")
        #expect(try databases(found) == Set(Shops.plain))
        let listed = try shops.run("user", "list", "--where", "paying", "--fields", "database,email", "-o", "csv")
        #expect(listed.status == 0, "\(listed.errors)")
        #expect(Set(lines(listed.output).dropFirst()).count == 3 && listed.output.contains("shop_a,own1@example.com"))
        let orders = try shops.run("order", "recent", "-o", "ndjson")
        #expect(orders.status == 0 && lines(orders.output).count == 6, "\(orders.errors)")
        #expect(try databases(orders) == Set(Shops.plain))
        let broken = try shops.run("check", "-o", "ndjson")
        #expect(try databases(broken) == Set(Shops.plain))
        #expect(broken.status == (try shops.run("--member", "shop_a", "check")).status)
        // People get one screen for each schema, in order.
        let table = try shops.run("user", "find", "ada@example.com")
        #expect(
            lines(table.output).filter { $0.hasPrefix("-- ") }
                == ["shop_C \"Ltd\"; --", "shop_a", "shop_b"].map { "-- " + $0 })
    }

    @Test(arguments: [
        ["app", "check"], ["account", "survey"], ["roles", "show"], ["state", "list"],
        ["settings", "show"],
    ])
    func commandsThatNameNoUserRunInEachTenant(_ words: [String]) throws {
        let shops = try Shops(["shop_a", "shop_b"])
        defer { shops.remove() }
        let one = try shops.run(["--member", "shop_b"] + words + ["-o", "ndjson"])
        let all = try shops.run(words + ["-o", "ndjson"])
        #expect(all.status == one.status, "\(all.errors) \(one.errors)")
        #expect(lines(all.output).count == 2 * lines(one.output).count, "\(all.output)")
    }

    /// Rows of another tenant with the same key or email are not part of the account.
    @Test(.long) func surveyAndExportSkipTheSchemasOfOtherTenants() throws {
        let shops = try Shops()
        defer { shops.remove() }
        try shops.database.run("create table public.mailings (email text not null)")
        try shops.database.run("insert into public.mailings values ('ada@example.com'), ('own1@example.com')")
        try shops.database.run(
            "create table shop_b.loans (no bigint primary key, lender bigint references shop_a.people)")
        try shops.database.run("insert into shop_b.loans values (1, 1)")
        let survey = try shops.run("--member", "shop_a", "account", "survey", "-o", "ndjson")
        #expect(survey.status == 0 && survey.output.contains("public.mailings"), "\(survey.errors)")
        #expect(!survey.output.contains("shop_b.people") && !survey.output.contains("Ltd"), "\(survey.output)")
        let export = try shops.run("--member", "shop_a", "user", "export", "1", "-o", "ndjson")
        #expect(export.status != 2 && !export.output.contains("shop_b.orders"), "\(export.errors)")
        let plan = try shops.run("--member", "shop_a", "account", "plan", "1", "--json")
        #expect(plan.output.contains("shop_b.loans") && !plan.output.contains("shop_b.people"), "\(plan.errors)")
    }

    // MARK: Commands on one schema

    @Test func userShowFindsTheTenantOfTheUser() throws {
        let shops = try Shops()
        defer { shops.remove() }
        let shown = try shops.run("user", "show", "own2@example.com", "--json")
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(try object(shown.output)["database"] as? String == "shop_b")
        let quoted = try shops.run("user", "why", "own3@example.com")
        #expect(quoted.status == 0 && quoted.output.contains("own3@example.com pays"), "\(quoted.errors)")
        #expect(quoted.errors.contains("own3@example.com is in \(Shops.plain[2])"))
        #expect(try shops.run("user", "timeline", "own3@example.com").output.contains("orders"))
        let times = try shops.run("user", "timeline", "own3@example.com", "--fields", "source")
        #expect(times.status == 0 && times.output.contains("orders"), "\(times.errors)")
        #expect(try shops.run("user", "show", "103").output.contains("late3@example.com"))
        #expect(try shops.run("user", "show", "nobody@example.com").status == 4)
    }

    @Test func userOfSeveralTenantsIsAConflict() throws {
        let shops = try Shops()
        defer { shops.remove() }
        let several = try shops.run("user", "show", "ada@example.com")
        #expect(several.status == 6)
        for name in Shops.plain { #expect(several.errors.contains("\(name): ada@example.com")) }
        #expect(several.errors.contains("is in 3 schemas") && several.errors.contains("--member"))
        let one = try shops.run("--member", Shops.plain[2], "user", "show", "ada@example.com", "--json")
        #expect(one.status == 0, "\(one.errors)")
        #expect(try object(one.output)["database"] as? String == Shops.plain[2])
        let none = try shops.run("--member", "shop_aa", "user", "show", "ada@example.com")
        #expect(none.status == 2 && none.errors.contains("the fleet has no schema shop_aa"), "\(none.errors)")
        #expect(none.errors.contains("did you mean `shop_a`?"))
    }

    // MARK: Finding the schemas

    @Test(.long) func userFindReportsTheMissingColumnOfATenantSchema() throws {
        let shops = try Shops(["shop_a", "shop_b", "shop_c"])
        defer { shops.remove() }
        try shops.database.run("alter table shop_b.people rename email to mail")
        let found = try shops.run("user", "find", "ada", "-o", "csv")
        #expect(found.status == 7)
        #expect(lines(found.output).count == 3)
        #expect(found.errors.contains("the database lacks shop_b.people.email"), "\(found.errors)")
        #expect(found.errors.contains("no result from 1 of 3 schemas: shop_b"))
        // Without a pattern, each schema with the required tables is a tenant.
        try Shops.text.replacing(":tenant shop_%", with: ":tenant").write(
            toFile: shops.path, atomically: true, encoding: .utf8)
        let fitting = try shops.run("user", "find", "ada", "-o", "csv", "--fields", "database")
        #expect(
            fitting.status == 0 && Set(lines(fitting.output).dropFirst()) == ["shop_a", "shop_c"], "\(fitting.errors)")
    }

    @Test(.long) func onlyThePercentSignOfASchemaPatternIsAWildcard() throws {
        let shops = try Shops(["shop_a", "shopxb", "ashop_c", "shop_"])
        defer { shops.remove() }
        let found = try shops.run("user", "find", "ada", "-o", "csv", "--fields", "database")
        #expect(Set(lines(found.output).dropFirst()) == ["shop_a", "shop_"])
        let none = try Shops(["other"])
        defer { none.remove() }
        let nothing = try none.run("user", "find", "ada")
        #expect(nothing.status == 1 && nothing.errors.contains("no name matches shop_%"), "\(nothing.errors)")
    }

    @Test(.long) func schemaNameWithALineBreakIsSkipped() throws {
        let hostile = "shop_\n-- @check stolen  Theirs.\nselect 1 as no;\n--"
        let shops = try Shops(["shop_a", hostile, "shop_x | y"])
        defer { shops.remove() }
        let checked = try shops.run("check", "-o", "ndjson")
        #expect(!checked.output.contains("stolen") && !checked.errors.contains("\n-- @check"))
        let found = try shops.run("user", "find", "ada", "-o", "ndjson")
        #expect(try databases(found) == ["shop_a", "shop_x | y"])
        #expect(found.status == 7 && found.errors.contains("no result from 1 of 3 schemas"), "\(found.errors)")
        #expect(found.errors.contains("contains a line break or another control character"))
    }

    @Test(.long) func usherRefusesAFleetWithAnAppFileForManySchemas() throws {
        let shops = try Shops(["shop_a", "shop_b"])
        defer { shops.remove() }
        let found = try Usher.run(["--fleet", "north,south", "--app", shops.path, "user", "find", "ada@example.com"])
        #expect(found.status == 2, "\(found.errors)")
        #expect(
            found.errors.contains("an app file with @schema works with one database, not with the fleet north,south"))
    }

    @Test(.long) func doctorChecksTheDatabaseOnceAndTheAppFileForEachTenant() throws {
        let shops = try Shops()
        defer { shops.remove() }
        let found = try shops.run("doctor", "-o", "ndjson")
        let topics = try lines(found.output).compactMap { try object($0)["topic"] as? String }
        for topic in ["connection", "environment", "indexes", "audit"] {
            #expect(topics.count { $0 == topic } == 1, "\(topic)")
        }
        for topic in ["app", "app file", "look-ups"] { #expect(topics.count { $0 == topic } == 3, "\(topic)") }
        let alone = try shops.run("--member", "shop_b", "doctor", "-o", "csv")
        #expect(alone.output.contains("connection,") && alone.output.contains("app file,"), "\(alone.output)")
    }

    @Test(.long) func completionOffersSchemasAndTheUsersOfTheChosenSchema() throws {
        let shops = try Shops()
        defer { shops.remove() }
        let patient = ["USHER_COMPLETION_SECONDS": "60"] as [String: String?]
        let users = try shops.run("__complete", "--", "user", "show", "own", environment: patient)
        #expect(users.output.isEmpty, "\(users.output)")
        let one = try shops.run("__complete", "--", "--member", "shop_b", "user", "show", "own", environment: patient)
        #expect(lines(one.output) == ["own2@example.com"], "\(one.output)")
        let names = try shops.run("__complete", "--", "--member", "shop_", environment: patient)
        #expect(lines(names.output) == ["shop_C \"Ltd\"; --", "shop_a", "shop_b"], "\(names.output)")
    }

    @Test(.long) func usherUsesAnAppFileForManySchemasOnlyIfNamed() throws {
        let shops = try Shops(["shop_a"])
        defer { shops.remove() }
        // Without --app, usher ignores an app file for many schemas.
        let folder = try Usher.run(
            ["user", "find", "ada"], on: shops.database.conninfo(), environment: ["USHER_APP_PATH": shops.folder.path])
        #expect(folder.status == 1 && folder.errors.contains("no app file fits"), "\(folder.errors)")
        let named = try Usher.run(
            ["--app", "shop", "user", "find", "ada", "-o", "name"], on: shops.database.conninfo(),
            environment: ["USHER_APP_PATH": shops.folder.path])
        #expect(named.output == "2\n", "\(named.errors)")
        let listed = try Usher.run(
            ["app", "list", "-o", "name"], environment: ["USHER_APP_PATH": shops.folder.path])
        #expect(lines(listed.output).first == "shop", "\(listed.errors)")
    }

    // MARK: The app file

    /// The guide's newsletter works with a schema for each publisher as it does with one schema.
    @Test func appFileOfTheGuideWorksForManySchemas() throws {
        let database = try TestCluster.emptyDatabase()
        for schema in ["letter_north", "letter_South East"] {
            let name = Shops.quoted(schema)
            let tables = Guide.blocks("schema").replacing("public.", with: name + ".").split(separator: ";\n").map(
                String.init)
            try database.run("create schema \(name)")
            try database.run("create sequence \(name).n")
            for table in tables { try database.run(table) }
            try database.run(
                "create function \(name).touch(k bigint) returns boolean language sql as 'select true'",
                "insert into \(name).subscribers values (1, 'ada@\(schema.count).com', 'paid', now(), now())")
        }
        // The example for many schemas has its own `@app` block, which replaces the block of the guide's app file.
        let head = try #require(Guide.blocks("schemas").components(separatedBy: "\n\n").first)
        let whole = Guide.blocks("sql").replacing("public.", with: ":publisher.")
        let own = Set(
            whole.components(separatedBy: "\n").filter { $0.hasPrefix("-- @app") || $0.hasPrefix("-- @language") })
        let rest = whole.components(separatedBy: "\n").filter { line in
            !own.contains(line) && !line.hasPrefix("-- @requires") && !line.hasPrefix("-- A newsletter")
        }
        let scratch = try Scratch()
        let path = try scratch.path(of: "letter.sql", holding: head + "\n" + rest.joined(separator: "\n"))
        let checked = try Usher.run(["app", "check", path, "-o", "ndjson"], on: database.conninfo())
        #expect(checked.status == 0 && checked.output.isEmpty, "\(checked.output)\(checked.errors)")
        let shown = try Usher.run(["--app", path, "user", "show", "ada@17.com"], on: database.conninfo())
        #expect(shown.status == 0 && shown.errors.contains("is in letter_South East"), "\(shown.errors)")
    }

    @Test(.long) func appCheckReportsAMistakeInATenantFileAtItsPlace() throws {
        let text = Shops.text.replacing(
            "select o.no from :tenant.orders o where", with: "select o.nr from :tenant.orders o where")
        let shops = try Shops(["shop_a", "shop_C \"Ltd\"; --"], text)
        defer { shops.remove() }
        let line = try #require(lines(text.replacing("\n\n", with: "\n \n")).firstIndex { $0.contains("o.nr") })
        let result = try shops.run("app", "check", "-o", "ndjson")
        #expect(result.status == 1, "\(result.errors)")
        let findings = try lines(result.output).map { try object($0) }
        #expect(findings.count == 2 && Set(findings.compactMap { $0["database"] as? String }).count == 2)
        #expect(findings.allSatisfy { $0["line"] as? Int == line + 1 && $0["column"] as? Int == 8 }, "\(findings)")
        // `app check` also accepts the path of the file.
        let named = try Usher.run(["app", "check", shops.path], on: shops.database.conninfo())
        #expect(named.status == 1 && named.output.contains("select o.nr from"), "\(named.output)")
        #expect(named.output.contains("\n         ^") && named.output.contains("-- shop_a"))
        // A mistake of the file itself is reported once, without a database.
        try text.replacing("-- @key id", with: "-- @kye id").write(
            toFile: shops.path, atomically: true, encoding: .utf8)
        let broken = try Usher.run(["app", "check", shops.path, "-o", "ndjson"], on: shops.database.conninfo())
        #expect(broken.status == 1 && lines(broken.output).count == 1, "\(broken.output)")
    }

    @Test(.long) func commandsAboutTheWholeDatabaseRunOnce() throws {
        let shops = try Shops(["shop_a", "shop_b"], audited: true)
        defer { shops.remove() }
        for words in [["audit", "list"], ["audit", "verify"], ["request", "list"], ["account", "search", "own1@"]] {
            let alone = try Usher.run(words + ["--json"], on: shops.database.conninfo())
            let result = try shops.run(words + ["--json"])
            #expect(result.status == alone.status && result.output == alone.output, "\(result.errors)")
        }
        let shown = try shops.run("app", "show", "--json")
        #expect(try object(shown.output)["requires"] as? [String] == ["tenant.people.email"], "\(shown.errors)")
        let named = try Usher.run(["app", "show", shops.path])
        #expect(named.status == 0 && named.output.contains("tenant.people.email"), "\(named.errors)")
    }

    /// The advised command works although an app file for many schemas can't be installed.
    @Test(.long) func usherSuggestsInstallingTheAuditLogWithAnotherAppFile() throws {
        let shops = try Shops(["shop_a", "shop_b"])
        defer { shops.remove() }
        let advice = "`usher install` without `--app`, or with an app file for one schema"
        for words in [["audit", "list"], ["audit", "verify"], ["request", "list"], ["audit", "show", "0123456789"]] {
            let result = try shops.run(words)
            #expect(result.status == 3 && result.errors.contains(advice), "\(words): \(result.errors)")
        }
        let doctor = try shops.run("doctor", "-o", "csv")
        #expect(doctor.output.contains(advice), "\(doctor.output)")
        let installed = try Usher.run(
            ["install", "--environment", "test", "--yes", "--no-input"], on: shops.database.conninfo())
        #expect(installed.status == 0, "\(installed.errors)")
        #expect(try shops.run("audit", "list").status == 0)
    }

    @Test(arguments: [
        ["person", "bill", "own1@example.com"],
        ["account", "delete", "own1@example.com", "--confirm", "own1@example.com"],
        ["install", "--yes"], ["person", "bill", "own1@example.com", "--dry-run"], ["audit", "undo", "0123456789"],
    ])
    func usherRefusesChangesInTenantSchemas(_ words: [String]) throws {
        let shops = try Shops(["shop_a", "shop_b"])
        defer { shops.remove() }
        for place in [[], ["--member", "shop_a"]] {
            let result = try shops.run(place + words)
            #expect(result.status == 3, "\(result.errors)")
            #expect(
                result.errors.contains("nothing was changed") && result.errors.contains("@schema"), "\(result.errors)")
        }
        #expect(try shops.run("user", "list", "--where", "paying", "-o", "name").output == "1\n1\n")
        // `account survey --write` can't change the file for one schema only.
        let file = try shops.run("--member", "shop_a", "account", "survey", "--write", shops.path)
        #expect(file.status == 2 && file.errors.contains("this app file has @schema"), "\(file.errors)")
        #expect(try String(contentsOfFile: shops.path, encoding: .utf8) == Shops.text)
    }

    @Test func commandUseInAScriptRemembersTheTenantOfTheUser() throws {
        let shops = try Shops()
        defer { shops.remove() }
        let script = "use own2@example.com\nuser show --json\nuser show own3@example.com -o name\n"
        let result = try Usher.run(
            ["--app", shops.path], on: shops.database.conninfo(), environment: [:], input: script)
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            result.output.contains("\"database\":\"shop_b\"") || result.output.contains("\"database\": \"shop_b\""),
            "\(result.output)")
        #expect(result.output.hasSuffix("\n1\n"), "\(result.output)")
    }
}
