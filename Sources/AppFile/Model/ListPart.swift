/// Which rows of a listing verb, and in which order.
package struct ListPart: Sendable {
    /// Only rows with this text in a column, in any letter case.
    package var whose: (column: String, text: String)?
    /// Only rows of some time, by a column.
    package var span: (column: String, since: String?, until: String?)?
    package var order: (column: String, isDescending: Bool)?
    package var limit: Int?

    /// All of them, as the list has them.
    package init() {}

    /// True if nothing is said of it.
    var isWhole: Bool { whose == nil && span == nil && order == nil && limit == nil }
}
