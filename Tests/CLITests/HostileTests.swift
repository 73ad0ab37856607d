import Foundation
import PQ
import Support
import Testing

/// usher prints control characters in values as visible text, in every command.
@Suite struct HostileTests {
    private static let evil = "evil\u{1B}]0;owned\u{07}\u{202E}\u{200B}\u{9B}31m\u{2066}\u{FEFF}@example.com"

    /// A database with control characters in the names, emails, panels and events of several users.
    private static let database = Result {
        let database = try TestCluster.database(of: "impulse")
        let connection = try database.connect()
        _ = try connection.execute(
            """
            update profiles set notification_email = \(evil)
             where email in ('ada@example.com', 'grace@example.com', 'mallory@example.com')
            """)
        _ = try connection.execute("update auth.sessions set user_agent = \(evil)")
        _ = try connection.execute("update auth.identities set provider = \(evil) where provider = 'google'")
        return database
    }

    /// Returns whether the text is free of control characters and invisible characters.
    private func isClean(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0A: true
            case 0...0x1F, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: false
            default: true
            }
        }
    }

    @Test(
        arguments: sample([
            ["user", "find", "mallory"], ["user", "find", "evil"], ["user", "find", "Mal\u{200B}lory \u{1B}"],
            ["user", "show", "mallory@example.com"], ["user", "why", "mallory@example.com"],
            ["user", "timeline", "mallory@example.com"], ["user", "show", evil], ["user", "why", evil],
            ["user", "list", "--fields", "name,notification_email"], ["user", "show", "nobody" + evil],
            ["user", "show", "mallory@example.com", "--at", evil], ["user", evil], [evil], ["--" + evil],
            ["user", "list", "--where", evil], ["user", "list", "--decision", evil + "=" + evil],
            ["user", "list", "--fields", evil], ["user", "why", "mallory@example.com", "--assume", evil + "=1"],
            ["user", "why", "mallory@example.com", "--assume", "tier=" + evil], ["--app", evil, "user", "list"],
            ["user", "why", "mallory@example.com", "--assume", "name=" + evil], ["--app", "./" + evil, "user", "list"],
            ["user", "timeline", "mallory@example.com", "--since", evil], ["help", evil],
            ["user", "list", "--limit", evil],
            ["user", "show", "mallory@example.com", "--show-sql"], ["user", "find", evil, "--show-sql"],
            ["demo", evil], ["-d", evil, "doctor"], ["-d", "host=" + evil, "doctor"], ["app", "show", evil],
        ]))
    func everyCommandMakesStoredControlCharactersVisible(_ words: [String]) throws {
        let database = try Self.database.get().conninfo()
        for format in ["table", "json", "ndjson"] {
            let target = words.contains("-d") ? nil : database
            let result = try Usher.run(words + ["-o", format], on: target)
            #expect(isClean(result.output), "\(format)")
            #expect(isClean(result.errors), "\(format)")
            #expect(!(result.output + result.errors).isEmpty)
        }
    }

    @Test func errorOfAnAmbiguousUserMakesControlCharactersVisible() throws {
        let result = try Usher.run(["user", "show", Self.evil], on: try Self.database.get().conninfo())
        #expect(result.status == 6)
        #expect(result.errors.contains("3 users"))
        #expect(
            result.errors.contains(#"evil\u{1B}]0;owned\u{07}\u{202E}\u{200B}\u{9B}31m\u{2066}\u{FEFF}@example.com"#))
    }

    @Test func csvTSVAndJSONOutputKeepsControlCharacters() throws {
        let words = ["user", "show", "mallory@example.com", "--fields", "notification_email"]
        let database = try Self.database.get().conninfo()
        let csv = try Usher.run(words + ["-o", "csv"], on: database).output
        #expect(csv == "notification_email\n" + Self.evil + "\n")
        let tsv = try Usher.run(words + ["-o", "tsv"], on: database).output
        #expect(tsv == "notification_email\n" + Self.evil + "\n")
        let json = try object(try Usher.run(["user", "show", "mallory@example.com", "--json"], on: database).output)
        #expect((json["user"] as? [String: Any])?["notification_email"] as? String == Self.evil)
    }

    @Test func usherMakesControlCharactersInAnAppFileVisible() throws {
        let scratch = try Scratch()
        let app = try scratch.path(
            of: "app.sql",
            holding: """
                -- @app lab  \(Self.evil)
                -- @requires public.profiles
                -- @users
                -- @key id
                -- @email email
                select p.id, p.email, 'x' as "\(Self.evil)" from public.profiles p;
                -- @panel \(Self.evil)
                select '\(Self.evil)' as "col \(Self.evil)";
                -- @decision what  \(Self.evil)?
                -- @rule yes  \(Self.evil) {email}
                -- @advice Try `user show \(Self.evil)`
                true;
                """)
        for words in [["user", "show", "ada@example.com"], ["user", "why", "ada@example.com"], ["app", "show"]] {
            for format in ["table", "json"] {
                let result = try Usher.run(
                    ["--app", app, "-o", format] + words, on: try Self.database.get().conninfo())
                #expect(result.status == 0, "\(result.errors)")
                #expect(isClean(result.output + result.errors))
                #expect(result.output.contains(format == "json" ? "\\u202e" : "\\u{202E}"))
            }
        }
    }

    @Test func usherMakesControlCharactersInAScriptVisible() throws {
        let result = try Usher.run([], input: "frob \(Self.evil)\n")
        #expect(result.status == 2)
        #expect(isClean(result.errors))
        #expect(isClean(try Usher.run(["--json"], input: "frob \(Self.evil)\n").errors))
    }
}
