extension App {
    /// The schemas that one file speaks of alike, one for each customer.
    package struct Schemas: Sendable, Hashable {
        /// The word that stands for any of them in the file, without its colon.
        package let word: String
        /// What their names are like, with `%` for any characters; nil for all that have what the app requires.
        package let pattern: String?
        /// The schema that the file is read for; nil where it is read for none, and the word stands for itself.
        package let name: String?

        /// What the tables of the file are named with.
        package var filler: String { name ?? word }

        /// Reads `:WORD [PATTERN]`.
        init?(_ text: Substring, name: String? = nil) {
            let text = trim(text)
            let end = text.utf8.firstIndex(where: isBlank) ?? text.endIndex
            let word = text[..<end].dropFirst()
            let pattern = trim(text[end...])
            guard text.hasPrefix(":"), let first = word.utf8.first, Lexer.startsName(first),
                word.utf8.allSatisfy(Lexer.continuesName), !Self.taken.contains(String(word)),
                !pattern.utf8.contains(where: isBlank)
            else { return nil }
            self.word = String(word)
            self.pattern = pattern.isEmpty ? nil : String(pattern)
            self.name = name
        }

        /// What the language binds by these names.
        private static let taken = Language.parameters.map { String($0.name.dropFirst()) }
    }

    /// True if it can be asked about: it names its schemas, or is read for one of them.
    package var isOfOneSchema: Bool { schemas.map { $0.name != nil } ?? true }

    /// What a schema has to have to be one that the file is read for, each with what will do instead.
    ///
    /// Of what stands elsewhere no schema can tell.
    package var requiredOfSchema: [[Requirement]] {
        guard let schemas else { return [] }
        return requires.map(\.alternatives).filter { $0.allSatisfy { $0.schema == schemas.filler } }
    }
}

extension SourceFile {
    /// The line that says that it is about any of several schemas, told by its beginning, as what is read first.
    package var schemaLine: (text: String, offset: Int)? {
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex
            if bytes[start..<end].starts(with: Self.schemaMark) {
                return (text(start + Self.schemaMark.count..<end), start)
            }
            start = end + 1
        }
        return nil
    }

    private static let schemaMark = Array("-- @schema ".utf8)
}
