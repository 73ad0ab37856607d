internal import AppFile
package import Asking
package import PQ

/// Rows that are ready to be read one by one; memory does not grow with their number.
package struct Listing {
    /// The column that identifies a row, nil where there is none.
    package let key: String?
    /// The columns to show, all when empty.
    package let columns: [String]
    /// The columns that people see first, all when empty.
    package let shown: [String]
    /// The columns besides the key that are typed again, and so are of no use in part.
    package let whole: [String]
    private let inquiry: Inquiry
    private let query: ComposedQuery
    /// The most rows it shows, and the same rows without that limit; nil where all are shown.
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

    /// Hands on the rows and returns their columns.
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
        // Of so many it is told in the end, by the server: nobody waits for that to see the first.
        if once == .directory || isOfMany { try inquiry.requireEveryUserOnce() }
        // When nobody came, nobody told the columns.
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

    /// More rows than these are not counted.
    private static let mostCounted = 100_000

    /// So many keys are kept in mind to know them again.
    private static let mostSeen = 10_000
}
