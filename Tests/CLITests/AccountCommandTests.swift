import Changes
import Foundation
import PQ
import Support
import Testing

/// Scripts rely on the output and the exit codes of the commands of `account`.
@Suite struct AccountCommandTests {
    private func database() throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id int primary key, email text)",
            "insert into users values (1, 'ada@example.com'), (2, 'b@example.com')",
            "create table posts (id int primary key, user_id int references users on delete cascade, editor_id int references users)",
            "insert into posts values (1, 1, null), (2, 2, null)")
        return database
    }

    @Test func resumeOfAFinishedDeletionReportsWhenItFinished() throws {
        let database = try TestCluster.ledgerDatabase()
        try database.run("create table users (id int primary key)", "insert into users values (1), (2)")
        let conninfo = database.conninfo()
        let deletion = ["account", "delete", "1", "--root", "public.users", "--confirm", "1", "--batch", "5"]
        let deleted = try Usher.run(deletion + ["-o", "name"], on: conninfo)
        #expect(deleted.status == 0, "\(deleted.errors)")
        let operation = deleted.output.trimmingCharacters(in: .whitespacesAndNewlines)
        let again = try Usher.run(["account", "delete", "--resume", operation], on: conninfo)
        let day = try #require(
            try database.connect().execute(
                "select to_char(max(at) at time zone 'UTC', 'YYYY-MM-DD') from usher.operation"
            )
            .first?.values[0].text)
        #expect(
            again.status == 0 && again.output.contains("The deletion ended at \(day)"), "\(again.output)\(again.errors)"
        )
        let document = try object(
            try Usher.run(["account", "delete", "--resume", operation, "-o", "json"], on: conninfo).output)
        #expect((document["ended"] as? String)?.hasPrefix(day) == true, "\(document)")
        try database.run(
            """
            insert into usher.operation (id, kind, outcome, command, digest)
            values ('0190aaaa-0000-7000-8000-000000000001', 'note', 'committed', 'user note', '')
            """)
        let note = try Usher.run(["account", "delete", "--resume", "0190aaaa"], on: conninfo)
        #expect(note.status == 2 && note.errors.contains("is not a deletion"), "\(note)")
    }

    /// usher refuses the file before it shows the plan and asks for confirmation.
    @Test func deletionRefusesAnArchiveFileThatExists() throws {
        let database = try database()
        #expect(try Usher.run(["install", "--environment", "test", "--yes"], on: database.conninfo()).status == 0)
        let scratch = try Scratch()
        let archive = try scratch.path(of: "one.archive", holding: "")
        let refused = try Usher.run(
            ["account", "delete", "1", "--root", "users", "--archive", archive], on: database.conninfo())
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused)")
        #expect(refused.errors.contains("one.archive: File exists"), "\(refused.errors)")
    }

    @Test func resumedDeletionInBatchesDoesNotOfferAnArchive() throws {
        let database = try TestCluster.ledgerDatabase()
        try database.run(
            "create table users (id int primary key)", "insert into users values (1), (2)",
            "create table posts (id int primary key, user_id int not null references users on delete cascade)",
            "insert into posts select n, 1 from generate_series(1, 6) n",
            "create function stop() returns trigger language plpgsql as $$ begin raise exception 'full'; end $$",
            "create trigger stop before delete on users for each row execute function stop()")
        let deletion = ["account", "delete", "1", "--root", "public.users", "--confirm", "1"]
        let stopped = try Usher.run(deletion + ["--batch", "5"], on: database.conninfo())
        #expect(stopped.status != 0)
        let id = try #require(
            try database.connect().execute("select id::text from usher.operation where kind = 'bulk'").first?.values[0]
                .text)
        let terminal = try Usher.console(deletion + ["--resume", id, "-n"], on: database.conninfo(), columns: 120)
        _ = try terminal.end()
        let picture = String(decoding: terminal.picture, as: UTF8.self)
        #expect(picture.contains("a deletion in batches doesn't write an archive"), "\(picture)")
    }

    /// `user show` accepts the beginning of an id, but the account commands need the exact id or email.
    @Test(.long) func accountCommandsRefuseAnIncompleteId() throws {
        let database = try MarkedDatabase.granted()
        let address = "ada@example.com"
        func usher(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, on: database.conninfo()) }
        let id = try #require(try object(try usher("user", "show", address, "--json").output)["user"] as? [String: Any])
        let whole = try #require(id["id"] as? String)
        let begun = String(whole.prefix(13))
        #expect(try usher("user", "show", begun).output.contains(address))
        for verb in [["account", "plan"], ["user", "export"], ["account", "delete", "-n"]] {
            let refused = try Usher.run(verb + [begun], on: database.conninfo())
            #expect(refused.status == 4, "\(verb): \(refused.output)")
            #expect(refused.errors.contains("belongs to \(whole)"), "\(refused.errors)")
            let other = try Usher.run(verb + ["7"], on: database.conninfo())
            #expect(other.status == 4 && other.errors.contains("there is no user 7"), "\(verb): \(other.errors)")
            #expect(try Usher.run(verb + ["nobody@example.com"], on: database.conninfo()).status == 4)
        }
        #expect(try usher("account", "plan", whole.uppercased()).status == 0)
    }

    /// The user's own row was deleted earlier, so usher finds the remaining rows by the user's key.
    @Test func deletionByKeyRemovesTheRowsOfAMissingUser() throws {
        let database = try MarkedDatabase.granted()
        let key = try #require(
            try database.connect().execute("select id::text from auth.users where email = 'ada@example.com'").first?
                .values[0].text)
        try database.run(
            "alter table auth.users disable trigger all", "delete from auth.users where email = 'ada@example.com'",
            "alter table auth.users enable trigger all")
        func usher(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, on: database.conninfo()) }
        let plan = try usher("account", "plan", key)
        #expect(plan.status == 0 && plan.output.contains("no longer exists"), "\(plan.output)\(plan.errors)")
        let deleted = try usher("account", "delete", key, "--confirm", key, "--shared", "delete", "-o", "json")
        // The user's files remain, because only the storage API can delete them.
        let details = try errorObject(deleted)["details"] as? [String] ?? []
        #expect(details.count == 1 && details[0].hasPrefix("2 files left in the storage"), "\(deleted.errors)")
        let left = try usher("account", "plan", key)
        #expect(left.status == 0 && left.output.contains("only the storage API can delete files"), "\(left.output)")
        #expect(try usher("account", "plan", "00000000-0000-4000-8000-00000000dead").status == 4)
    }

    @Test func printedColumnNamesAreValidSQLAndOptionValues() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table \"User\" (id int primary key, \"eMail\" text)",
            "insert into \"User\" values (1, 'ada@example.com'), (2, 'b@example.com')",
            "create table \"Post\" (id int primary key, \"userId\" int references \"User\" on delete cascade)",
            "create table \"Visit\" (id int, \"userEmail\" text)", "insert into \"Post\" values (1, 1), (2, 2)",
            "insert into \"Visit\" values (1, 'ada@example.com'), (2, 'b@example.com')")
        let conninfo = database.conninfo()
        func usher(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, on: conninfo) }
        let root = #"public."User".id"#
        let plan = try usher("account", "plan", "1", "--root", root, "-v")
        #expect(plan.output.contains(#"public."User""#) && plan.output.contains(#"public."Post""#), "\(plan.output)")
        #expect(!plan.output.contains("public.Post") && !plan.output.contains("public.User"))
        let residue = try usher("account", "search", "--root", root, "ada@example.com", "-o", "name")
        let names = residue.output.split(separator: "\n").map(String.init)
        #expect(names.contains(#"public."Visit"."userEmail""#), "\(names)")
        let connection = try database.connect()
        for name in names {
            let parts = try #require(name.lastIndex(of: "."))
            let (table, column) = (name[..<parts], name[name.index(after: parts)...])
            #expect(try !connection.execute(Query(unsafe: "select \(column) from \(table)")).rows.isEmpty)
        }
        let answered = try usher(
            "account", "plan", "1", "--root", root, "--undeclared", #"public."Visit"."userEmail"=keep"#)
        #expect(answered.status == 0, "\(answered.errors)")
    }

    private static let capitalsApp = """
        -- @app cap  Capitals
        -- @requires "App"."User"."Kind"
        -- @users
        -- @key "Id"
        -- @email "eMail"
        select u."Id", u."eMail" from "App"."User" u;
        -- @settings limits  Limits.
        -- @table "App"."Plan"
        -- @key "Name"
        -- @column "Limit": int 0..9
        -- @column "user"?: int
        -- @account
        -- @root "App"."User"."Id"

        """

    /// A database whose names of tables and columns have capitals.
    private func capitalsDatabase() throws -> TestDatabase {
        let database = try TestCluster.emptyDatabase()
        try database.makeRole(DemoDatabase.owner, "bypassrls")
        try database.run(
            "create schema \"App\"",
            "create table \"App\".\"User\" (\"Id\" text primary key, \"eMail\" text, \"Kind\" text)",
            "create table \"App\".\"Post\" (\"Id\" text primary key, \"UserId\" text references \"App\".\"User\" on delete cascade)",
            """
            create table "App"."Share" ("Id" text primary key, "PostId" text references "App"."Post" on delete cascade,
                                        "OwnerId" text references "App"."User" on delete cascade)
            """,
            "create table \"App\".\"Plan\" (\"Name\" text primary key, \"Limit\" int, \"user\" int)",
            "create table \"App\".\"Log\" (\"userId\" text)",
            """
            create function "App"."Touch"() returns trigger language plpgsql
            as $$ begin insert into "App"."Log" values (old."Id"); return old; end $$
            """,
            "create trigger t before delete on \"App\".\"User\" for each row execute function \"App\".\"Touch\"()",
            "insert into \"App\".\"User\" values ('1', 'ada@example.com', 'a'), ('2', 'b@example.com', 'b')",
            "insert into \"App\".\"Post\" values ('1', '1')", "insert into \"App\".\"Share\" values ('1', '1', '2')",
            "insert into \"App\".\"Plan\" values ('Free', 1, 1)")
        try database.run(
            "alter database \(database.name) owner to operator", "alter schema \"App\" owner to operator",
            """
            do $$ declare one regclass; begin
              for one in select c.oid from pg_class c where c.relnamespace = '"App"'::regnamespace and c.relkind = 'r' loop
                execute format('alter table %s owner to operator', one);
              end loop;
            end $$
            """)
        return database
    }

    /// Names of tables with capitals are printed in quotes, so both SQL and the options accept them.
    @Test func printedTableNamesWithCapitalsAreValidOptionValues() throws {
        let database = try capitalsDatabase()
        let scratch = try Scratch()
        let file = try scratch.path(of: "cap.sql", holding: Self.capitalsApp)
        let conninfo = database.conninfo()
        func usher(_ words: String...) throws -> Subprocess.Result {
            try Usher.run(["--app", file] + words, on: conninfo)
        }
        #expect(try usher("install", "--environment", "test", "--yes").status == 0)
        let pages = [
            try usher("app", "check", file), try usher("roles", "show"), try usher("account", "plan", "1"),
            try usher("account", "plan", "1", "-v"), try usher("account", "survey"),
            try usher("account", "survey", "-v"),
            try usher("account", "delete", "1", "--confirm", "ada@example.com"), try usher("doctor"),
            try usher("settings", "set", "limits", "Free", "Limit", "3", "-n", "-y"),
            try usher("settings", "set", "limits", "Free", "user", "null", "-n", "-y"),
            try usher("settings", "show", "limits"),
        ].map { $0.output + $0.errors }
        for page in pages {
            #expect(!page.contains("App.") && !page.contains("\"App\".U") && !page.contains("\"App\".P"), "\(page)")
        }
        #expect(pages[1].contains("\"App\".\"User\""))
        #expect(pages[8].contains("Limit  1 → 3"), "\(pages[8])")
        #expect(pages[9].contains("user  1 → not set"), "\(pages[9])")
        // An operator whose shell has removed the quotes gets a hint with quotes.
        let unquoted = try Usher.run(["account", "plan", "--root", "App.User", "1"], on: conninfo)
        #expect(unquoted.errors.contains("write names with capital letters in double quotes"), "\(unquoted.errors)")
        #expect(try usher("roles", "show", "--json").output.contains("\"App.User\""))
    }

    @Test func accountCommandsGiveScriptsStableJSONAndExitCodes() throws {
        let database = try database()
        let conninfo = database.conninfo()
        func usher(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, on: conninfo) }
        let plan = try object(try usher("account", "plan", "1", "--root", "users", "--json").output)
        #expect(
            Set(plan.keys) == [
                "user", "root", "environment", "tables", "files", "total", "warnings",
                "obstacles", "fingerprint", "undeclared", "groups", "alone", "shared", "detached", "set", "kept",
                "written",
                "unsearched",
            ])
        let table = try #require((plan["tables"] as? [[String: Any]])?.first)
        #expect(Set(table.keys) == ["table", "rows", "policy", "via", "shared", "indexed"])
        #expect(plan["total"] as? Int == 2)
        // Without an audit log, usher refuses the deletion.
        let missing = try usher("account", "delete", "1", "--root", "users", "--confirm", "1", "--json")
        #expect(missing.status == 3)
        #expect((try errorObject(missing)["message"] as? String)?.contains("usher install") == true)
        #expect(try usher("install", "--environment", "test", "--yes").status == 0)

        #expect(try usher("account", "delete", "1", "--root", "users", "--no-input").status == 3)
        #expect(try usher("account", "delete", "1", "--root", "users", "--confirm", "2").status == 3)
        #expect(try usher("account", "delete", "7", "--root", "users", "--confirm", "7").status == 4)
        #expect(try usher("account", "delete", "1", "--root", "nowhere", "--confirm", "1").status == 4)
        #expect(try usher("account", "delete", "1", "--root", "posts.user_id", "--confirm", "1").status == 2)
        let dry = try object(try usher("account", "delete", "1", "--root", "users", "-n", "--json").output)
        #expect(dry["dry_run"] as? Bool == true && dry["operation"] is NSNull && dry["verified"] as? Bool == false)
        let done = try usher("account", "delete", "1", "--root", "users", "--confirm", "ada@example.com", "--json")
        #expect(done.status == 0, "\(done.errors)")
        let report = try object(done.output)
        #expect(report["verified"] as? Bool == true && report["operation"] is String)
        #expect((report["deleted"] as? [String: Int]) == ["public.users": 1, "public.posts": 1])
        let searched = try #require(report["searched"] as? [String: Int])
        #expect(searched == ["columns": 3, "texts_not_read": 0])
        for key in ["kept", "set", "detached"] { #expect((report[key] as? [String: Int])?.isEmpty == true) }
        #expect(try usher("account", "search", "ada@example.com").status == 0)
        let residue = try usher("account", "search", "b@example.com", "--json")
        #expect(residue.status == 1)
        #expect(Set(try object(residue.output).keys) == ["searched", "found", "unsearched", "clean"])
    }

    /// A search by email can't prove that nothing is left, so the hint of the deletion contains the key to search for.
    @Test func accountSearchByKeyFindsTheLeftoversOfADeletion() throws {
        let database = try MarkedDatabase.granted()
        let email = "ada@example.com"
        let key = try #require(
            try database.connect().execute("select id::text from auth.users where email = \(email)").first?.values[0]
                .text)
        func usher(_ words: String...) throws -> Subprocess.Result { try Usher.run(words, on: database.conninfo()) }
        let deleted = try usher("account", "delete", email, "--confirm", email, "--shared", "delete")
        #expect(deleted.status == 7 && deleted.errors.contains("2 files left in the storage"), "\(deleted.errors)")
        #expect(
            deleted.errors.contains("`usher account search \(key)` searches the whole database"), "\(deleted.errors)")
        #expect(
            deleted.output.contains(/(?m)^Verified: key and email as whole values in \d+ columns\./),
            "\(deleted.output)")
        let byEmail = try usher("account", "search", email)
        #expect(byEmail.status == 0 && byEmail.output.hasPrefix("Nothing found.\n"), "\(byEmail)")
        #expect(byEmail.output.contains("columns searched for \(email)") && !byEmail.output.contains("is left"))
        #expect(byEmail.output.contains("take the key from the output of the deletion"), "\(byEmail.output)")
        let byKey = try usher("account", "search", key)
        #expect(byKey.status == 1 && byKey.output.contains("storage.objects"), "\(byKey)")
        #expect(byKey.output.contains("columns searched for \(key)") && !byKey.output.contains("was not searched"))
    }

    /// Both the deletion and the restore report the rows of other tables that triggers changed.
    @Test func restoreRevertsRowsThatTriggersOfTheDeletionChanged() throws {
        let database = try database()
        try database.run(
            "create table tallies (n int primary key, hits int)", "insert into tallies values (7, 1)",
            """
            create function tally() returns trigger language plpgsql as
            $$ begin update tallies set hits = hits - 1; return null; end $$
            """, "create trigger tally after delete on users for each row execute function tally()")
        let (conninfo, scratch) = (database.conninfo(), try Scratch())
        #expect(try Usher.run(["install", "--environment", "test", "--yes"], on: conninfo).status == 0)
        let archive = scratch.folder.appendingPathComponent("one.archive").path
        let gone = try Usher.run(
            ["account", "delete", "1", "--root", "users", "--confirm", "1", "--archive", archive], on: conninfo)
        #expect(gone.output.contains("Triggers changed 1 row of public.tallies: kept"), "\(gone)")
        let back = try Usher.run(["account", "restore", archive, "--yes"], on: conninfo)
        #expect(back.output.contains("Set the references of 1 row of public.tallies again"), "\(back)")
    }

    @Test(arguments: [10, 11])
    func restoreOfMoreThanTenAccountsInProductionNeedsTheirNumberAsConfirmation(count: Int) throws {
        let database = try database()
        try database.run("insert into users select n, n || '@example.com' from generate_series(3, 11) n")
        let (conninfo, scratch) = (database.conninfo(), try Scratch())
        func usher(_ words: [String]) throws -> Subprocess.Result { try Usher.run(words, on: conninfo) }
        #expect(try usher(["install", "--environment", "production"]).status == 0)
        let archive = scratch.folder.appendingPathComponent("some.archive").path
        let gone = try usher(
            ["account", "delete"] + (1...count).map(String.init) + [
                "--root", "users", "--confirm", "\(count)", "--archive", archive, "--reason", "asked",
            ])
        #expect(gone.status == 0, "\(gone.errors)")
        let words = ["account", "restore", archive, "--reason", "asked"]
        let agreed = try usher(words + ["--yes"])
        guard count > 10 else {
            #expect(agreed.status == 0, "\(agreed.errors)")
            return
        }
        #expect(agreed.status == 3 && agreed.errors.contains("add --confirm 11 to confirm"), "\(agreed)")
        #expect(try usher(words + ["--confirm", "12"]).status == 3)
        let back = try usher(words + ["--confirm", "11"])
        #expect(back.status == 0 && back.output.contains("Restored."), "\(back.errors)")
    }

    @Test func deletionAsksAboutSharedRowsAndUndeclaredColumns() throws {
        let database = try database()
        try database.run(
            "update posts set editor_id = 2 where id = 1", "create table mails (email text)",
            "insert into mails values ('ada@example.com')", "create table tombstones (n int)",
            """
            create function bury() returns trigger language plpgsql as
            $$ begin insert into tombstones values (1); return null; end $$
            """, "create trigger bury after delete on users for each row execute function bury()")
        let conninfo = database.conninfo()
        #expect(try Usher.run(["install", "--environment", "test", "--yes"], on: conninfo).status == 0)
        let words = ["account", "delete", "1", "--root", "users", "--confirm", "1"]
        let open = try Usher.run(words, on: conninfo)
        #expect(open.status == 3 && open.errors.contains("--shared"))
        #expect(open.output.contains("1  shared      public.posts 1"))
        #expect(try Usher.run(words + ["-n"], on: conninfo).output == open.output)
        let dry = try Usher.run(words + ["--shared", "delete", "-n", "--json"], on: conninfo)
        // usher refuses the dry run too, because of the undeclared column.
        #expect(dry.status == 3 && dry.output.isEmpty && dry.errors.contains("public.mails.email: 1 row,"))
        #expect((try errorObject(dry)["hint"] as? String)?.contains("--undeclared 'public.mails.email=delete'") == true)
        let shown = try Usher.run(words + ["--shared", "delete", "--undeclared", "keep", "-n"], on: conninfo)
        #expect(shown.output.contains("1  shared      public.posts 1"))
        #expect(shown.output.contains("Triggers wrote 1 row into public.tombstones"))
        let exported = try Usher.run(["user", "export", "1", "--root", "users"], on: conninfo)
        #expect(exported.status == 0 && exported.errors.contains("public.mails.email is not exported: 1 row"))
        #expect(try Usher.run(words + ["--undeclared", "mails=maybe"], on: conninfo).status == 2)
        let answered = words + ["--undeclared", "keep", "--undeclared", "public.mails.email=delete"]
        let refused = try Usher.run(answered, on: conninfo)
        #expect(refused.status == 3 && refused.errors.contains("--shared"))
        let renamed = try Usher.run(["account", "plan", "1", "--collateral", "delete"], on: conninfo)
        #expect(renamed.status == 2 && renamed.errors.contains("write `--shared delete|detach`"), "\(renamed.errors)")
        let old = try Usher.run(["account", "residue", "1"], on: conninfo)
        #expect(old.status == 2 && old.errors.contains("write `account search ID|EMAIL`"), "\(old.errors)")
        let done = try object(try Usher.run(answered + ["--shared", "delete", "--json"], on: conninfo).output)
        #expect((done["deleted"] as? [String: Int])?["public.mails"] == 1 && done["verified"] as? Bool == true)
        let written = try #require((done["written"] as? [[String: Any]])?.first)
        #expect(written["table"] as? String == "public.tombstones" && written["rows"] as? Int == 1)
        #expect(written["policy"] as? String == "keep")
        // A trigger inserts the email of the deleted user again, so the deletion exits with 7.
        try database.run(
            """
            create or replace function bury() returns trigger language plpgsql as
            $$ begin insert into mails values (old.email); return null; end $$
            """)
        let partial = try Usher.run(
            ["account", "delete", "2", "--root", "users", "--confirm", "2", "--json"], on: conninfo)
        #expect(partial.status == 7 && partial.errors.contains("public.mails"))
        #expect(try object(partial.output)["verified"] as? Bool == false)
        #expect((try errorObject(partial)["code"] as? String) == "partial")
    }

    @Test(.long) func accountPlanOf150TablesFitsOneScreen() throws {
        let database = try database()
        try database.run(
            """
            do $$ begin
              for i in 1..150 loop
                execute format('create table t%s (id int primary key, user_id int not null references users on delete cascade,
                                                  made_by int references users on delete set null, owner_user_id int)', i);
                execute format('insert into t%s values (1, 1, 1, null), (2, 1, 1, null), (3, 2, 1, 1)', i);
              end loop;
            end $$
            """, "create table nothing (id int)")
        let conninfo = database.conninfo()
        func plan(_ words: String...) throws -> Subprocess.Result {
            try Usher.run(["account", "plan", "1", "--root", "users"] + words, on: conninfo)
        }
        let screen = try plan().output.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(screen.count <= 24, "\(screen.count)")
        #expect(screen.contains { $0.hasPrefix("302 rows in 152 tables are deleted") })
        #expect(screen.contains { $0.hasPrefix("   150  detached") })
        #expect(
            screen.contains { $0.contains("owner_user_id of 150 tables: 150 rows, contains a key of public.users") })
        let whole = try object(try plan("--json").output)
        #expect((whole["tables"] as? [Any])?.count == 302 && (whole["undeclared"] as? [Any])?.count == 150)
        let groups = try #require(whole["groups"] as? [[String: Any]])
        #expect(groups.compactMap { $0["tables"] as? Int } == [152, 150])
        let obstacles = try #require(whole["obstacles"] as? [[String: Any]])
        #expect(obstacles.count == 150 && obstacles.allSatisfy { $0["code"] as? String == "undeclared" })
        #expect(try plan("-v").output.split(separator: "\n").count > 300)
        let one = try plan("--table", "t7").output
        #expect(one.contains("public.users → public.t7.user_id") && !one.contains("public.t8"))
        #expect(try plan("--table", "nothing").output == "usher found no data of the account in nothing.\n")
        let unknown = try plan("--table", "t151")
        #expect(unknown.status == 2 && unknown.output.isEmpty, "\(unknown)")
        #expect(unknown.errors.contains("public.posts, public.t1, ") && unknown.errors.contains(" and 132 more"))
    }

    @Test func dryRunOfADeletionExitsLikeTheDeletionIfFilesAreLeft() throws {
        let database = try TestCluster.database(of: "impulse")
        // A copy of a demo database belongs to the superuser, but the demo's owner owns its audit log.
        try database.run("alter database \(database.name) owner to \(DemoDatabase.owner)")
        let words = ["account", "delete", "ada@example.com", "--confirm", "ada@example.com", "--reason", "r", "--json"]
        for (options, end) in [
            (["-n"], "nothing was deleted"), ([], "the account is deleted, but usher found leftovers"),
        ] {
            let run = try Usher.run(words + options, on: database.conninfo())
            #expect(run.status == 7 && run.errors.contains(end))
            #expect(run.errors.contains("2 files left in the storage"))
            #expect(try object(run.output)["files_left"] as? Int == 2)
        }
    }

    @Test func accountCommandWithoutAnAppFileRequiresTheRootOption() throws {
        let database = try database()
        let conninfo = database.conninfo()
        let unnamed = try Usher.run(["account", "plan", "1"], on: conninfo)
        #expect(unnamed.status == 2 && unnamed.errors.contains("--root TABLE"), "\(unnamed.errors)")
        let named = try Usher.run(["account", "plan", "1", "--root", "users", "--json"], on: conninfo)
        #expect(try object(named.output)["total"] as? Int == 2)
        #expect(try Usher.run(["account", "plan", "1", "--app", "impulse"], on: conninfo).status == 1)
    }

    @Test func accountSurveyWithCheckFindsUndeclaredColumns() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table users (id uuid primary key, email text)",
            "insert into users select gen_random_uuid(), n || '@example.com' from generate_series(1, 3) n",
            "create table posts (id int primary key, user_id uuid references users on delete cascade, author_copy uuid)",
            "insert into posts select 1, id, null from users limit 1",
            "create table notes (id int primary key, data jsonb)")
        let conninfo = database.conninfo()
        func check() throws -> Subprocess.Result {
            try Usher.run(["account", "survey", "--check", "--json", "--root", "users"], on: conninfo)
        }
        #expect(try check().status == 0)
        // `account plan` also calls other columns without a line undeclared.
        let clean = try Usher.run(["account", "survey", "--root", "users"], on: conninfo)
        #expect(clean.output == "No undeclared column seems to refer to users.\n", "\(clean)")
        try database.run(
            "insert into posts select 2, (select id from users limit 1), (select id from users offset 1 limit 1)",
            "insert into notes select 1, jsonb_build_object('by', id) from users limit 1",
            "create table mails (email text)", "insert into mails values ('2@Example.com'), ('9@example.com')")
        // `--check` reads only the catalog, and no rows.
        let checked = try check()
        #expect(checked.status == 1)
        let byCatalog = try #require(try object(checked.output)["undeclared"] as? [[String: Any]])
        #expect(byCatalog.map { $0["column"] as? String } == ["email"])
        let found = try Usher.run(["account", "survey", "--json", "--root", "users"], on: conninfo)
        #expect(found.status == 0)
        let survey = try object(found.output)
        let columns = try #require(survey["undeclared"] as? [[String: Any]])
        #expect(columns.compactMap { $0["column"] as? String } == ["email", "data", "author_copy"])
        let unsettled = try #require(survey["undeclared"] as? [[String: Any]])
        #expect(
            unsettled.map { Set($0.keys).isSuperset(of: ["table", "because", "proposal", "rows"]) } == [
                true, true, true,
            ])
        #expect(
            unsettled.first?["proposal"] as? String
                == "@refers public.mails.email -> public.users.email : detach : The row stays without the user."
        )
        let evidence = try #require(unsettled.first?["because"] as? [[String: Any]])
        #expect(evidence.compactMap { $0["points"] as? Int } == [3, 4])
        #expect(try Usher.run(["account", "survey", "--root", "users"], on: conninfo).status == 0)
        let folded = try Usher.run(["account", "survey", "--root", "users"], on: conninfo).output
        #expect(folded.contains("author_copy → public.users.id") && !folded.contains("@refers"))
        #expect(folded.hasPrefix("3 undeclared columns could refer to users; 1 column declared;"), "\(folded)")
        let whole = try Usher.run(["account", "survey", "--root", "users", "-v"], on: conninfo).output
        #expect(whole.contains("@refers public.posts.author_copy -> public.users.id"))
        let plain =
            ["--root", "users"] + ["author_copy", "data", "email"].flatMap { ["--propose", "\($0)=ignore"] }
        let answered = try Usher.run(["account", "survey", "-o", "csv", "--fields", "effect"] + plain, on: conninfo)
        #expect(answered.output.split(whereSeparator: \.isNewline) == ["effect", "ignore", "ignore", "ignore"])
        #expect(try Usher.run(["account", "survey", "--root", "users", "--propose", "data"], on: conninfo).status == 2)
        #expect(try Usher.run(["account", "plan"], on: conninfo).status == 2)
        #expect(try Usher.run(["account", "survey", "--check", "--root", "nowhere"], on: conninfo).status == 4)
    }

    @Test func consoleCommandLastPrintsTheOperationOfADeletion() throws {
        let database = try database()
        #expect(try Usher.run(["install", "--environment", "test", "--yes"], on: database.conninfo()).status == 0)
        let terminal = try Usher.console(on: database.conninfo())
        try terminal.wait(for: "> ")
        terminal.enter("account delete 1 --root users --confirm 1 -o name")
        try terminal.wait(for: "> ")
        terminal.enter("last")
        let answer = try terminal.wait(for: "# operation ")
        #expect(answer.contains("account delete --root users"))
        let operation = try database.connect().execute("select id::text from usher.operation where kind = 'erasure'")
            .rows[0].values[0].text
        try terminal.wait(for: try #require(operation))
    }
}
