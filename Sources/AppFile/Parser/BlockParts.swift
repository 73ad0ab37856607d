/// Parses the parts that several blocks share.
extension BlockParser {
    /// The key column of a block; objects and users must have one.
    mutating func key(of block: Block) -> String {
        if let attribute = block.first("key") { return column(of: attribute) }
        report("@\(block.directive.word) needs a @key", at: block.directive.place)
        return ""
    }

    /// The column in the text of a directive: `column`, `table.column` or `schema.table.column`.
    mutating func column(of directive: Directive) -> String {
        guard !directive.text.isEmpty else { return "" }
        if let column = SQLName.parts(ofPath: directive.text)?.last { return column }
        report("write the name of a column", at: directive)
        return ""
    }

    /// Reports a block whose name can't be used in SQL.
    mutating func checkName(of block: Block) {
        let directive = block.directive
        guard !directive.text.isEmpty, SQLName.name(directive.relationName) == nil else { return }
        report("write the name as one word, or in double quotes", at: directive)
    }

    mutating func names(of directive: Directive) -> [String] {
        directive.text.isEmpty ? [] : names(directive.text[...], of: directive)
    }

    /// The names of a list in the text of a directive.
    mutating func names(_ list: Substring, of directive: Directive) -> [String] {
        let (names, mistake) = SQLName.list(list)
        if let mistake {
            let start = directive.text.utf8.distance(from: directive.text.startIndex, to: list.startIndex)
            report("separate the names with commas", at: directive.place(ofByte: start + mistake))
            return []
        }
        if let (_, name) = names.enumerated().first(where: { names[..<$0.offset].contains($0.element) }) {
            report("\(name) appears twice in this list", at: directive.place(of: list))
        }
        return names
    }

    /// The number in an attribute of a block; nil if the attribute is missing or wrong.
    mutating func number(_ word: String, of block: Block) -> Int? {
        guard let attribute = block.first(word), !attribute.text.isEmpty else { return nil }
        if let number = Int(attribute.text), (1...10_000).contains(number) { return number }
        report("@\(word) needs a number from 1 to 10000", at: attribute)
        return nil
    }

    /// Parses a part of a directive's text as a sentence.
    mutating func sentence(_ text: Substring, of directive: Directive) -> Sentence {
        if let (message, place) = Sentence.problem(in: text) {
            report(message, at: directive.place(of: place))
        }
        return Sentence(withConstants(String(text)), at: directive.place(of: text))
    }

    /// Parses the parameters that attributes of a block declare; usher reports a name that occurs twice.
    mutating func declarations(
        _ word: String, of block: Block, after earlier: [ParameterDeclaration] = []
    ) -> [ParameterDeclaration] {
        var declarations: [ParameterDeclaration] = []
        for directive in block.all(word) where !directive.text.isEmpty {
            let isColumn = word == "column"
            do throws(ParameterDeclaration.Problem) {
                var declaration = try ParameterDeclaration.parse(directive.text, isColumn: isColumn)
                declaration.place = directive.textPlace
                let isTaken = (earlier + declarations).contains { $0.name == declaration.name }
                if isTaken || !isColumn && ParameterDeclaration.reserved.contains(declaration.name) {
                    report("the name \(declaration.name) is already taken", at: directive)
                }
                declarations.append(declaration)
            } catch {
                report(error.message, at: directive, hint: error.hint)
            }
        }
        return declarations
    }

    /// Reports a parameter or selection whose name is already an option of its command.
    mutating func checkOptions(_ words: String..., of block: Block) {
        guard let taken = taken[block.directive.word] else { return }
        for directive in words.flatMap({ block.all($0) }) {
            let name = String(directive.text.prefix { !":? ".contains($0) })
            if taken.contains(name) {
                report("`--\(name)` is already an option of usher", at: directive, hint: "choose another name")
            }
        }
    }
}
