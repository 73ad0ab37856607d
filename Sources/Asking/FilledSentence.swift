package import AppFile
package import PQ

/// A sentence of an app file with the values of a user's facts; usher formats the values for display.
package struct FilledSentence: Sendable, Hashable {
    package indirect enum Piece: Sendable, Hashable {
        case text(String)
        case value(Value)
        /// A fact without a value; the sentence shows the fact's name in braces.
        case hole(String)
        /// A command whose values usher quotes for display.
        case command([Piece])
    }

    package let pieces: [Piece]

    /// Fills a sentence with values; a fact without a value stays as its name in braces.
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

    /// Creates a sentence that usher itself wrote, without facts.
    package init(text: String) { pieces = [.text(text)] }

    private init(pieces: [Piece]) { self.pieces = pieces }

    package func followed(by text: String) -> FilledSentence {
        text.isEmpty ? self : FilledSentence(pieces: pieces + [.text(text)])
    }

    package func labelled(_ name: String) -> FilledSentence {
        FilledSentence(pieces: [.text("\(name): ")] + pieces)
    }

    /// The sentence for messages, with values as the server wrote them and times in UTC.
    package var plain: String { Self.plain(pieces) }

    private static func plain(_ pieces: [Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .hole(let name): "{\(name)}"
            case .value(let value): (value.text ?? "not set") + (value.type == .timestamp ? "+00" : "")
            case .command(let inner): "`\(plain(inner))`"
            }
        }.joined()
    }

    /// The sentence without the values of its facts, to recognize sentences that differ only in these values.
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

    /// True if the sentence contains the user's name, so that the screen need not repeat the name.
    package func says(_ name: String) -> Bool {
        pieces.contains { if case .value(let value) = $0 { value.text == name } else { false } }
    }

    package var hasIncompleteCommand: Bool {
        pieces.contains { piece in
            guard case .command(let inner) = piece else { return false }
            return inner.contains { if case .value(let value) = $0 { value.isNull } else { false } }
        }
    }
}
