import Operations
import PQ
import Support
import Testing

/// What is emptied when somebody is to be forgotten, and what stays.
@Suite struct ForgettingTests {
    private static let ada = "3f8a6e0c-6d0b-4f0a-9b3e-0f8f2d1c7a11"

    /// A payload, needles, and whether the one speaks of the others.
    static let payloads: [(payload: String, needles: [String], isForgotten: Bool)] = [
        (#"{"target": "ada@example.com"}"#, ["ada@example.com"], true),
        (#"{"target": "Ada@Example.com"}"#, ["aDA@eXAMPLE.COM"], true),
        (#"{"reason": "asked by ada@example.com, twice"}"#, ["ada@example.com"], true),
        (#"{"reason": "Asked by ada@example.com."}"#, ["ada@example.com"], true),
        (#"{"arguments": {"to": ["x", "<ada@example.com>"]}}"#, ["ada@example.com"], true),
        (#"{"because": "mailto:ada@example.com"}"#, ["nobody", "ada@example.com"], true),
        (#"{"users": ["3F8A6E0C-6d0b-4f0a-9b3e-0f8f2d1c7a11"]}"#, [ada], true),
        (#"{"path": "avatars/3f8a6e0c-6d0b-4f0a-9b3e-0f8f2d1c7a11/face.png"}"#, [ada], true),
        (#"{"target": "o'br\"ien\\x@example.com"}"#, [#"o'br"ien\x@example.com"#], true),
        (#"{"target": "a_b%c+d@example.com"}"#, ["a_b%c+d@example.com"], true),
        (#"{"target": "ärger@exämple.com"}"#, ["Ärger@exämple.com"], true),
        (#"{"users": ["17"]}"#, ["17"], true),
        (#"{"target": "17"}"#, ["17"], true),

        (#"{"target": "joada@example.com"}"#, ["ada@example.com"], false),
        (#"{"target": "jo.ada@example.com"}"#, ["ada@example.com"], false),
        (#"{"target": "ada@example.com.au"}"#, ["ada@example.com"], false),
        (#"{"target": "ada@example.community"}"#, ["ada@example.com"], false),
        (#"{"target": "axb@example.com"}"#, ["a_b@example.com", "a.b@example.com", "a%@example.com"], false),
        (#"{"target": "ada@example.com"}"#, [""], false),
        (#"{"target": "ada@example.com"}"#, [], false),
        (#"{"arguments": {"days": 17}, "users": ["170"], "total": 17, "reason": "17"}"#, ["17"], false),
    ]

    @Test func wordsAreFoundWhole() throws {
        let lab = try LedgerLab()
        for (index, (payload, needles, isForgotten)) in Self.payloads.enumerated() {
            let number = 2 * index + 1
            try lab.commit(LedgerLab.entry(number, payload: payload))
            _ = try lab.forget(number + 1, needles)
            let isEmpty = try lab.value(
                "select payload is null from usher.operation where id = \(LedgerLab.id(number))")
            #expect(isEmpty == (isForgotten ? "t" : "f"), "\(needles) in \(payload)")
        }
        try lab.seal()
        #expect(try lab.problems() == [])
    }

    @Test func changesAreForgottenByTheirUserAndByWhatTheyHold() throws {
        let lab = try LedgerLab()
        try lab.commit(
            LedgerLab.entry(1),
            changes: [
                #"{"user": "17", "after": {"score": 1}}"#, #"{"user": "18", "after": {"score": 17}}"#,
                #"{"user": null, "before": {"email": "ada@example.com"}}"#,
            ])
        #expect(try lab.forget(2, ["17", "ada@example.com"]) == 2)
        #expect(
            try lab.value(
                "select string_agg(ordinal::text, ',' order by ordinal) from usher.change where erased is not null")
                == "1,3")
        #expect(try lab.value("select count(*) from usher.change where (salt is null) <> (erased is not null)") == "0")
        #expect(try lab.value("select erased from usher.tally()") == "2")
    }

    @Test func theChainHoldsBeforeAndAfterAndNothingIsForgottenTwice() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, payload: #"{"users": ["ada@example.com"]}"#), changes: ["{}"])
        let head = try lab.seal()
        #expect(try lab.forget(2, ["ada@example.com"]) == 1)
        #expect(try lab.forget(3, ["ada@example.com"]) == 0)
        try lab.seal()
        #expect(try lab.problems(head: head) == [])
        #expect(try lab.value("select erased from usher.operation where id = \(LedgerLab.id(1))") == LedgerLab.id(2))
    }

    @Test func onlyAnErasureOfTheSameTransactionForgets() throws {
        let lab = try LedgerLab()
        try lab.commit(LedgerLab.entry(1, .erasure))
        let connection = try lab.database.connect(user: LedgerLab.owner)
        let forget = Query(unsafe: "select usher.forget($1, '{ada@example.com}')", [LedgerLab.id(1)])
        #expect(throws: PQError.self) { _ = try connection.execute(forget) }
        _ = try connection.execute("begin")
        _ = try connection.execute(Ledger.record(LedgerLab.entry(2, .change)))
        let error = try #require(throws: PQError.self) {
            _ = try connection.execute("select usher.forget(\(LedgerLab.id(2)), '{ada@example.com}')")
        }
        #expect(Failure(error).kind == .forbidden)
    }
}
