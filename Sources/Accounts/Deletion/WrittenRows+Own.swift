internal import Acts
internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Rows that triggers wrote behind the deletion into tables that refer to the account: the lines about their tables hold for
/// them as for those that were there before, unless a line says what becomes of what triggers write.
extension WrittenRows {
    /// Does with them what the lines say; `found` are the tables in which there are some.
    ///
    /// Gives whether anything was written for it.
    mutating func settle(_ found: [UInt32: Int], _ detachment: inout Detachment) throws(Failure) -> Bool {
        var hasWritten = false
        for table in found.keys.sorted() where mayHave(table) && map.lines.written[table]?.answer != .keep {
            hasWritten = true
            try remove(from: table)
            if map.lines.written[table] == nil { try detachment.detach(table) }
        }
        for table in map.anonymised.keys.sorted() where counts?[table].map({ $0.inserted > 0 }) == true {
            guard map.lines.written[table] == nil else { continue }
            hasWritten = true
            try detachment.overwrite(table)
        }
        // Whatever becomes of the rows, the lines about their columns hold for them.
        let rewritten = Set(survey.search.readings.users.filter(map.lines.rewrites).map(\.table))
        for table in rewritten.sorted() where mayHave(table) {
            hasWritten = true
            try detachment.rewrite(table)
        }
        changed = detachment.changed
        return hasWritten
    }

    /// What is left without the rows that a line about what triggers write keeps.
    ///
    /// No more than the server saw coming: what was there before is to go.
    func unexcused(_ found: [UInt32: Int]) -> [UInt32: Int] {
        found.filter { table, rows in
            map.lines.written[table]?.answer != .keep || rows > (counts?[table]?.inserted ?? 0)
        }
    }

    /// What a report says of those that were taken away.
    var takenAway: [Found] {
        removed.sorted { $0.key < $1.key }.map { table, rows in
            Found(table: map.name(table), rows: rows, isRemoved: true, why: nil, isAccepted: true)
        }
    }

    private func mayHave(_ table: UInt32) -> Bool { counts.map { ($0[table]?.inserted ?? 0) > 0 } ?? true }

    private mutating func remove(from table: UInt32) throws(Failure) {
        var bindings = Bindings()
        let isRemoved = map.lines.written[table]?.answer == .remove
        let goes =
            isRemoved
            ? survey.closure.belonging(to: table, { _ in true }, &bindings)
            : survey.closure.condition(of: table, &bindings)
        guard let relation = map.graph.tables[table], let goes else { return }
        let deletion = Query(
            unsafe: "delete from \(relation.ownRows) t where \(ownWrite) and (\(goes))", values: bindings.values)
        switch try transaction.attempt([deletion]) {
        case .success(let answers):
            let rows = try decoding(try answers[0].written())
            if rows > 0 { removed[table] = rows }
        case .failure(let error):
            if error.state.endsAttempt { throw Failure(error) }
            let path = SQLName.path(of: [relation.schema, relation.name])
            let rows = TableRows(relation.qualifiedName, counts?[table]?.inserted ?? 1)
            throw Failure(ErasureRefusal.writtenByTriggers(rows, path: path, error))
        }
    }
}
