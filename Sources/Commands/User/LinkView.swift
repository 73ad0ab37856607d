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

    var json: JSON.Members {
        links.isEmpty ? [] : [("links", JSON(links.map { ($0.title, $0.address) }))]
    }

    /// A line for each link with its title and URL.
    var lines: [SafeText] {
        let width = links.map { SafeText($0.title).width }.max() ?? 0
        return links.map { SafeText($0.title).padded(to: width) + "  " + SafeText($0.address).dim }
    }
}

extension ScreenText {
    /// Hints about data in other systems: a sentence and links for each system.
    ///
    /// `value` finds the values of facts by name; `text` is the text of a search that found no user.
    func elsewhere(_ entries: [App.Elsewhere], with value: (String) -> Value?) -> [SafeText] {
        entries.map { entry in
            let sentence = sentence(FilledSentence(entry.sentence, with: value), program: program)
            let links = LinkView(entry.links, with: value).links.map { SafeText($0.address).dim.whole }
            return ([sentence] + links).joined(separator: " ")
        }
    }
}
