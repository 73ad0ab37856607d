import Terminal
import Testing

@Suite struct InstantTests {
    private static let utc = Zone(name: "UTC") { _ in 0 }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.000001Z", 1), ("1969-12-31T23:59:59.999999Z", -1),
        ("2000-02-29T12:00:00Z", 951_825_600_000_000), ("2026-11-21T11:12:28.123456Z", 1_795_259_548_123_456),
        ("1600-02-29T00:00:00Z", -11_670_998_400_000_000), ("0001-01-01T00:00:00Z", -62_135_596_800_000_000),
        ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ])
    func instantIsParsedAndPrintedExactly(text: String, microseconds: Int64) {
        #expect(Instant(rfc3339: text)?.microseconds == microseconds)
        #expect(Instant(microseconds: microseconds).description == text)
    }

    @Test(arguments: [("2026-11-21T11:12:28.5Z", 500_000), ("2026-11-21T11:12:28.12345Z", 123_450)])
    func instantWithAShortFractionIsParsed(text: String, fraction: Int64) throws {
        #expect(try #require(Instant(rfc3339: text)).microseconds % 1_000_000 == fraction)
    }

    @Test(arguments: [
        "infinity", "-infinity", "", "0044-03-15T00:00:00Z BC", "0000-01-01T00:00:00Z", "2026-11-21",
        "2026-11-21T11:12Z",
        "2026-11-21 11:12:28Z", "2026-11-21T11:12:28", "2026-11-21T11:12:28+01:00", "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T11:60:00Z", "2026-11-21T11:12:60Z",
        "2026-11-21T11:12:28.Z", "2026-11-21T11:12:28.1234567Z", "2026-11-21T11:12:28Zx", "+026-11-21T11:12:28Z",
        "12026-11-21T11:12:28Z", "２026-11-21T11:12:28Z",
    ])
    func invalidTextOfAnInstantReturnsNil(text: String) {
        #expect(Instant(rfc3339: text) == nil)
    }

    @Test(arguments: ["2026-11-21T11:12:28.123456Z", "0001-01-01T00:05:59Z", "1969-12-31T23:59:59.999999Z"])
    func shortFormOfAnInstantEndsWithTheMinute(text: String) throws {
        let short = try #require(Instant(rfc3339: text)).short(in: Self.utc)
        #expect(short == text.prefix(16).split(separator: "T").joined(separator: " "))
    }

    @Test func exactFormOfAnInstantShowsMicroseconds() throws {
        let instant = try #require(Instant(rfc3339: "2026-11-21T11:12:08.00045Z"))
        #expect(instant.short(in: Self.utc, isExact: true) == "2026-11-21 11:12:08.000450")
    }

    @Test func instantsHaveADistance() throws {
        let early = try #require(Instant(rfc3339: "2026-11-21T11:12:28Z"))
        let late = try #require(Instant(rfc3339: "2026-11-21T11:12:29.5Z"))
        #expect(late.seconds(since: early) == 1.5)
        #expect(early.seconds(since: late) == -1.5)
        #expect(Instant.now().microseconds > 0)
    }
}
