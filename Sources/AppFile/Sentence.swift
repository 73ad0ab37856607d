/// A sentence of an app file: text, facts in braces, and commands in backticks.
package struct Sentence: Sendable, Hashable {
    package indirect enum Piece: Sendable, Hashable {
        case text(String)
        case fact(String)
        case command([Piece])
    }

    package let pieces: [Piece]
    /// The sentence as written.
    package let source: String

    /// Reads a sentence; braces that hold no name stay text.
    package init(_ source: String) {
        self.source = source
        pieces = Self.pieces(of: source)
    }

    private static func pieces(of source: String) -> [Piece] {
        var pieces: [Piece] = []
        for (index, part) in source.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
            let inner = facts(in: String(part))
            if index % 2 == 0 {
                pieces += inner
            } else {
                pieces.append(.command(inner))
            }
        }
        return pieces
    }

    private static func facts(in text: String) -> [Piece] {
        var pieces: [Piece] = []
        var plain = ""
        var rest = text[...]
        while let character = rest.first {
            let name = rest.dropFirst().prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            let after = rest.dropFirst(name.count + 1)
            if character == "{", !name.isEmpty, after.first == "}" {
                if !plain.isEmpty { pieces.append(.text(plain)) }
                plain = ""
                pieces.append(.fact(String(name)))
                rest = after.dropFirst()
            } else {
                plain.append(character)
                rest = rest.dropFirst()
            }
        }
        if !plain.isEmpty { pieces.append(.text(plain)) }
        return pieces
    }

    /// The names of the facts it mentions.
    package var facts: [String] { Self.facts(of: pieces) }

    private static func facts(of pieces: [Piece]) -> [String] {
        pieces.flatMap { piece -> [String] in
            switch piece {
            case .text: []
            case .fact(let name): [name]
            case .command(let inner): facts(of: inner)
            }
        }
    }
}
