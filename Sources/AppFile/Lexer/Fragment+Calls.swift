/// The functions that SQL calls, and what a function's own body does.
package struct FunctionCall: Sendable, Hashable {
    /// The schema, nil when the name stands alone.
    package let schema: String?
    package let name: String
    package let offset: Int
}

extension Fragment {
    /// Every name in front of a bracket; words of the language stand there too, which no catalog knows as functions.
    package var calls: [FunctionCall] {
        tokens.indices.compactMap { index in
            guard isName(at: index), word(at: index + 1) == "(", tokens[index + 1].kind == .symbol,
                !["into", "join", "from", "update"].contains(word(at: index - 1))
            else { return nil }
            let isQualified = word(at: index - 1) == "." && isName(at: index - 2)
            let start = isQualified ? index - 2 : index
            return FunctionCall(
                schema: isQualified ? word(at: start) : nil, name: word(at: index),
                offset: tokens[start].range.lowerBound)
        }
    }
}

extension SourceFile {
    /// The names that stand at a place with dots between, empty where there is none.
    package func path(at offset: Int) -> [String] {
        let end = bytes[min(offset, bytes.count)...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        let rest = SourceFile(name: "", bytes: Array(bytes[min(offset, bytes.count)..<end]))
        let line = Fragment(file: rest, tokens: Lexer.tokens(of: rest).tokens)
        guard line.isName(at: 0), line.tokens[0].range.lowerBound == 0 else { return [] }
        var (names, index) = ([line.word(at: 0)], 0)
        while line.word(at: index + 1) == ".", line.isName(at: index + 2) {
            index += 2
            names.append(line.word(at: index))
        }
        return names
    }
}
