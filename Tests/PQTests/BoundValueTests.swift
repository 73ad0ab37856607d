import LocalCluster
import PQ
import Support
import Testing

@Suite struct BoundValueTests {
    private let connection: Connection

    init() throws { connection = try TestCluster.emptyDatabase().connect() }

    private static let lists: [(type: String, elements: [String])] = [
        ("uuid", ["00000000-0000-0000-0000-00000000000a", "F81D4FAE-7dec-11d0-a765-00a0c91e6bf6"]),
        ("smallint", ["-32768", "7", "32767"]), ("integer", ["-2147483648", "0", "2147483647"]),
        ("bigint", ["-9223372036854775808", "9223372036854775807"]), ("text", ["", "ä \"quoted\" \\ word", "NULL"]),
    ]

    @Test(arguments: lists) func binaryArrayFromTheServerCanBeBound(type: String, elements: [String]) throws {
        let elements = arrayLiteral(elements).dropLast() + ",NULL}"
        let sent = try connection.execute(
            Query(unsafe: "select array_send($1::\(type)[])::text as list", [String(elements)]))
        let text = try #require(sent.first).text("list")
        let list = BoundValue.list(try #require(PackedList(sent: text)))
        #expect(PackedList.packs(type))
        let same = try connection.execute(
            Query(
                unsafe: "select ($1::\(type)[] is not distinct from $2::\(type)[])::text as same",
                values: [list, .text(String(elements))]))
        #expect(try #require(same.first).text("same") == "true")
        #expect(arrayElements(list.text).count == arrayElements(String(elements)).count)
    }

    @Test func statementCanBindArraysTextsAndNull() throws {
        let row = try connection.execute(
            Query(
                unsafe: "select $1::text as one, $2::int[]::text as two, $3::text is null as three, $4::text as four",
                values: ["a", BoundValue(["1", "2"]), nil, "ä"])
        ).first
        let found = try #require(row)
        #expect(try found.text("one") == "a")
        #expect(try found.text("two") == "{1,2}")
        #expect(try found.boolean("three"))
        #expect(try found.text("four") == "ä")
    }

    @Test func invalidHexOfABinaryArrayReturnsNil() {
        #expect(PackedList(sent: "{1,2}") == nil)
        #expect(PackedList(sent: "\\x0g") == nil)
        #expect(PackedList(sent: "\\x0") == nil)
    }
}
