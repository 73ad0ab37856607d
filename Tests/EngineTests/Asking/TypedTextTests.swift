@testable import Asking
import PQ
import Support
import Testing

/// The server, not usher, parses the values that an operator types.
@Suite struct TypedTextTests {
    private static let made = Result {
        let database = try TestCluster.emptyDatabase()
        try database.run(
            "create type public.mood as enum ('sad', 'glad')",
            "create domain public.score as integer not null check (value > 0)",
            "create domain public.best as public.score check (value > 90)",
            "create domain public.moment as timestamptz")
        return database
    }

    private func transaction() throws -> ReadTransaction {
        ReadTransaction(on: try Self.made.get().connect())
    }

    @Test func serverParsesAListOfValuesAndReportsEachInvalidValue() throws {
        let typed = [
            TypedText("2026-12-01", "timestamptz"), TypedText("25:61", "timestamptz"), TypedText("glad", "public.mood"),
            TypedText("bored", "public.mood"), TypedText("3 days", "interval"), TypedText("x", "integer"),
            TypedText("3", "integer"), TypedText("3", "public.best"), TypedText("91", "public.best"),
            TypedText("tomorrow", "public.moment"), TypedText("{\"a\": 1}", "jsonb"), TypedText("{", "jsonb"),
            TypedText("'; drop \\ \"x\" {,} %s $1", "text[]"), TypedText(#"{"a\"b'",%L}"#, "text[]"),
            TypedText("t", "public.nothing"), TypedText("zzz", TypeID.date), TypedText("today", TypeID.date),
        ]
        let readings = try transaction().readings(of: typed)
        let states = readings.map { reading in
            if case .failure(let error) = reading { error.state.rawValue } else { nil as String? }
        }
        #expect(
            states == [
                nil, "22008", nil, "22P02", nil, "22P02", nil, "23514", nil, nil, nil, "22P02", "22P02", nil, "42704",
                "22007", nil,
            ])
        let types = readings.map { try? $0.get() }
        #expect(types[0] == .timestamptz)
        #expect(types[8] == .integer)
        #expect(types[9] == .timestamptz)
        #expect(types[16] == .date)
    }

    @Test func serverReportsInvalidKeysOfAnyType() throws {
        let transaction = try transaction()
        for (text, type, isAccepted) in [
            ("1", "numeric", true), ("x", "numeric", false), ("1.5", "numeric", true), ("glad", "public.mood", true),
            ("bored", "public.mood", false), ("xyz", "uuid", false), ("xyz", "text", true), ("", "text", true),
        ] {
            #expect(try transaction.accepts(text, as: type) == isAccepted, "\(text) \(type)")
        }
    }
}
