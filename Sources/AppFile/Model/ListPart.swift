/// The filter, the order and the limit that an operator chooses for a list.
package struct ListPart: Sendable {
    /// The column that must have a certain text, in any letter case.
    package var whose: (column: String, text: String)?
    /// The time column that must be in a span, with the span's start and end.
    package var span: (column: String, since: String?, until: String?)?
    package var order: (column: String, isDescending: Bool)?
    package var limit: Int?

    /// Creates a part that contains all rows, in the order of the list itself.
    package init() {}

    /// True if the part contains all rows, in the order of the list itself.
    var isWhole: Bool { whose == nil && span == nil && order == nil && limit == nil }
}
