/// The sizes from which a table counts as large.
package enum TableSize {
    /// From so many rows on it matters whether there is an index: below, reading them all takes no longer than asking one.
    package static let many = 10_000

    /// A search without an index reads as many rows: that takes about a second.
    package static let searchable = 100_000
}
