import Terminal
import Testing

/// Clocks that are set forward and back.
@Suite struct ZoneTests {
    /// An hour ahead of UTC, and two from the second of spring to that of autumn.
    private static let spring: Int64 = 1_774_746_000  // 2026-03-29T01:00:00Z
    private static let autumn: Int64 = 1_792_890_000  // 2026-10-25T01:00:00Z
    private static let berlin = Zone(name: "Europe/Berlin") { (spring..<autumn).contains($0) ? 7200 : 3600 }
    /// Ten and a half hours, and eleven in summer, set by half an hour.
    private static let lordHowe = Zone(name: "Australia/Lord_Howe") {
        (1_775_314_800..<1_791_041_400).contains($0) ? 37_800 : 39_600
    }

    private func clock(_ text: String) throws -> Int64 { try #require(Instant(rfc3339: text)).microseconds / 1_000_000 }

    @Test(
        arguments: [
            ("2026-01-01T12:00:00Z", 3600), ("2026-07-01T12:00:00Z", 7200), ("2026-03-29T01:59:59Z", 3600),
            ("2026-03-29T03:00:00Z", 7200), ("2026-10-25T01:59:59Z", 7200), ("2026-10-25T03:00:00Z", 3600),
            // Skipped: as if the clocks had not been set forward yet.
            ("2026-03-29T02:00:00Z", 3600), ("2026-03-29T02:59:59Z", 3600),
            // Shown twice: the later instant.
            ("2026-10-25T02:00:00Z", 3600), ("2026-10-25T02:59:59Z", 3600),
        ] as [(String, Int64)])
    func aClockIsReadAsPostgresReadsIt(shown: String, offset: Int64) throws {
        #expect(Self.berlin.offset(ofClock: try clock(shown)) == offset)
    }

    @Test(arguments: [
        ("2026-10-24T23:59:00Z", "2026-10-25 01:59"), ("2026-10-25T00:00:00Z", "2026-10-25 02:00+02"),
        ("2026-10-25T00:59:59.999999Z", "2026-10-25 02:59+02"), ("2026-10-25T01:00:00Z", "2026-10-25 02:00+01"),
        ("2026-10-25T02:00:00Z", "2026-10-25 03:00"), ("2026-03-29T01:00:00Z", "2026-03-29 03:00"),
        ("2026-03-29T00:59:00Z", "2026-03-29 01:59"),
    ])
    func anInstantIsShownSoThatItIsReadAsTheSame(instant: String, shown: String) throws {
        #expect(try #require(Instant(rfc3339: instant)).short(in: Self.berlin) == shown)
    }

    @Test func everyMinuteOfAChangeByHalfAnHourReadsBack() throws {
        for change in [1_775_314_800, 1_791_041_400] as [Int64] {
            for minute in stride(from: change - 7200, through: change + 7200, by: 60) {
                let shown = Instant(microseconds: minute * 1_000_000).short(in: Self.lordHowe)
                let parts = shown.split(separator: "+")
                let second = try clock(parts[0].split(separator: " ").joined(separator: "T") + ":00Z")
                let named: Int64? = parts.count == 1 ? nil : parts[1] == "11" ? 39_600 : 37_800
                let offset = named ?? Self.lordHowe.offset(ofClock: second)
                #expect(second - offset == minute, "\(shown)")
            }
        }
    }
}
