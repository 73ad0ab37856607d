extension App {
    /// The schemas of equal structure that one file describes, one for each tenant.
    package struct Schemas: Sendable, Hashable {
        /// The word in the file for the schema, without its colon.
        package let word: String
        /// The pattern of the schema names, with `%` for any characters; nil for all schemas that have the required
        /// tables.
        package let pattern: String?
        /// The schema to read the file for; nil if none was chosen and the word stays.
        package let name: String?

        /// The schema name in the tables of the file.
        package var filler: String { name ?? word }

        /// Reads `:WORD [PATTERN]`.
        init?(_ text: Substring, name: String? = nil) {
            let text = trim(text)
            let end = text.utf8.firstIndex(where: isBlank) ?? text.endIndex
            let word = text[..<end].dropFirst()
            let pattern = trim(text[end...])
            guard text.hasPrefix(":"), let first = word.utf8.first, Lexer.startsName(first),
                word.utf8.allSatisfy(Lexer.continuesName), !ParameterDeclaration.reserved.contains(String(word)),
                !pattern.utf8.contains(where: isBlank)
            else { return nil }
            self.word = String(word)
            self.pattern = pattern.isEmpty ? nil : String(pattern)
            self.name = name
        }
    }

    /// True if queries can run: the file names its schemas, or one was chosen.
    package var isOfOneSchema: Bool { schemas.map { $0.name != nil } ?? true }

    /// The requirements for a schema that the file can be read for, each with its alternatives.
    ///
    /// Requirements outside the schema don't count.
    package var requiredOfSchema: [[Requirement]] {
        guard let schemas else { return [] }
        return requires.map(\.alternatives).filter { $0.allSatisfy { $0.schema == schemas.filler } }
    }
}
