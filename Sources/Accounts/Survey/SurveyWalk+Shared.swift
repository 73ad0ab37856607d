internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension SurveyWalk {
    /// So many accounts are looked at.
    private static let mostAccounts = 16

    /// Looks for the tables of which users share rows, as the accounts of a sample show it.
    ///
    /// Keys alone say of nearly any table with two references that its rows could be shared; whether they are, rows say. Each two
    /// accounts of the sample are once on both sides of a line, and the whole database is on the other side, too.
    mutating func addShared(from start: AccountStart, asking ask: Ask) throws(Failure) {
        let accounts = candidates.samples[Reading.Key(table: map.root.oid, column: map.root.column)]
            .prefix(Self.mostAccounts).enumerated()
        let last = accounts.underestimatedCount - 1
        var found: [UInt32: Int] = [:]
        var bit = 1
        while bit <= last {
            for side in [0, bit] {
                var start = start
                start.name(accounts.filter { $0.offset & bit == side }.map(\.element))
                let own = try map.settled(by: start, asking: ask)
                let readings = try Readings(of: own, besides: [], withEmptyTables: false, asking: ask)
                let closure = try AccountClosure(own.reading(readings), answer: nil, asking: ask)
                for (table, rows) in closure.found.mapValues(\.collateral)
                where rows > 0 && map.lines.shared[table] == nil {
                    found[table] = max(found[table] ?? 0, rows)
                }
            }
            bit <<= 1
        }
        shared = Set(found.keys)
        for (table, rows) in found { add(table, shared: rows) }
    }

    /// What becomes of such rows nobody proposes: an engineer says it, or whoever deletes.
    private mutating func add(_ table: UInt32, shared rows: Int) {
        let (path, answer) = (map.path(table), answer(of: table))
        let lines: [Survey.Effect: Survey.Proposal] = [
            .keep: .init("@collateral \(path) : keep", .staysForOthers),
            .delete: .init("@collateral \(path) : delete", .goesForAll),
        ]
        guard let answer, let line = lines[answer] else { return }
        questions.append(
            Survey.Question(
                matter: .shared, table: map.name(table), column: nil, path: path,
                because: [Evidence(.shared(rows), points: Evidence.asking)], parent: nil, effect: answer,
                proposal: [line], rows: nil))
    }
}
