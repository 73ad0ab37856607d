/// The sizes from which a table counts as large.
package enum TableSize {
    /// The number of rows from which an index matters; below, a full scan takes no longer than one query.
    package static let many = 10_000

    /// The number of rows that a search without an index reads, in about a second.
    package static let searchable = 100_000
}
