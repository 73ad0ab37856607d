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
        #expect(try transaction.misfits(among: ["1", "x", "1.5"], of: "numeric") == ["x"])
        #expect(try transaction.misfits(among: ["glad", "bored", "sad"], of: "public.mood") == ["bored"])
        #expect(try transaction.misfits(among: ["xyz"], of: "uuid") == ["xyz"])
        #expect(try transaction.misfits(among: ["xyz", ""], of: "text") == [])
    }
}
