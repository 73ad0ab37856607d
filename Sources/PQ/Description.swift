/// The parameters and columns of a statement, as Postgres describes it without running it.
package struct Description: Sendable, Hashable {
    /// The types it gave the parameters.
    package let parameters: [TypeID]
    package let columns: [DescribedColumn]
}

/// A column of a statement's result, and the table column it comes from unchanged.
package struct DescribedColumn: Sendable, Hashable {
    package let name: String
    package let type: TypeID
    /// The table and the number of its column, nil for anything computed.
    package let origin: Origin?

    package struct Origin: Sendable, Hashable {
        package let table: UInt32
        package let column: Int

        /// A column of a table by its number.
        package init(table: UInt32, column: Int) {
            self.table = table
            self.column = column
        }
    }
}
