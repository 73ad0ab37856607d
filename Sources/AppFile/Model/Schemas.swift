extension App {
    /// The schemas with the same structure that one file describes, one for each tenant.
    package struct Schemas: Sendable, Hashable {
        /// The word that stands for the schema in the file, without its colon.
        package let word: String
        /// The pattern of the schema names, with `%` for any characters.
        ///
        /// Nil if the file describes all schemas that have the required tables.
        package let pattern: String?
        /// The chosen schema; nil if the operator chose none, so that the word stays in the file.
        package let name: String?

        /// The schema name in the parsed file: the chosen schema, or else the word.
        package var filler: String { name ?? word }

        /// Parses `:WORD [PATTERN]`; nil for any other text.
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

    /// True if queries can run, because the file contains its schema names or the operator chose a schema.
    package var isOfOneSchema: Bool { schemas.map { $0.name != nil } ?? true }

    /// The requirements in the tenant's schema, each with its alternatives.
    ///
    /// They don't include requirements in other schemas.
    package var requiredOfSchema: [[RelationPath]] {
        guard let schemas else { return [] }
        return requires.map(\.alternatives).filter { $0.allSatisfy { $0.table.schema == schemas.filler } }
    }
}
