/// A column that a result must have at its place, whatever it is called.
package struct ShapedColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case anything, time, number }

    package let name: String
    package let kind: Kind
    /// True if it may say nothing; Postgres takes a plain NULL for a text.
    package let isOptional: Bool

    /// A column of any type, unless its place is for a time or a number.
    package init(_ name: String, kind: Kind = .anything, isOptional: Bool = false) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
    }
}
