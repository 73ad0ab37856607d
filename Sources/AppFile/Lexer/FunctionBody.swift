/// What the source of a function says that it does.
package struct FunctionBody {
    private let body: Fragment
    /// What it runs as a text that is written out there.
    private let texts: [FunctionBody]
    /// Whether it runs what it puts together as a text, of which nobody can tell what it does.
    package let runsText: Bool

    /// A source in SQL or in PL/pgSQL.
    package init(_ source: String) {
        let file = SourceFile(name: "", text: source)
        let body = Fragment(file: file, tokens: Lexer.tokens(of: file).tokens.filter { !$0.isComment })
        let runs = body.tokens.indices.filter { body.isKeyword(at: $0) && body.word(at: $0) == "execute" }
        texts = runs.compactMap { body.writtenOut(behind: $0).map { FunctionBody($0) } }
        self.body = body
        runsText = texts.count < runs.count || texts.contains(where: \.runsText)
    }

    package var calls: [FunctionCall] { body.calls + texts.flatMap(\.calls) }

    /// Whether a statement in it writes rows.
    package var writes: Bool {
        !body.writes.isEmpty || texts.contains(where: \.writes)
            || body.tokens.indices.contains { body.isKeyword(at: $0) && body.word(at: $0) == "truncate" }
    }
}

extension Fragment {
    /// Where statements begin that write rows.
    fileprivate var writes: [Int] {
        tokens.indices.filter { index in
            guard isKeyword(at: index) else { return false }
            switch (word(at: index), word(at: index + 1)) {
            case ("insert", "into"), ("delete", "from"), ("merge", "into"): return true
            // UPDATE SET is a part of INSERT and MERGE.
            case ("update", let next):
                return !["for", "key", "on", "or", "before", "after"].contains(word(at: index - 1))
                    && isName(at: index + 1) && next != "set"
            default: return false
            }
        }
    }

    /// The text that stands behind EXECUTE and is all that it runs; nil where it is put together.
    fileprivate func writtenOut(behind index: Int) -> String? {
        let place = index + 1
        guard tokens.indices.contains(place), tokens[place].kind == .string,
            !tokens.indices.contains(place + 1) || tokens[place + 1].kind == .semicolon
                || ["using", "into", "loop"].contains(word(at: place + 1))
        else { return nil }
        let text = file.text(tokens[place].range)
        if text.hasPrefix("'") {
            return text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
                .joined(separator: "'")
        }
        guard text.hasPrefix("$"), let close = text.dropFirst().firstIndex(of: "$") else { return nil }
        let mark = text[...close]
        return String(text.dropFirst(mark.count).dropLast(mark.count))
    }
}
