/// The rows of a list to return, and their order.
package struct ListPart: Sendable {
    /// The column and text to filter by, in any letter case.
    package var whose: (column: String, text: String)?
    /// The time column and the span to filter by.
    package var span: (column: String, since: String?, until: String?)?
    package var order: (column: String, isDescending: Bool)?
    package var limit: Int?

    /// All rows, in the list's own order.
    package init() {}

    /// True if nothing limits the list.
    var isWhole: Bool { whose == nil && span == nil && order == nil && limit == nil }
}
