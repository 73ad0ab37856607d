import Foundation
import PQ
import Support
import Testing

/// usher never sends control sequences in values to a terminal.
@Suite(.long) struct HostileTerminalTests {
    /// A text with C0 and C1 characters, carriage returns, direction marks, invisible characters, stacked marks, and
    /// sequences for titles, hyperlinks, the clipboard and colors.
    static let values = [
        "\u{01}\u{02}\u{07}\u{08}\u{0B}\u{0C}\u{0E}\u{1F}\u{7F}", "safe\rEVIL", "\u{1B}]0;owned\u{07}",
        "\u{9D}0;owned\u{9C}",
        "\u{1B}]8;;http://evil\u{1B}\\click\u{1B}]8;;\u{1B}\\", "\u{1B}]52;c;ZXZpbA==\u{07}", "\u{1B}[31mred\u{1B}[0m",
        "\u{9B}2J", "\u{1B}c", "\u{1B}P+q544e\u{1B}\\", "\u{202E}txt.exe\u{202C}", "\u{2066}a\u{2069}",
        "a\u{200B}b\u{FEFF}c\u{00AD}",
        "\u{2028}\u{2029}", "e" + String(repeating: "\u{301}", count: 50), "\u{E0041}\u{E0042}", "tab\tand\nline",
    ]

    /// The sample data with hostile names, emails, devices and sign-in methods.
    private static let database = Result { () throws -> TestDatabase in
        let database = try TestCluster.database(of: "impulse")
        let connection = try database.connect()
        for (index, value) in values.enumerated() {
            _ = try connection.execute(
                """
                update public.profiles set notification_email = \(value)
                 where id = (select id from public.profiles order by id offset \(unsafe: String(index)) limit 1)
                """)
        }
        let all = values.joined(separator: " ")
        _ = try connection.execute(
            "update auth.users set raw_user_meta_data = jsonb_build_object('full_name', \(all)::text)")
        _ = try connection.execute("update auth.sessions set user_agent = \(all)")
        _ = try connection.execute(
            "update public.profiles set notification_email = \(all) where email = 'ada@example.com'")
        return database
    }

    /// Returns the characters that may not reach a terminal.
    ///
    /// Printable characters, line ends and usher's colors may reach a terminal.
    private func unsafeCharacters(in picture: [UInt8]) -> [String] {
        var text = String(decoding: picture, as: UTF8.self).unicodeScalars[...]
        var found: [String] = []
        while let scalar = text.popFirst() {
            switch scalar.value {
            case 0x09, 0x0A, 0x0D, 0x20...0x7E: continue
            case 0x1B:
                let sequence = String(String.UnicodeScalarView(text.prefix { !("@"..."~" ~= $0) || $0 == "[" }))
                let end = text.dropFirst(sequence.unicodeScalars.count).first
                let isColour = sequence.first == "[" && sequence.dropFirst().allSatisfy { "0123456789;".contains($0) }
                if !isColour || end != "m" { found.append("ESC " + sequence) }
                text = text.dropFirst(sequence.unicodeScalars.count + 1)
            case 0...0x1F, 0x7F...0x9F, 0xAD, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF,
                0xE0000...0xE0FFF:
                found.append(String(scalar.value, radix: 16))
            default: continue
            }
        }
        return found
    }

    private func picture(_ words: [String], columns: UInt16 = 80) throws -> [UInt8] {
        let terminal = try Usher.console(
            words + ["--no-pager"], on: try Self.database.get().conninfo(), columns: columns)
        _ = try terminal.end()
        return terminal.picture
    }

    @Test(arguments: [
        ["user", "list", "--limit", "40", "--fields", "id,notification_email"], ["user", "list", "--limit", "40"],
        ["user", "show", "ada@example.com"], ["user", "why", "ada@example.com"],
        ["user", "timeline", "ada@example.com"],
        ["user", "find", "ada"], ["session", "list", "ada@example.com"], ["stats"], ["check"],
        ["user", "show", "ada@example.com", "--json"], ["user", "show", "ada@example.com", "-o", "ndjson"],
        ["user", "list", "-o", "csv"], ["user", "list", "-o", "tsv"], ["user", "find", "ada", "-o", "csv"],
        ["user", "export", "ada@example.com"],
    ])
    func screensMakeControlCharactersInValuesVisible(words: [String]) throws {
        for columns in [40, 80, 200] {
            let picture = try picture(words, columns: UInt16(columns))
            #expect(unsafeCharacters(in: picture) == [], "\(columns)")
            // A carriage return may only come before a line feed.
            for (index, byte) in picture.enumerated() where byte == 0x0D {
                #expect(index + 1 < picture.count && [0x0A, 0x0D].contains(picture[index + 1]))
            }
        }
    }

    @Test func usherMakesControlCharactersInArgumentsVisible() throws {
        for value in Self.values {
            for words in [
                [value], ["user", "show", value], ["user", value], ["--" + value], ["help", value],
                ["app", "show", value],
            ] {
                #expect(unsafeCharacters(in: try picture(words)) == [], "\(words)")
            }
        }
    }

    @Test func terminalOutputCutsALongValueAndMarksTheCut() throws {
        let database = try TestCluster.database(of: "impulse")
        try database.run(
            """
            update auth.users set raw_user_meta_data = jsonb_build_object('full_name', repeat(chr(27) || '[31m', 250000))
             where email = 'ada@example.com'
            """)
        let page = try Usher.console(["user", "show", "ada@example.com", "--no-pager"], on: database.conninfo())
        #expect(try page.end() == 0)
        #expect(unsafeCharacters(in: page.picture) == [])
        #expect(String(decoding: page.picture, as: UTF8.self).contains("… (+"))
        #expect(page.picture.count < 100_000)
        let terminal = try Usher.console(
            ["user", "find", "ada@example.com", "--fields", "email,name", "--no-pager"],
            on: database.conninfo())
        #expect(try terminal.end() == 0)
        let picture = terminal.picture
        #expect(unsafeCharacters(in: picture) == [])
        #expect(String(decoding: picture, as: UTF8.self).contains("…"))
        #expect(picture.count < 10_000)
    }

    @Test func usherReportsInvalidUTF8FromTheDatabaseAsAnError() throws {
        let administration = try TestCluster.administration()
        _ = try administration.execute(
            "create database bytes_of_all_kinds encoding 'SQL_ASCII' locale 'C' template template0")
        let database = TestDatabase(name: "bytes_of_all_kinds", cluster: try TestCluster.shared)
        try database.run(
            "create table public.people (id int primary key, email text)",
            #"insert into public.people values (1, E'\xff\xfe\x80a\xc3(\xf0\x9f'), (2, E'\xc0\x80\x9b31m')"#)
        let scratch = try Scratch()
        let app = try scratch.path(
            of: "bytes.sql",
            holding: """
                -- @app bytes  Bytes
                -- @requires public.people
                -- @users
                -- @key id
                -- @email email
                select p.id, p.email from public.people p order by p.id;

                """)
        for format in ["table", "json"] {
            let terminal = try Usher.console(
                ["--app", app, "user", "list", "-o", format, "--no-pager"], on: database.conninfo())
            _ = try terminal.end()
            #expect(String(validating: terminal.picture, as: UTF8.self) != nil)
            #expect(unsafeCharacters(in: terminal.picture) == [])
        }
        // usher reports that it can't read these users. It must not report that they don't exist.
        for words in [["user", "show", "1"], ["user", "why", "2"], ["user", "timeline", "1"]] {
            let result = try Usher.run(["--app", app] + words, on: database.conninfo())
            #expect(result.status == 1, "\(words): \(result.errors)")
            #expect(result.errors.contains("invalid byte sequence"), "\(words): \(result.errors)")
        }
        #expect(try Usher.run(["--app", app, "user", "show", "3"], on: database.conninfo()).status == 4)
    }

    @Test func consoleMakesControlCharactersVisible() throws {
        let terminal = try Usher.console(on: try Self.database.get().conninfo(), environment: ["TERM": "dumb"])
        try terminal.wait(for: "impulse> ")
        terminal.enter("use ada@example.com")
        try terminal.wait(for: "impulse ada@example.com> ")
        terminal.enter("user show")
        try terminal.wait(for: "Sign-in methods")
        try terminal.wait(for: "> ")
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
        // readline rings the bell and draws with spaces and backspaces.
        let own = terminal.picture.filter { $0 != 0x08 && $0 != 0x07 }
        #expect(unsafeCharacters(in: own) == [])
    }

    /// The prompt, questions, completions, the history, `last` and the pager all print the hostile email.
    @Test func consoleNeverPrintsControlCharacters() throws {
        let address = "evil\u{1B}]0;owned\u{07}\u{9B}2J\u{202E}\u{200B}\r@example.com"
        let database = try MarkedDatabase.fresh()
        let connection = try database.connect()
        _ = try connection.execute("update public.profiles set email = \(address) where email = 'ada@example.com'")
        _ = try connection.execute("update auth.users set email = \(address) where email = 'ada@example.com'")
        let row = try connection.execute("select id from public.profiles where email = \(address)").rows[0]
        let id = try #require(row.values[0].text)
        let terminal = try Usher.console(
            on: database.conninfo(), environment: ["USHER_COMPLETION_SECONDS": "20", "PAGER": "sed s/^/P:/"],
            columns: 200)
        try terminal.wait(for: "test impulse> ")
        let visible = #"evil\u{1B}]0;owned\u{07}\u{9B}2J\u{202E}\u{200B}\u{0D}@example.com"#
        let prompt = "test impulse \(visible)> "
        terminal.enter("use \(id)")
        try terminal.wait(for: prompt)
        // TAB offers no name that a command line can't contain.
        terminal.type("user show evi\t\t\u{3}")
        try terminal.wait(for: prompt)
        terminal.enter("user show --fields email")
        try terminal.wait(for: visible)
        try terminal.wait(for: prompt)
        terminal.enter("user show")
        try terminal.wait(for: "P:")
        try terminal.wait(for: prompt)
        terminal.enter("partner grant --source marketing")
        #expect(try terminal.wait(for: "[y/N] ").contains(visible))
        terminal.enter("n")
        try terminal.wait(for: prompt)
        terminal.enter("account delete")
        try terminal.wait(for: "Type \(visible) to")
        terminal.enter("no")
        try terminal.wait(for: prompt)
        terminal.paste("user find 'a\u{1B}]0;owned\u{07}'\nversion\n")
        terminal.type("\r")
        try terminal.wait(for: "[y/N] ")
        terminal.enter("y")
        try terminal.wait(for: prompt)
        for line in ["last", "user timeline", "audit list", "quota show"] {
            terminal.enter(line)
            try terminal.wait(for: prompt)
        }
        terminal.enter("quit")
        #expect(try terminal.end() == 0)
        // readline may move the cursor, erase, and mark pastes; no other sequence may reach the screen.
        let own = /\x1B\[(\?2004[hl]|[0-9]*[ACDKPJ@])/
        let text = String(decoding: terminal.picture.filter { $0 != 0x08 && $0 != 0x07 }, as: UTF8.self)
        #expect(unsafeCharacters(in: Array(text.replacing(own, with: "").utf8)) == [])
    }

    /// Errors and notices of the server are untrusted text.
    @Test func usherMakesControlCharactersInServerMessagesVisible() throws {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create table public.people (id int primary key)", "insert into public.people values (1)",
            """
            create function public.shout() returns text language plpgsql as $$
            begin
                raise warning using message = E'\\x1b]0;owned\\x07 warned';
                raise exception using message = E'\\x1b]0;owned\\x07\\r raised', hint = E'\\x1b[2J', detail = E'\\u009b31m';
            end $$
            """)
        let scratch = try Scratch()
        let app = try scratch.path(
            of: "shout.sql",
            holding: """
                -- @app shout  Shout
                -- @requires public.people
                -- @users
                -- @key id
                select p.id, public.shout() as words from public.people p;

                """)
        for options in [[], ["-v"], ["--show-sql"], ["--json"]] {
            let terminal = try Usher.console(["--app", app, "user", "list"] + options, on: database.conninfo())
            #expect(try terminal.end() == 1)
            #expect(unsafeCharacters(in: terminal.picture) == [])
            #expect(String(decoding: terminal.picture, as: UTF8.self).contains("raised"))
        }
    }
}
