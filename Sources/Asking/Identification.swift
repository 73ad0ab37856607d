/// The column where a text was found that is no key and no email, of a user or of an object that the user owns.
package struct Identification: Sendable, Hashable {
    /// The kind of object; nil for a column of the user.
    package let noun: String?
    /// Nil for the key of the object.
    package let column: String?
    /// The value of the column.
    package let value: String
    /// The key of the object, if any.
    package let key: String?

    /// A column of the user, or of a kind of object.
    package init(noun: String?, column: String?, value: String, key: String?) {
        self.noun = noun
        self.column = column
        self.value = value
        self.key = key
    }
}

extension Identification {
    /// The column and its value in words, with names from the app file.
    package var words: String { [noun, column, value].compactMap { $0 }.joined(separator: " ") }
}
