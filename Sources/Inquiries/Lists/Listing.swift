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

    init(
        _ query: ComposedQuery, of inquiry: Inquiry, key: String? = nil, columns: [String] = [], shown: [String] = [],
        whole: [String] = []
    ) {
        self.key = key
        self.columns = columns
        self.shown = shown
        self.whole = whole
        self.inquiry = inquiry
        self.query = query
    }

    /// Hands on the rows and returns their columns.
    package func stream(each receive: (borrowing RowView) throws(Failure) -> Void) throws(Failure) -> [Column] {
        var columns: [Column]?
        try inquiry.stream(query) { row throws(Failure) in
            columns = columns ?? row.columns
            try receive(row)
        }
        // When nobody came, nobody told the columns.
        if let columns { return columns }
        return try inquiry.columns(of: query)
    }
}
