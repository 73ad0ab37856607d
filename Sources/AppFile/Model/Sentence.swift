/// A sentence of an app file: it contains text, facts in braces, and commands in backticks.
package struct Sentence: Sendable, Hashable {
    package indirect enum Piece: Sendable, Hashable {
        case text(String)
        case fact(String)
        case command([Piece])
    }

    /// The sentence as the app file contains it.
    package let source: String
    /// The place in the file where the sentence begins.
    package let place: App.Place?

    /// Creates a sentence; braces without a name in them are plain text.
    package init(_ source: String, at place: App.Place? = nil) {
        self.source = source
        self.place = place
    }

    /// The place in the file of a part of the sentence.
    package func place(of part: String) -> App.Place? {
        place?.narrowed(to: part)
    }

    /// The parts of the sentence; usher splits a sentence on demand, because a screen shows few of an app's sentences.
    package var pieces: [Piece] {
        var pieces: [Piece] = []
        let parts = source.utf8.split(separator: Self.backtick, omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            let inner = Self.facts(in: Substring(part))
            if index.isMultiple(of: 2) {
                pieces += inner
            } else {
                pieces.append(.command(inner))
            }
        }
        return pieces
    }

    private static func facts(in text: Substring) -> [Piece] {
        let bytes = text.utf8
        var pieces: [Piece] = []
        var plain = text.startIndex
        for open in bytes.indices where bytes[open] == UInt8(ascii: "{") {
            let name = bytes[bytes.index(after: open)...].prefix(while: Lexer.continuesName)
            // A name can't begin with a digit, so `{2}` is plain text.
            guard let first = name.first, Lexer.startsName(first), bytes[name.endIndex...].first == UInt8(ascii: "}")
            else { continue }
            if plain < open { pieces.append(.text(String(text[plain..<open]))) }
            pieces.append(.fact(String(Substring(name))))
            plain = bytes.index(after: name.endIndex)
        }
        if plain < text.endIndex { pieces.append(.text(String(text[plain...]))) }
        return pieces
    }

    /// The first mistake in the braces or backticks of a sentence, and the rest of the text from the mistake on.
    static func problem(in text: Substring) -> (message: String, place: Substring)? {
        let bytes = Array(text.utf8)
        func rest(from place: Int) -> Substring { text[text.utf8.index(text.startIndex, offsetBy: place)...] }
        let backticks = bytes.indices.filter { bytes[$0] == backtick }
        for (index, open) in backticks.enumerated() where index.isMultiple(of: 2) {
            if index == backticks.count - 1 { return ("this backtick is never closed", rest(from: open)) }
            if bytes[(open + 1)..<backticks[index + 1]].allSatisfy(isBlank) {
                return ("there is no command between these backticks", rest(from: open))
            }
        }
        // A brace before a name needs a closing brace before the next opening brace.
        for open in bytes.indices where bytes[open] == UInt8(ascii: "{") {
            let inside = bytes[(open + 1)...].prefix { $0 != UInt8(ascii: "{") }
            if inside.first.map(Lexer.startsName) == true, !inside.contains(UInt8(ascii: "}")) {
                return ("this { is never closed", rest(from: open))
            }
        }
        return nil
    }

    private static let backtick = UInt8(ascii: "`")

    /// The names of all facts in the sentence.
    package var facts: [String] {
        Self.facts(in: source[...]).compactMap { if case .fact(let name) = $0 { name } else { nil } }
    }
}
