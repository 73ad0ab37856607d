/// The column in which usher found a typed text that is neither a key nor an email.
///
/// The column belongs to a user, or to an object that a user owns.
package struct Identification: Sendable, Hashable {
    /// The kind of object; nil if the column belongs to a user.
    package let noun: String?
    /// The name of the column; nil if the text is the key of the object.
    package let column: String?
    package let value: String
    /// The key of the object; nil if the column belongs to a user.
    package let key: String?

    package init(noun: String?, column: String?, value: String, key: String?) {
        self.noun = noun
        self.column = column
        self.value = value
        self.key = key
    }
}

extension Identification {
    /// The kind of object, the column and its value as words, with names from the app file.
    package var words: String { [noun, column, value].compactMap { $0 }.joined(separator: " ") }
}
