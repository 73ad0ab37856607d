internal import AppFile
internal import Asking
internal import PQ

extension UserSearch {
    /// Whoever has the text anywhere, by reading all users: those whom the best way led to.
    ///
    /// Each is handed on at once, unless a better way led to somebody before. When more came than are wanted, the rest is only
    /// read for whom a better way would lead to.
    mutating func walk(
        _ slowly: (SlowSearch) -> Void, _ coming: (FoundUsers) throws(Failure) -> Void
    ) throws(Failure) -> FoundUsers {
        // What is handed on row by row comes out of a transaction that has begun.
        var indexes: [String] = []
        if directory.isOfMany {
            indexes = try inquiry.indexes(searching: text)
            slowly(.users(remedies: indexes))
        } else {
            inquiry.reopen()
            _ = try inquiry.look([])
        }
        try inquiry.requireWholeDirectory()
        var best: (way: Directory.WalkedWay, rows: [Row])?
        var widest = Directory.WalkedWay.part
        while true {
            var isFull = false
            try inquiry.seek(query(upTo: widest), without: indexes) { row throws(Failure) in
                let way = Directory.WalkedWay.allCases[try decoding(try row.integer(at: 2))]
                if let known = best?.way, way > known { return true }
                if best?.way != way { best = (way, []) }
                best?.rows.append(row)
                isFull = (best?.rows.count ?? 0) > limit
                if !isFull { try coming(found([row], by: way)) }
                return !isFull
            }
            guard isFull, let best, let better = waysLeft.last(where: { $0 < best.way }) else { break }
            widest = better
        }
        if let best { return try found(best.rows, by: best.way) }
        if columns.isEmpty {
            columns = try inquiry.columns(of: query(upTo: widest))
        }
        return try nobody(unsearched: [])
    }

    private func query(upTo way: Directory.WalkedWay) -> ComposedQuery {
        directory.directory.walk(for: text, upTo: way, bindings: inquiry.bindings)
    }

    /// The ways that indexes have not answered for all users; whose key it is was asked first of all.
    private var waysLeft: [Directory.WalkedWay] {
        let begun = beginnings
        return (directory.findsAddresses ? [] : [.address])
            + (!begun.isEmpty && begun.allSatisfy(\.unsearched.isEmpty) ? [] : [.beginning]) + [.part]
    }

    private func found(_ rows: [Row], by way: Directory.WalkedWay) throws(Failure) -> FoundUsers {
        try found(
            Rows(columns: rows[0].columns, rows: rows, affected: rows.count), by: FoundUsers.Way.allCases[way.rawValue],
            isCut: rows.count > limit)
    }
}
