/// The values bound to a statement, without duplicates.
package struct Bindings {
    package private(set) var values: [BoundValue?] = []
    private var types: [String] = []

    package init() {}

    /// Builds a condition; if the condition is nil, drops its bound values.
    ///
    /// The server refuses values that a statement doesn't use.
    package mutating func attempt<Part>(_ make: (inout Bindings) -> Part?) -> Part? {
        var further = self
        guard let part = make(&further) else { return nil }
        self = further
        return part
    }

    package mutating func bind(_ value: String?, as type: String) -> String { bind(value.map { .text($0) }, as: type) }

    package mutating func bind(_ elements: [String], of type: String) -> String {
        bind(BoundValue(elements), as: type + "[]")
    }

    /// Binds a value once, and returns its placeholder.
    package mutating func bind(_ value: BoundValue?, as type: String) -> String {
        let known = values.indices.first { types[$0] == type && values[$0] == value }
        if known == nil {
            values.append(value)
            types.append(type)
        }
        return "$\((known ?? values.count - 1) + 1)::\(type)"
    }
}
