import AppFile
package import Asking
import CommandLine
import PQ
package import Terminal

extension Failure {
    package func message(in zone: Zone?) -> String { complaint.message(in: zone) + (remainder ?? "") }

    package func details(in zone: Zone?) -> [String] { detailSentences.map { $0.message(in: zone) } }
}

extension FilledSentence {
    /// The sentence for programs, with full timestamps and commands in backticks.
    var machineText: String { message(in: nil) }

    /// The sentence with times in the given zone; without a zone, with full timestamps.
    func message(in zone: Zone?) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): return text
            case .hole(let name): return "{\(name)}"
            case .command(let inner): return "`" + Self.command(inner) + "`"
            case .value(let value):
                let text = MachineText.of(value)
                guard let zone, value.type.isInstant, let instant = text.flatMap({ Instant(rfc3339: $0) }) else {
                    return text ?? "not set"
                }
                return "\(instant.short(in: zone)) \(zone.name)"
            }
        }.joined()
    }

    static func command(_ pieces: [Piece]) -> String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .hole(let name): "{\(name)}"
            case .value(let value): quoteWord(MachineText.of(value) ?? "")
            case .command(let inner): command(inner)
            }
        }.joined()
    }
}
