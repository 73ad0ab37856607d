/// The rows of a list to return, and their order.
package struct ListPart: Sendable {
    /// Only rows with a text in a column, in any letter case.
    package var whose: (column: String, text: String)?
    /// Only rows of a time span, by a column.
    package var span: (column: String, since: String?, until: String?)?
    package var order: (column: String, isDescending: Bool)?
    package var limit: Int?

    /// All rows, in the list's own order.
    package init() {}

    /// True if nothing limits the list.
    var isWhole: Bool { whose == nil && span == nil && order == nil && limit == nil }
}
