import AppFile
import Asking
import PQ
import Terminal

/// Where else a user can be looked at, by the links of the app file; one with a fact that the user has not is left out.
struct LinkView {
    let links: [(title: String, address: String)]

    init(_ app: App, _ facts: Row) { self.init(app.users.links) { facts.shown($0) } }

    /// Links with the values that a lookup by name finds.
    init(_ links: [App.Link], with value: (String) -> Value?) {
        self.links = links.compactMap { link in
            var address = ""
            for piece in link.address.pieces {
                switch piece {
                case .text(let text): address += text
                case .fact(let name):
                    guard let value = value(name).flatMap(MachineText.of), !value.isEmpty else { return nil }
                    address += Self.escaped(value)
                case .command: return nil
                }
            }
            return (link.title, address)
        }
    }

    var json: [(String, JSON)] {
        links.isEmpty ? [] : [("links", JSON(links.map { ($0.title, JSON.string($0.address)) }))]
    }

    /// One line of titles where the terminal makes links of them, else a line with the address of each.
    func lines(on screen: any Screen) -> [SafeText] {
        if links.isEmpty { return [] }
        if screen.drawsLinks {
            return [links.map { SafeText($0.title).underlined.linked(to: $0.address) }.joined(separator: "  ")]
        }
        let width = links.map { SafeText($0.title).width }.max() ?? 0
        return links.map { SafeText($0.title).padded(to: width) + "  " + SafeText($0.address).dim }
    }

    /// A value as a part of an address: whatever it holds, it stays one part.
    private static func escaped(_ value: String) -> String {
        value.utf8.map { byte in
            let isPlain =
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(Int(byte) | 0x100, radix: 16).dropFirst().uppercased()
        }.joined()
    }
}

/// What this database does not hold and another system does: a sentence each, and where to look.
struct ElsewhereView {
    private let entries: [(sentence: FilledSentence, links: LinkView)]

    /// For a decision that this database cannot make.
    init(_ entries: [App.Elsewhere], about facts: Row) { self.init(entries) { facts.shown($0) } }

    /// For a text that names no user.
    init(_ entries: [App.Elsewhere], searching text: String) { self.init(entries) { $0 == "text" ? Value(text) : nil } }

    private init(_ entries: [App.Elsewhere], with value: (String) -> Value?) {
        self.entries = entries.map { (FilledSentence($0.sentence, with: value), LinkView($0.links, with: value)) }
    }

    /// A line for each.
    func lines(_ text: ScreenText, program: String) -> [SafeText] {
        entries.map { sentence, links in
            ([text.sentence(sentence, program: program)] + links.links.map { SafeText($0.address).dim.whole })
                .joined(separator: " ")
        }
    }

    var plain: [String] {
        entries.map { sentence, links in ([sentence.machineText] + links.links.map(\.address)).joined(separator: " ") }
    }
}
