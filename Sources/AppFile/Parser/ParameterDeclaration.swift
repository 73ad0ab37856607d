extension ParameterDeclaration {
    /// Parses `NAME[?]: TYPE [LOW..HIGH] [= DEFAULT] [: SENTENCE]`; fails with the first mistake.
    ///
    /// With `isColumn`, the name follows the rules of SQL names.
    static func parse(_ text: String, isColumn: Bool = false) throws(Problem) -> ParameterDeclaration {
        guard let colon = AccountLine.places(of: ":", in: text[...]).first else { throw Problem("write NAME: TYPE") }
        let type = text[text.index(after: colon)...]
        let mark = type.firstRange(of: " : ")
        var left = trim(text[..<colon])
        let isOptional = left.utf8.last == UInt8(ascii: "?")
        if isOptional { left = trim(left.dropLast()) }
        if left.isEmpty { throw Problem("the name is missing; write NAME: TYPE") }
        if !isColumn, left.utf8.contains(where: isBlank) { throw Problem("write NAME: TYPE") }
        let column = isColumn ? SQLName.name(left) : nil
        let name = column ?? String(left)
        if column == nil, !isName(name) {
            throw Problem(
                isColumn
                    ? "write the name of a column" : "\(name) is not a name; use lower-case letters, digits and _")
        }
        var rest = trim(mark.map { type[..<$0.lowerBound] } ?? type)
        var defaultValue: String?
        if let equals = rest.firstIndex(of: "=") {
            defaultValue = String(trim(rest[rest.index(after: equals)...]))
            rest = trim(rest[..<equals])
        }
        if defaultValue == "" { throw Problem("the default of \(name) is missing") }
        if rest.isEmpty { throw Problem("the type of \(name) is missing") }
        var choices: [String] = []
        var range: ClosedRange<Int>?
        if rest.contains("|") {
            choices = rest.split(separator: "|", omittingEmptySubsequences: false).map { String(trim($0)) }
            try check(choices, of: name)
            rest = "text"
        } else if let dots = rest.firstRange(of: "..") {
            guard let bounds = integerRange(in: rest, around: dots) else {
                throw Problem("write a range as LOW..HIGH")
            }
            rest = bounds.type
            range = bounds.range
        }
        guard isType(rest) else { throw Problem("\(rest) is not a type") }
        let declaration = ParameterDeclaration(
            name: name, type: String(rest), choices: choices, isOptional: isOptional, range: range,
            defaultValue: defaultValue, summary: mark.map { String(trim(type[$0.upperBound...])) })
        try declaration.checkDefault()
        return declaration
    }

    /// The names of the parameters that usher itself binds.
    static let reserved = Set(Language.parameters.map { String($0.name.dropFirst()) })

    struct Problem: Error {
        let message: String
        let hint: String?

        init(_ message: String, hint: String? = nil) { (self.message, self.hint) = (message, hint) }
    }

    private static func check(_ choices: [String], of name: String) throws(Problem) {
        var seen: Set<String> = []
        for choice in choices {
            if choice.isEmpty { throw Problem("a choice of \(name) is empty") }
            if !seen.insert(choice).inserted { throw Problem("the choice \(choice) appears twice") }
        }
    }

    private func checkDefault() throws(Problem) {
        guard let value = defaultValue else { return }
        if !choices.isEmpty, !choices.contains(value) {
            throw Problem(
                "the default \(value) is not one of the choices", hint: Nearest.hint(for: value, among: choices))
        }
        if let range, Int(value).map(range.contains) != true {
            throw Problem("the default \(value) is not between \(range.lowerBound) and \(range.upperBound)")
        }
    }

    /// True if SQL can contain the name as `:NAME`, and as a column without quotes.
    private static func isName(_ name: String) -> Bool {
        let isLetter = { (byte: UInt8) in Lexer.startsName(byte) && !(0x41...0x5A).contains(byte) }
        let isFirstLetter = name.utf8.first.map(isLetter) ?? false
        return isFirstLetter && name.utf8.allSatisfy { isLetter($0) || Lexer.isDigit($0) }
    }

    /// True if a text looks like a type name; usher writes it into statements unchanged, so it must not contain other
    /// SQL.
    static func isType(_ text: some StringProtocol) -> Bool {
        let file = SourceFile(name: "", bytes: Array(text.utf8))
        let (tokens, problems) = Lexer.tokens(of: file)
        guard problems.isEmpty, let first = tokens.first, first.isName else { return false }
        var open: [String] = []
        var isBehindName = false
        for token in tokens {
            let word = token.folded(in: file)
            switch (token.kind, word) {
            case (.word, _), (.quotedName, _):
                if isBehindName, token.kind == .quotedName || !furtherWords.contains(word) { return false }
            case (.symbol, "("): open.append(")")
            case (.symbol, "["): open.append("]")
            case (.symbol, ")"), (.symbol, "]"): if open.popLast() != word { return false }
            case (.symbol, "."), (.symbol, ","), (.number, _): break
            default: return false
            }
            isBehindName = token.kind != .symbol || word == ")" || word == "]"
        }
        return open.isEmpty
    }

    /// The words that can follow the first word of a type name, as in `double precision`.
    private static let furtherWords: Set<String> = [
        "precision", "varying", "character", "char", "with", "without", "time", "zone", "year", "month", "day", "hour",
        "minute", "second", "to",
    ]

    private static func integerRange(
        in text: Substring, around dots: Range<Substring.Index>
    ) -> (type: Substring, range: ClosedRange<Int>)? {
        let left = trim(text[..<dots.lowerBound])
        guard let blank = left.utf8.lastIndex(where: isBlank), let low = Int(left[left.utf8.index(after: blank)...]),
            let high = Int(trim(text[dots.upperBound...])), low <= high
        else { return nil }
        return (trim(left[..<blank]), low...high)
    }
}
