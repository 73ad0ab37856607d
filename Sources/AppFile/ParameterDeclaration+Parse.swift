extension ParameterDeclaration {
    /// Reads `NAME[?]: TYPE [LOW..HIGH] [= DEFAULT]`, or says what is wrong with it.
    static func parse(_ text: String) -> Result<ParameterDeclaration, Problem> {
        guard let colon = text.firstIndex(of: ":") else {
            return .failure(Problem("write NAME: TYPE"))
        }
        var name = trim(text[..<colon])
        let isOptional = name.hasSuffix("?")
        if isOptional { name = trim(name.dropLast()) }
        guard !name.isEmpty, name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
            return .failure(Problem("\(name.isEmpty ? "the name is missing" : "\(name) is no name"); write NAME: TYPE"))
        }
        var rest = trim(text[text.index(after: colon)...])
        var defaultValue: String?
        if let equals = rest.firstIndex(of: "=") {
            defaultValue = trim(rest[rest.index(after: equals)...])
            rest = trim(rest[..<equals])
        }
        guard !rest.isEmpty else { return .failure(Problem("the type of \(name) is missing")) }
        if rest.contains("|") {
            let choices = rest.split(separator: "|", omittingEmptySubsequences: false).map(trim)
            if choices.contains("") { return .failure(Problem("a choice of \(name) is empty")) }
            if let value = defaultValue, !choices.contains(value) {
                return .failure(Problem("the default \(value) is none of the choices"))
            }
            return .success(
                ParameterDeclaration(
                    name: name, type: "text", choices: choices, isOptional: isOptional, range: nil,
                    defaultValue: defaultValue))
        }
        var range: ClosedRange<Int>?
        if let dots = rest.range(ofDots: ()) {
            guard let bounds = integerRange(in: rest, around: dots) else {
                return .failure(Problem("write a range as LOW..HIGH"))
            }
            range = bounds.range
            rest = bounds.type
        }
        return .success(
            ParameterDeclaration(
                name: name, type: rest, choices: [], isOptional: isOptional, range: range, defaultValue: defaultValue))
    }

    struct Problem: Error {
        let message: String
        init(_ message: String) { self.message = message }
    }

    private static func integerRange(
        in text: String, around dots: Range<String.Index>
    ) -> (type: String, range: ClosedRange<Int>)? {
        let left = trim(text[..<dots.lowerBound])
        guard let space = left.lastIndex(of: " "), let low = Int(left[left.index(after: space)...]),
            let high = Int(trim(text[dots.upperBound...])), low <= high
        else { return nil }
        return (trim(left[..<space]), low...high)
    }
}

extension String {
    /// Where `..` stands.
    fileprivate func range(ofDots: Void) -> Range<String.Index>? {
        for index in indices where self[index] == "." {
            let next = self.index(after: index)
            if next < endIndex, self[next] == "." { return index..<self.index(after: next) }
        }
        return nil
    }
}
