internal import AppFile
package import Asking
package import PQ

/// The result of a list, read row by row, so that memory doesn't grow with the number of rows.
package struct Listing {
    /// The key column; nil if there is none.
    package let key: String?
    /// The columns to show; all if empty.
    package let columns: [String]
    /// The columns that people see first; all if empty.
    package let shown: [String]
    /// The columns, besides the key, whose values are typed again and so must not be cut.
    package let whole: [String]
    private let inquiry: Inquiry
    private let query: ComposedQuery
    /// The limit, and the query without it; nil if there is no limit.
    private let limited: (limit: Int, all: ComposedQuery)?
    /// The check for users that appear twice.
    private let once: Once

    enum Once {
        case unasked
        /// Each row is a user.
        case rows
        case directory
    }

    init(
        _ query: ComposedQuery, of inquiry: Inquiry, key: String? = nil, columns: [String] = [], shown: [String] = [],
        whole: [String] = [], once: Once = .unasked, limited: (limit: Int, all: ComposedQuery)? = nil
    ) {
        self.limited = limited
        self.key = key
        self.columns = columns
        self.shown = shown
        self.whole = whole
        self.inquiry = inquiry
        self.query = query
        self.once = once
    }

    /// Streams the rows, and returns their columns.
    package func stream(each receive: (borrowing RowView) throws(Failure) -> Void) throws(Failure) -> [Column] {
        var columns: [Column]?
        var place: Int?
        var seen: Set<String> = []
        var isOfMany = false
        try inquiry.stream(query) { row throws(Failure) in
            if columns == nil {
                columns = row.columns
                place = row.columns.firstIndex { $0.name == key }
            }
            if once == .rows, !isOfMany, let place, let text = row.value(place).text {
                guard seen.insert(text).inserted else { throw Failure(repeatedUser: text) }
                isOfMany = seen.count >= Self.mostSeen
            }
            try receive(row)
        }
        // For a large table the check runs at the end on the server, so that the first rows appear at once.
        if once == .directory || isOfMany { try inquiry.requireEveryUserOnce() }
        // Without rows, no callback has shown the columns.
        if let columns { return columns }
        return try inquiry.columns(of: query)
    }

    /// The number of rows if the limit cut them off, and whether there are even more.
    package func total(shown: Int) throws(Failure) -> (count: Int, isCut: Bool)? {
        guard let limited, limited.limit == shown, shown > 0 else { return nil }
        let query = ComposedQuery.plain(
            "select pg_catalog.count(*) from (select from (\n\(limited.all.sql)\n) listed limit \(Self.mostCounted + 1)) counted",
            limited.all.values)
        inquiry.reopen()
        guard case .success(let rows) = try inquiry.read([query], isLast: true)[0].reading else { return nil }
        let count = try decoding { () throws(DecodingFailure) in try rows.only().integer(at: 0) }
        return count <= shown ? nil : (min(count, Self.mostCounted), count > Self.mostCounted)
    }

    /// The largest number of rows to count.
    private static let mostCounted = 100_000

    /// The number of keys to remember, to find repeated ones.
    private static let mostSeen = 10_000
}
