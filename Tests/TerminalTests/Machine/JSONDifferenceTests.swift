import Terminal
import Testing

/// What is different between two documents, as people are told who watch.
@Suite struct JSONDifferenceTests {
    private func changes(_ old: String, _ new: String, after seconds: Double = 5) throws -> [String] {
        let (old, new) = (try #require(JSON(reading: old)), try #require(JSON(reading: new)))
        return JSONDifference.all(from: old, to: new, after: seconds, ignoring: ["at"]).map { change in
            "\(change.path.joined(separator: "/")): \(change.before?.brief ?? "-") > \(change.after?.brief ?? "-")"
        }
    }

    @Test func elementsAreKnownByTheirFirstMember() throws {
        let old = #"{"at":1,"d":[{"name":"a","outcome":"x","n":1},{"name":"b","outcome":"y"}]}"#
        let new =
            #"{"at":2,"d":[{"name":"b","outcome":"z"},{"name":"c","outcome":null},{"name":"a","outcome":"x","n":1}]}"#
        #expect(try changes(old, new) == ["d/b/outcome: y > z", "d/c: - > name c"])
        #expect(try changes(new, old).last == "d/c: name c > -")
        #expect(try changes(old, old).isEmpty)
    }

    @Test func whatMovesWithTheClockIsTheSame() throws {
        let old =
            #"{"at":"2026-11-21T14:00:00Z","left":"2 days 03:00:05","h":[{"at":"2026-11-01T14:00:00Z","n":0}],"end":"2026-11-30T00:00:00Z"}"#
        let later =
            #"{"at":"2026-11-21T14:00:05Z","left":"2 days 03:00:00","h":[{"at":"2026-11-01T14:00:05Z","n":0}],"end":"2026-11-30T00:00:00Z"}"#
        #expect(try changes(old, later).isEmpty)
        let moved = later.replacing("11-30", with: "12-07")
        #expect(try changes(old, moved) == ["end: 2026-11-30T00:00:00Z > 2026-12-07T00:00:00Z"])
    }

    @Test func everyKindOfTextIsRead() throws {
        let text = #" {"a":[1,-2.5e3,"\u00e9\ud83d\ude00\n\"\\",true,false,null,[],{}]} "#
        guard case .object(let members)? = JSON(reading: text), case .array(let values) = members[0].value else {
            Issue.record("it is not read")
            return
        }
        #expect(values[2] == .string("é😀\n\"\\"))
        #expect(values[1] == .number("-2.5e3") && values.last == .object([]) && values.count == 8)
        for broken in ["", "{", #"{"a" 1}"#, "[1,]", "[1] 2", #""open"#, #"{"a":1"#] {
            #expect(JSON(reading: broken) == nil, "\(broken)")
        }
    }
}
