internal import AppFile
package import Asking
package import PQ

/// The result of a list command; usher streams the rows instead of holding them in memory.
package struct Listing {
    let query: ComposedQuery
    let inquiry: Inquiry
    /// The name of the key column; nil if the list has none.
    package private(set) var key: String?
    /// The columns that the list contains; empty if it contains all.
    package private(set) var columns: [String] = []
    /// The columns that the table on screen shows; empty if the table shows all.
    package private(set) var shown: [String] = []
    /// The columns, except the key, whose values usher never shortens, because operators copy the values into other
    /// commands.
    package private(set) var whole: [String] = []
    private(set) var once = Once.unasked
    /// The limit, and the query without the limit; nil if the list has no limit.
    private(set) var limited: (limit: Int, all: ComposedQuery)?

    enum Once {
        case unasked
        /// Checks that no two listed rows have the same key, because each row is a user.
        case rows
        /// Like `rows`, for a list that is sorted by the key.
        case neighbors
        /// Reads the keys of all users after the last row.
        case directory
    }

    package func stream(each receive: (borrowing RowView) throws(Failure) -> Void) throws(Failure) -> [Column] {
        var columns: [Column]?
        var place: Int?
        // The keys of the earlier rows, or of the previous row.
        var seen: Set<String> = []
        var isOfMany = false
        try inquiry.stream(query) { row throws(Failure) in
            if columns == nil {
                columns = row.columns
                place = row.columns.firstIndex { $0.name == key }
            }
            if once == .rows || once == .neighbors, !isOfMany, let place, let text = row.value(place).text {
                guard !seen.contains(text) else { throw Failure(repeatedUser: text) }
                if once == .neighbors { seen.removeAll(keepingCapacity: true) }
                seen.insert(text)
                isOfMany = seen.count >= Self.mostSeen
            }
            try receive(row)
        }
        // For a long list, the server checks the keys after the last row, so that the first rows appear immediately.
        if once == .directory || isOfMany { try inquiry.requireEveryUserOnce() }
        // Without rows, the stream doesn't return the columns.
        if let columns { return columns }
        return try inquiry.columns(of: query)
    }

    /// The total number of rows, and true if usher stopped counting; nil if the limit left out no
    /// rows.
    package func total(shown: Int) throws(Failure) -> (count: Int, isCut: Bool)? {
        guard let limited, limited.limit == shown, shown > 0 else { return nil }
        let query = ComposedQuery(
            engine: """
                select pg_catalog.count(*) from (select from (
                \(limited.all.sql)
                ) listed limit \(Self.mostCounted + 1)) counted
                """, values: limited.all.values)
        inquiry.reopen()
        guard case .success(let rows) = try inquiry.read([query], isLast: true)[0].reading else { return nil }
        let count = try failing(try rows.only().integer(at: 0))
        return count <= shown ? nil : (min(count, Self.mostCounted), count > Self.mostCounted)
    }

    private static let mostCounted = 100_000

    /// The number of keys that usher remembers to find repeated keys.
    private static let mostSeen = 10_000
}
