import AppFile
import EmbeddedSQL
import Testing

/// usher composes a random app file or refuses it with a place, and never crashes.
@Suite struct RandomAppFileTests {
    private static let impulse = EmbeddedSQL.bytes(of: "apps/impulse.sql") ?? []

    private static let pieces = [
        "'", "\"", "$$", "$a$", "/*", "*/", "--", "\n", "\r", ";", ":", "::", "(", ")", "[", "]", ",", ".", "@", "`",
        "{", "}", "\t", "\u{FEFF}", "é", "😀", "\u{301}", "\n-- @", "\n--   ", "\n-- @rule a  A.\n", "\n-- @limit 9",
        "E'", "U&\"", " from ", " with x as (", " using ", ":user", ":now", "$1", "true", "1..2", "=", "|", "?",
    ]

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func parserAcceptsAMutatedAppFileOrReportsThePlaceOfTheMistake(seed: UInt64) {
        var random = Generator(state: seed)
        var refused = 0
        for _ in 0..<10 {
            var bytes = Self.impulse
            for _ in 0..<Int.random(in: 1...6, using: &random) { mutate(&bytes, &random) }
            if !check(bytes) { refused += 1 }
        }
        #expect(refused > 0)
    }

    @Test func parserAcceptsAnAppFilePrefixOrReportsThePlaceOfTheMistake() {
        var random = Generator(state: 5)
        for _ in 0..<40 { check(Array(Self.impulse.prefix(Int.random(in: 0...Self.impulse.count, using: &random)))) }
    }

    @Test func composedStatementsOfABuiltInAppFileMapToTheFile() throws {
        #expect(check(Self.impulse))
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout Generator) {
        let at = Int.random(in: 0...bytes.count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &random)))
        case 1 where at < bytes.count: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 2:
            let length = Int.random(in: 1...200, using: &random)
            bytes.insert(contentsOf: Array(bytes[at..<min(bytes.count, at + length)]), at: at)
        default: bytes.insert(contentsOf: Array((Self.pieces.randomElement(using: &random) ?? "").utf8), at: at)
        }
    }

    /// Returns whether the bytes are a valid app file.
    @discardableResult
    private func check(_ bytes: [UInt8]) -> Bool {
        let file = SourceFile(name: "apps/impulse.sql", bytes: bytes)
        do throws(InvalidApp) {
            let app = try AppParser.parse(file) { name in
                let path = name.hasPrefix("./") ? "apps/" + name.dropFirst(2) : "platform/\(name).sql"
                return EmbeddedSQL.bytes(of: path).map { SourceFile(name: path, bytes: $0) }
            }
            for query in composeEverything(app) { check(query) }
            return true
        } catch {
            #expect(!error.diagnostics.isEmpty)
            for finding in error.diagnostics {
                #expect((0...finding.file.bytes.count).contains(finding.offset), "\(finding.message)")
                #expect(!finding.report.isEmpty)
            }
            return false
        }
    }

    private func check(_ query: ComposedQuery) {
        let length = query.sql.unicodeScalars.count
        for position in stride(from: 1, through: length, by: 97) {
            guard let place = query.origin(ofPosition: position) else { continue }
            #expect((0...place.file.bytes.count).contains(place.offset))
        }
    }
}

/// The random generator SplitMix64: a seed repeats the same numbers, so a failing test can run again.
struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
