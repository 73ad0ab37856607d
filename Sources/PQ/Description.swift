/// The parameters and columns of a statement, as Postgres describes it without running it.
package struct Description: Sendable, Hashable {
    package let parameters: [TypeID]
    package let columns: [DescribedColumn]
}

/// A column of a result, and the table column that its values come from.
package struct DescribedColumn: Sendable, Hashable {
    package let name: String
    package let type: TypeID
    /// The table and the number of its column; nil for a computed value.
    package let origin: Origin?

    package struct Origin: Sendable, Hashable {
        package let table: UInt32
        package let column: Int

        package init(table: UInt32, column: Int) {
            self.table = table
            self.column = column
        }
    }
}
