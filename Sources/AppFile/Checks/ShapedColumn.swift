/// A column that a result must have at a certain index, under any name.
package struct ShapedColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case anything, time, number }

    package let name: String
    package let kind: Kind
    /// True if the value may be NULL; Postgres reads a plain NULL as a text.
    package let isOptional: Bool

    /// Declares a column, of any type unless the result needs a time or a number there.
    package init(_ name: String, kind: Kind = .anything, isOptional: Bool = false) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
    }
}
