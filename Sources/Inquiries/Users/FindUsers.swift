package import AppFile
package import Asking
internal import Catalog
package import PQ

/// The users that a text finds, and by which way.
package struct FoundUsers: Sendable {
    package enum Way: String, Sendable, CaseIterable {
        case id, address, prefix, anywhere, object
    }

    package let way: Way?
    /// What the text was found in, where that is something of the user's.
    package let through: [Identification]
    package let users: [Row]
    package let columns: [Column]
    /// The column that identifies a user.
    package let key: String
    /// The columns that people see first, all when empty.
    package let shown: [String]
    /// The columns that are typed again, and so are of no use in part.
    package let whole: [String]
    package let isCut: Bool
    /// The columns in which nobody looked, because it would have taken reading all users.
    package let unsearched: [String]
}

/// A search of the directory, stage by stage: each asks an index where one knows, and whoever it finds ends it.
package struct UserSearch {
    private let text: String
    private let limit: Int
    private let inquiry: Inquiry
    private let directory: UserDirectory

    /// Searches the directory: exact id, else exact address, else beginnings, else anywhere.
    ///
    /// `slowly` is called before all users are read, where they are many, with the statement that would make it needless.
    package static func run(
        _ typed: String, limit: Int, on connection: Connection, candidates: [App], options: InquiryOptions,
        slowly: (_ remedy: String?) -> Void = { _ in }
    ) throws(Failure) -> FoundUsers {
        let text = PastedName.plain(typed)
        guard !text.isEmpty else {
            throw Failure(InquiryRefusal.nothingToFind)
        }
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options, for: .directory)
        let search = UserSearch(
            text: text, limit: limit, inquiry: inquiry, directory: try inquiry.users())
        if let found = try search.named() { return found }
        if let found = try search.beginning() { return found }
        // Two instants of one connection come one after the other.
        try inquiry.close()
        // What belongs to users stands in the whole of the app file.
        let belongings = try Inquiry.open(on: connection, candidates: candidates, options: options, for: .users)
        if let found = try search.owners(try belongings.owners(of: text, .letters, limit + 1), belongings) {
            return found
        }
        try belongings.close()
        inquiry.reopen()
        // What is handed on row by row comes out of a transaction that has begun.
        _ = try inquiry.look([])
        if let found = try search.containing(), !found.users.isEmpty { return found }
        if search.directory.isOfMany { slowly(search.directory.remedy([.address, .beginning])) }
        let found = try search.walk()
        if !found.users.isEmpty { return found }
        try inquiry.close()
        return try search.owners(try belongings.owners(of: text, .inside, limit + 1), belongings) ?? found
    }

    /// The users to whom what was found belongs.
    private func owners(
        _ found: [Inquiry.Identified], _ inquiry: Inquiry
    ) throws(Failure) -> FoundUsers? {
        var seen: Set<String> = []
        let named = found.filter { seen.insert($0.user).inserted }.prefix(limit)
        let users = try inquiry.users(keyed: named.map(\.user))
        guard let first = users.first else { return nil }
        let rows = Rows(columns: first.facts.columns, rows: users.map(\.facts), affected: users.count)
        return FoundUsers(
            way: .object, through: named.map(\.through), users: rows.rows, columns: rows.columns,
            key: inquiry.app.users.key,
            shown: inquiry.app.users.columns, whole: [inquiry.app.users.key] + inquiry.app.users.emails,
            isCut: Set(found.map(\.user)).count > users.count, unsearched: [])
    }

    /// Whoever is named by a key or an address.
    private func named() throws(Failure) -> FoundUsers? {
        for way in directory.ways(for: text) {
            // What would read all users is part of the walk.
            if !directory.isShort(way), way == .address || way == .written { continue }
            let query = directory.resolution(of: text, by: way, limit: limit + 1, bindings: inquiry.bindings)
            let rows = try rows(of: query, [.address])
            let isKey = way == .typed || way == .written
            if !rows.rows.isEmpty { return found(rows, by: isKey ? .id : .address, isCut: rows.rows.count > limit) }
        }
        return nil
    }

    /// Whoever has a column that begins with the text, as far as indexes know.
    private func beginning() throws(Failure) -> FoundUsers? {
        // Few users are read as fast as an index, and then nothing is left out.
        guard directory.isOfMany,
            let (query, unsearched) = directory.beginning(with: text, limit: limit + 1, bindings: inquiry.bindings)
        else { return nil }
        let rows = try rows(of: query, [.beginning])
        guard !rows.rows.isEmpty else { return nil }
        return found(rows, by: .prefix, isCut: isCut(rows), unsearched: unsearched)
    }

    /// Whoever has a column that contains the text, where indexes know of all of them.
    private func containing() throws(Failure) -> FoundUsers? {
        guard directory.isOfMany,
            let query = directory.containing(text, limit: limit + 1, bindings: inquiry.bindings)
        else { return nil }
        let rows = try rows(of: query, [.anywhere])
        return found(rows, by: rows.rows.isEmpty ? nil : .anywhere, isCut: isCut(rows))
    }

    /// Whoever has the text anywhere, by reading all users.
    private func walk() throws(Failure) -> FoundUsers {
        let query = directory.directory.search(for: text, limit: limit + 1, bindings: inquiry.bindings)
        let answer = try inquiry.patiently(query)
        try inquiry.requireWholeDirectory()
        let rows = try rows(in: answer, [.beginning, .anywhere])
        let ranks = try rows.rows.map { row throws(Failure) in try decoding(try row.integer(at: 2)) }
        let best = ranks.first
        let isBest = zip(rows.rows, ranks).filter { $1 == best }.map(\.0)
        return found(
            Rows(columns: rows.columns, rows: isBest, affected: isBest.count),
            by: best.map { FoundUsers.Way.allCases[$0] },
            isCut: isBest.count > limit)
    }

    // MARK: Answers

    private func rows(of query: ComposedQuery, _ purposes: [MissingIndex.Purpose]) throws(Failure) -> Rows {
        let answer = try inquiry.read([query], isLast: false)[0]
        try inquiry.requireWholeDirectory()
        return try rows(in: answer, purposes)
    }

    private func rows(in answer: Answer, _ purposes: [MissingIndex.Purpose]) throws(Failure) -> Rows {
        switch answer.reading {
        case .success(let rows): return rows
        case .failure(let unreadable): throw try inquiry.tooSlow(unreadable.failure, purposes)
        }
    }

    /// Whether there may be more than came: more users, or more candidates than were looked at.
    private func isCut(_ rows: Rows) -> Bool { rows.rows.count > limit || rows.first?.values[2].boolean == true }

    private func found(
        _ rows: Rows, by way: FoundUsers.Way?, isCut: Bool, unsearched: [String] = []
    ) -> FoundUsers {
        let users = inquiry.app.users
        return FoundUsers(
            way: way, through: [], users: rows.rows.prefix(limit).compactMap { User($0)?.facts },
            columns: Array(rows.columns.dropFirst(3)), key: users.key, shown: users.columns,
            whole: [users.key] + users.emails, isCut: isCut, unsearched: unsearched)
    }
}
