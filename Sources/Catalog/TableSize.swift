/// The sizes from which a table counts as large.
package enum TableSize {
    /// The number of rows from which searches need an index; a scan of a smaller table takes no longer than a query.
    package static let many = 10_000

    /// The number of rows that a search without an index can read in about a second.
    package static let searchable = 100_000
}
