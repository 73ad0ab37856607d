internal import Asking

/// Parses a typed sort order: a column, with a dash before it for descending order.
enum SortOrder {
    static func read(
        _ typed: String, among columns: [String]
    ) throws(Failure) -> (column: String, isDescending: Bool) {
        let name = typed.hasPrefix("-") ? String(typed.dropFirst()) : typed
        guard columns.contains(name) else {
            throw Failure(unknown: "there is no column \(name) to sort by", known: columns)
        }
        return (name, typed.hasPrefix("-"))
    }
}
