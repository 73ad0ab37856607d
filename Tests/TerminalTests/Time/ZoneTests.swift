import Terminal
import Testing

@Suite struct ZoneTests {
    /// The zone is one hour ahead of UTC before the first of these instants, and two hours ahead between the first and
    /// the second.
    private static let spring: Int64 = 1_774_746_000  // 2026-03-29T01:00:00Z
    private static let autumn: Int64 = 1_792_890_000  // 2026-10-25T01:00:00Z
    private static let berlin = Zone(name: "Europe/Berlin") { (spring..<autumn).contains($0) ? 7200 : 3600 }

    @Test(arguments: [
        ("2026-10-24T23:59:00Z", "2026-10-25 01:59"), ("2026-10-25T00:00:00Z", "2026-10-25 02:00+02"),
        ("2026-10-25T00:59:59.999999Z", "2026-10-25 02:59+02"), ("2026-10-25T01:00:00Z", "2026-10-25 02:00+01"),
        ("2026-10-25T02:00:00Z", "2026-10-25 03:00"), ("2026-03-29T01:00:00Z", "2026-03-29 03:00"),
        ("2026-03-29T00:59:00Z", "2026-03-29 01:59"),
    ])
    func ambiguousTimeIsShownWithItsOffset(instant: String, shown: String) throws {
        #expect(try #require(Instant(rfc3339: instant)).short(in: Self.berlin) == shown)
    }
}
