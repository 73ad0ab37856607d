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
        let parts = source.utf8.split(separator: UInt8(ascii: "`"), omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let inner = facts(in: part)
            if index % 2 == 0 {
                pieces += inner
            } else {
                pieces.append(.command(inner))
            }
        }
        return pieces
    }

    /// Cuts a text at `{name}`; byte by byte, because every rule of an app passes through here at each start.
    private static func facts(in text: Substring.UTF8View) -> [Piece] {
        var pieces: [Piece] = []
        var plain = text.startIndex
        var at = text.startIndex
        while let open = text[at...].firstIndex(of: UInt8(ascii: "{")) {
            let name = text[text.index(after: open)...].prefix(while: isNameByte)
            at = text.index(after: open)
            guard !name.isEmpty, name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: "}") else {
                continue
            }
            if plain < open { pieces.append(.text(String(Substring(text[plain..<open])))) }
            pieces.append(.fact(String(Substring(name))))
            at = text.index(after: name.endIndex)
            plain = at
        }
        if plain < text.endIndex { pieces.append(.text(String(Substring(text[plain...])))) }
        return pieces
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
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
