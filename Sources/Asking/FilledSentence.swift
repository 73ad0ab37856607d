package import AppFile
package import PQ

/// A sentence of an app file with the facts filled in; how values look is decided where it is shown.
package struct FilledSentence: Sendable, Hashable {
    package indirect enum Piece: Sendable, Hashable {
        case text(String)
        case value(Value)
        /// A fact that nobody knows, by its name.
        case hole(String)
        /// A command, whose values need quoting before anybody pastes it.
        case command([Piece])
    }

    package let pieces: [Piece]

    /// Fills a sentence; a fact nobody knows stays as it was written.
    package init(_ sentence: Sentence, with facts: (String) -> Value?) {
        pieces = Self.fill(sentence.pieces, with: facts)
    }

    private static func fill(_ pieces: [Sentence.Piece], with facts: (String) -> Value?) -> [Piece] {
        pieces.map { piece in
            switch piece {
            case .text(let text): .text(text)
            case .fact(let name): facts(name).map { .value($0) } ?? .hole(name)
            case .command(let inner): .command(fill(inner, with: facts))
            }
        }
    }

    /// A sentence of the program's own.
    package init(text: String) { pieces = [.text(text)] }

    private init(pieces: [Piece]) { self.pieces = pieces }

    /// The sentence with some text behind it.
    package func followed(by text: String) -> FilledSentence {
        text.isEmpty ? self : FilledSentence(pieces: pieces + [.text(text)])
    }

    /// The sentence behind a name and a colon.
    package func labelled(_ name: String) -> FilledSentence {
        FilledSentence(pieces: [.text("\(name): ")] + pieces)
    }

    /// The sentence with values as the server wrote them, for messages; what has no zone is in UTC, and says so.
    package var plain: String { Self.plain(pieces) }

    private static func plain(_ pieces: [Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .hole(let name): "{\(name)}"
            case .value(let value): (value.text ?? "nothing") + (value.type == .timestamp ? "+00" : "")
            case .command(let inner): "`\(plain(inner))`"
            }
        }.joined()
    }

    /// The sentence without its facts, so that what is said alike of several can be told.
    package var shape: [Piece] { Self.shape(pieces) }

    private static func shape(_ pieces: [Piece]) -> [Piece] {
        pieces.map { piece in
            switch piece {
            case .text, .hole: piece
            case .value: .hole("")
            case .command(let inner): .command(shape(inner))
            }
        }
    }

    /// True if one of its facts is a name, so that nobody has to be told whom it is about.
    package func says(_ name: String) -> Bool {
        pieces.contains { if case .value(let value) = $0 { value.text == name } else { false } }
    }

    /// True if one of its commands would need a value that there is none of.
    package var hasIncompleteCommand: Bool {
        pieces.contains { piece in
            guard case .command(let inner) = piece else { return false }
            return inner.contains { if case .value(let value) = $0 { value.isNull } else { false } }
        }
    }
}
