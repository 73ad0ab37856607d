import AppFile
import Asking
import PQ
import Terminal

/// The app file's links about a user, without links that need a missing fact.
struct LinkView {
    let links: [(title: String, address: String)]

    init(_ app: App, _ facts: Row) { self.init(app.users.links) { facts.shown($0) } }

    /// Creates links with the values of facts, which `value` finds by name.
    init(_ links: [App.Link], with value: (String) -> Value?) {
        self.links = links.compactMap { link in
            link.address { value($0).flatMap(MachineText.of) }.map { (link.title, $0) }
        }
    }

    var json: [(String, JSON)] {
        links.isEmpty ? [] : [("links", JSON(links.map { ($0.title, JSON.string($0.address)) }))]
    }

    /// A line for each link with its title and URL.
    var lines: [SafeText] {
        let width = links.map { SafeText($0.title).width }.max() ?? 0
        return links.map { SafeText($0.title).padded(to: width) + "  " + SafeText($0.address).dim }
    }
}

/// Hints about data in other systems: a sentence and links for each system.
struct ElsewhereView {
    private let entries: [(sentence: FilledSentence, links: LinkView)]

    /// Hints for a decision that this database can't answer.
    init(_ entries: [App.Elsewhere], about facts: Row) { self.init(entries) { facts.shown($0) } }

    /// Hints after a search that found no user.
    init(_ entries: [App.Elsewhere], searching text: String) { self.init(entries) { $0 == "text" ? Value(text) : nil } }

    private init(_ entries: [App.Elsewhere], with value: (String) -> Value?) {
        self.entries = entries.map { (FilledSentence($0.sentence, with: value), LinkView($0.links, with: value)) }
    }

    func lines(_ text: ScreenText) -> [SafeText] {
        entries.map { sentence, links in
            ([text.sentence(sentence, program: text.program)] + links.links.map { SafeText($0.address).dim.whole })
                .joined(separator: " ")
        }
    }
}
