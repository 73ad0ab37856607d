/// The column in which a text was found that is no key and no email: a column of the user, or of something that the
/// user owns.
package struct Identification: Sendable, Hashable {
    /// The kind of object, nil for what the user is called.
    package let noun: String?
    /// Nil for the key of the object.
    package let column: String?
    /// The value of the column.
    package let value: String
    /// The key of the object, where there is one.
    package let key: String?

    /// A column of the user's own, or of an object of a kind.
    package init(noun: String?, column: String?, value: String, key: String?) {
        self.noun = noun
        self.column = column
        self.value = value
        self.key = key
    }
}

extension Identification {
    /// The way in words: what it is called in the app file, and what stands there.
    package var words: String { [noun, column, value].compactMap { $0 }.joined(separator: " ") }
}
