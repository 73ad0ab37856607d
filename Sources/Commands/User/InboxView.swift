import AppFile
import Asking
import CommandLine
import Inquiries
import PQ
import Terminal

/// The view of a user's problems: a line for each problem, and the command that repairs it.
struct InboxView {
    let text: ScreenText
    let permission: Permission

    func lines(_ inbox: Inbox) -> [SafeText] {
        var lines: [SafeText] = []
        for (index, item) in inbox.items.enumerated() {
            // If one command repairs several items, usher prints the command once, after the last item.
            let next = index + 1 < inbox.items.count ? inbox.items[index + 1].remedy : nil
            lines += self.lines(item, remedy: item.remedy == next ? nil : item.remedy)
        }
        for (name, reason) in inbox.unavailable {
            let line =
                ("?" as SafeText).yellow + "           " + SafeText(name).bold + "  unavailable: "
                + SafeText(reason.sentence)
            lines += wrap(line)
        }
        return lines
    }

    /// A line for each problem, without its facts and command.
    func brief(_ inbox: Inbox) -> [SafeText] {
        inbox.items.map { item in
            let head = SafeText(item.kind.rawValue) + "  "
            let rule: SafeText = item.kind == .broken ? "  expected: " : "  "
            return (item.kind == .undone ? head.yellow : head.red) + SafeText(item.name).bold
                + rule + SafeText(item.sentence)
        }
    }

    private func lines(_ item: Inbox.Item, remedy: [String]?) -> [SafeText] {
        let mark = SafeText(item.kind.rawValue).padded(to: Self.indent - 2)
        let head = (item.kind == .undone ? mark.yellow : mark.red) + "  "
        // An invariant's sentence describes correct data, so the line marks the sentence as expected.
        let rule: SafeText = item.kind == .broken ? ("expected: " as SafeText).dim : ""
        var lines = wrap(head + SafeText(item.name).bold + "  " + rule + SafeText(item.sentence))
        // If the command contains the key of the object, the line doesn't repeat the key.
        let isNamed = item.remedy?.contains { $0 == item.key } ?? false
        let key = isNamed ? nil : item.key.flatMap { key in item.keyName.map { ($0, Value(key)) } }
        let facts = ([key].compactMap(\.self) + item.facts).map { name, value in
            SafeText(name).dim + " " + text.value(value, withDistance: true)
        }
        if !facts.isEmpty { lines += wrap(Self.gap + facts.joined(separator: "   ")) }
        guard let remedy else { return lines }
        let command = remedy.map(quoteWord).joined(separator: " ")
        let advice = "→ " + (SafeText(text.program + command) + permission.options(of: remedy)).bold.whole
        return lines + wrap(Self.gap + permission.marked(advice, commands: [remedy]), hanging: 2)
    }

    private func wrap(_ line: SafeText, hanging: Int = 0) -> [SafeText] {
        line.wrapped(to: text.width.map { max(30, $0) }, indent: Self.indent + hanging)
    }

    /// The width of the longest kind, with a gap.
    private static let indent = 12
    private static let gap = SafeText(repeating: " ", count: indent)
}

extension Inbox.Item {
    /// The summary from the app file, or usher's own sentence about the problem.
    var sentence: String {
        if let summary { return summary }
        switch kind {
        case .unfinished: return "This bulk change stopped before it reached this user."
        case .undone: return "The last change of this user was undone."
        case .broken, .waiting: return ""
        }
    }

    func json(_ permission: Permission) -> JSON {
        JSON([
            ("kind", kind.rawValue), ("name", name), ("summary", sentence), ("key", key),
            ("facts", JSON(facts.map { ($0.name, $0.value) })),
            ("command", remedy.map { $0.map(quoteWord).joined(separator: " ") }),
            ("role", remedy.flatMap { permission.role(of: $0) }),
        ])
    }
}
