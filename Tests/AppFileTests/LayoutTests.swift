import AppFile
import EmbeddedSQL
import Foundation
import Testing

/// The formatter rewrites white space around directives and nothing else.
@Suite struct LayoutTests {
    private func layout(_ text: String) throws -> Layout { try layout(Array(text.utf8)) }

    private func layout(_ bytes: [UInt8]) throws -> Layout {
        try Layout.of(SourceFile(name: "t.sql", bytes: bytes)).get()
    }

    private func laidOut(_ text: String) throws -> String { String(decoding: try layout(text).bytes, as: UTF8.self) }

    private static let written = """


        --  @app   shop Shop
        --@requires  public.users
        -- @include supabase
        -- @users

        select  u.id,
           u.email   -- as they typed it
          from public.users u;
        --   a remark of nobody's


        -- @decision access   Does it open?
        --     And for whom?
        -- @assume when:timestamptz  =  now
        -- @because One.
        true;
        -- @define paid(id)  Users who pay.
        select $$
        -- @rule not a directive


        $$;
        -- @fact email:Where to write.
        -- @keep public.bills  :  The law requires bills.
        -- @unheard  of


        """

    private static let expected = """
        -- @app shop  Shop
        -- @requires public.users
        -- @include supabase

        -- @users
        select  u.id,
           u.email   -- as they typed it
          from public.users u;
        --   a remark of nobody's

        -- @decision access  Does it open?
        --    And for whom?
        -- @assume when:timestamptz  =  now
        -- @because  One.
        true;

        -- @define paid(id)  Users who pay.
        select $$
        -- @rule not a directive


        $$;
        -- @fact email:Where to write.
        -- @keep public.bills  :  The law requires bills.
        -- @unheard  of

        """

    @Test func formatterRewritesTheSpacesOfDirectivesAndTheBlankLines() throws {
        #expect(try laidOut(Self.written) == Self.expected)
        #expect(try laidOut(Self.expected) == Self.expected)
        #expect(try layout(Self.expected).departure == nil)
    }

    @Test func formatterReportsTheLineOfTheFirstDifference() throws {
        for (text, line) in [
            ("-- @app a  A\n-- @requires   public.t\n", 2), ("-- @app a  A\n\n\n-- @users\nselect 1;\n", 3),
            ("-- @users\nselect 1;\n-- @panel P\nselect 1;\n", 3), ("-- @users\nselect 1;\n\n", 3),
            ("\n-- @users\nselect 1;\n", 1),
            ("-- @users\nselect 1;", 2),
        ] {
            let found = try #require(try layout(text).departure)
            #expect(found.file.position(of: found.offset).line == line, "\(text)")
        }
    }

    @Test func formatterKeepsWindowsLineEnds() throws {
        #expect(
            try laidOut("--  @app a A\r\n-- @users\r\nselect 1;\r\n")
                == "-- @app a  A\r\n\r\n-- @users\r\nselect 1;\r\n")
    }

    @Test func formatterRefusesAnInvalidFile() {
        #expect(throws: InvalidApp.self) { try layout("-- @panel P\nselect 'x;\n") }
        #expect(throws: InvalidApp.self) { try layout([0xFF, 0x0A]) }
    }

    @Test(arguments: EmbeddedSQL.paths(below: "apps/") + EmbeddedSQL.paths(below: "platform/"))
    func builtInFilesHaveTheCanonicalLayout(path: String) throws {
        let bytes = try #require(EmbeddedSQL.bytes(of: path))
        #expect(try layout(bytes).departure?.report == nil)
        #expect(try layout(bytes).bytes == bytes)
    }

    /// The formatter keeps the SQL of a file with random white space; formatting the result again changes nothing.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func formatterKeepsTheMeaningOfAFileWithRandomSpaces(seed: UInt64) throws {
        var random = Generator(state: seed)
        let whole = try #require(EmbeddedSQL.bytes(of: "apps/strikelab.sql"))
        for _ in 0..<12 {
            var lines = String(decoding: whole, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
                .map(String.init)
            for _ in 0..<40 {
                let place = Int.random(in: 0..<lines.count, using: &random)
                switch Int.random(in: 0..<5, using: &random) {
                case 0: lines.insert("", at: place)
                case 1: lines[place] = lines[place].replacingOccurrences(of: "-- @", with: "--  @")
                case 2: lines[place] = lines[place].replacingOccurrences(of: "-- @", with: "--@")
                case 3: lines[place] += "   "
                default:
                    guard lines[place].hasPrefix("-- @") else { continue }
                    lines[place] = lines[place].replacingOccurrences(of: "  ", with: " ")
                }
            }
            let mangled = Array(lines.joined(separator: "\n").utf8)
            let once = try layout(mangled).bytes
            #expect(try layout(once).bytes == once)
            #expect(try words(mangled) == words(once))
        }
    }

    @Test func formatterChangesNothingInAFormattedFile() {
        var random = Generator(state: 7)
        let whole = EmbeddedSQL.bytes(of: "apps/impulse.sql") ?? []
        var count = 0
        for _ in 0..<120 {
            let from = Int.random(in: 0..<whole.count, using: &random)
            var bytes = Array(whole[from..<min(whole.count, from + 4000)])
            for _ in 0..<6 {
                let at = Int.random(in: 0...bytes.count, using: &random)
                let pieces = [
                    "\n", "\r", "\t", "-- ", "@", " ", "'", "/*", ";", "\n\n\n", ":", "--   x\n", "-- @rule a b\n",
                ]
                bytes.insert(contentsOf: Array((pieces.randomElement(using: &random) ?? "").utf8), at: at)
            }
            guard let once = try? layout(bytes).bytes else { continue }
            count += 1
            #expect((try? layout(once).bytes) == once)
        }
        #expect(count > 20)
    }

    /// The SQL of an app file, without white space and comments.
    private func words(_ bytes: [UInt8]) throws -> [[String]] {
        let app = try app(bytes)
        return (app.fragments + app.changingFragments).map(\.normalized)
    }

    /// The app of a file, parsed despite mistakes in its white space.
    private func app(_ bytes: [UInt8]) throws -> App {
        let file = SourceFile(name: "apps/strikelab.sql", bytes: bytes)
        let (app, _) = AppParser.examine(file) { name in
            let path = name.hasPrefix("./") ? "apps/\(name.dropFirst(2))" : "platform/\(name).sql"
            return EmbeddedSQL.bytes(of: path).map { SourceFile(name: name, bytes: $0) }
        }
        return try #require(app)
    }
}
