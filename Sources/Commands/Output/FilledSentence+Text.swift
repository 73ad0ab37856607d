import AppFile
import Asking
import CommandLine
import PQ
import Terminal

extension FilledSentence {
    /// The sentence for programs: complete times, and commands in backticks as in the app file.
    var machineText: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .hole(let name): "{\(name)}"
            case .value(let value): MachineText.of(value) ?? "not set"
            case .command(let inner): "`" + Self.command(inner) + "`"
            }
        }.joined()
    }

    /// The sentence in a message; for people, with times in the operator's zone and the name of the zone.
    func message(in zone: Zone?) -> String {
        guard let zone else { return machineText }
        return pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .hole(let name): "{\(name)}"
            case .value(let value):
                value.type.isInstant
                    ? MachineText.of(value).map { text in
                        Instant(rfc3339: text).map { "\($0.short(in: zone)) \(zone.name)" } ?? text
                    } ?? "not set" : MachineText.of(value) ?? "not set"
            case .command(let inner): "`" + Self.command(inner) + "`"
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
