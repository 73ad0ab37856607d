import Asking
import Commands
import EmbeddedSQL
import PQ
import Support
import Testing

/// What functions of the schema `usher` refuse is worded here, from the facts that they give.
@Suite struct DatabaseRefusalTests {
    /// The functions, as they are installed.
    private static let functions = EmbeddedSQL.paths(below: "usher/").map { EmbeddedSQL.text(of: $0) }

    /// The names under which something is refused, each with the facts beside it.
    private static let declared: [(name: String, facts: [String])] = functions.flatMap { text in
        text.matches(of: #/'refusal', '(\w+)'(.*?)\)::text/#.dotMatchesNewlines()).map { match in
            // The name of a fact stands between two commas; names of columns stand behind an arrow.
            let facts = (String(match.2) + ", ").matches(of: #/, '(\w+)'(?=, )/#).map { String($0.1) }
            return (String(match.1), facts)
        }
    }

    private static func refusal(_ name: String, _ facts: [String]) -> DatabaseRefusal? {
        let members = facts.map { fact in
            switch fact {
            case "counted" where name == "uncounted": #""counted": 7"#
            case "choices", "remedies", "found", "counted":
                #""\#(fact)": ["<\#(fact)>", "<\#(fact)>", "<\#(fact)>"]"#
            case "rows" where name != "loose" && name != "over_ceiling":
                #""rows": [{"key": "<rows>", "table": "public.things", "kind": "delete", "unlike": "gone"}]"#
            case "because": #""because": {"left": "overwritten", "table": "<because>", "names": "a"}"#
            case "may_ask": #""may_ask": true"#
            default: #""\#(fact)": "<\#(fact)>""#
            }
        }
        let detail = "{\(([#""refusal": "\#(name)""#] + members).joined(separator: ", "))}"
        return DatabaseRefusal(ServerError(state: SQLState(rawValue: "US003"), message: "by hand", detail: detail))
    }

    @Test func everyNameIsKnownOnBothSides() {
        // Two of them are given to the function that refuses.
        let named = Set(Self.declared.map(\.name) + ["changed_since", "not_restored"])
        #expect(named == Set(DatabaseRefusal.Name.allCases.map(\.rawValue)))
    }

    @Test func everyFactIsSaid() throws {
        for (name, facts) in Self.declared + [("changed_since", ["rows"]), ("not_restored", ["rows"])] {
            let words = try #require(Self.refusal(name, facts)).words
            let said = ([words.message, words.hint ?? ""] + words.details).joined(separator: "\n")
            for fact in facts where fact != "may_ask" && (fact, name) != ("counted", "uncounted") {
                #expect(said.contains("<\(fact)>"), "\(name): \(said)")
            }
            #expect(!words.message.contains("by hand") && words.complaint.last != ".", "\(name)")
        }
    }

    /// Whoever reads the state finds the facts.
    @Test func nothingIsRefusedWithoutFacts() {
        for text in Self.functions {
            #expect(
                text.ranges(of: "errcode = 'US").count <= text.ranges(of: "'refusal', ").count, "\(text.prefix(100))")
        }
    }

    /// What an app's own trigger raises by the same state is its own to say.
    @Test func whatHasNoFactsKeepsItsMessage() {
        let error = ServerError(state: SQLState(rawValue: "US003"), message: "not on Sundays", detail: "it is Sunday")
        #expect(DatabaseRefusal(error)?.name == nil)
        #expect(Failure(error).words.message == "not on Sundays")
    }
}
