import CommandLine
import Operations

extension FilledSentence {
    /// The sentence for programs: times whole, commands in backticks as the app file writes them.
    var machineText: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let value): MachineText.of(value) ?? "NULL"
            case .command(let inner): "`" + Self.command(inner) + "`"
            }
        }.joined()
    }

    /// A command that can be pasted into a shell, whatever its values hold.
    static func command(_ pieces: [Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .value(let value): quoteWord(MachineText.of(value) ?? "")
            case .command(let inner): command(inner)
            }
        }.joined()
    }
}
