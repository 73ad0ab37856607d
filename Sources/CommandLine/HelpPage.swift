internal import Terminal

package struct HelpPage: Sendable, Equatable {
    /// A part of a page; the title can be empty.
    package struct Section: Sendable, Equatable {
        package var title = ""
        package var items: [Item]
    }

    package enum Item: Sendable, Equatable {
        /// A paragraph, which is wrapped.
        case paragraph(String)
        /// A term and its meaning; each line of the text is wrapped separately, next to the term.
        case entry(term: String, text: String)
        case literal(String)
    }

    package var sections: [Section]

    /// Makes a page; sections without items are left out.
    package init(sections: [Section]) { self.sections = sections.filter { !$0.items.isEmpty } }
}

extension HelpPage {
    /// The page as text of a maximum width; each line ends with a newline.
    package func text(width: Int = 80) -> String {
        let width = max(width, 40)
        var lines: [String] = []
        for section in sections {
            if !lines.isEmpty { lines.append("") }
            if !section.title.isEmpty { lines.append(section.title) }
            lines += render(section, width: width)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func render(_ section: Section, width: Int) -> [String] {
        let margin = section.title.isEmpty ? "" : "  "
        // The texts are aligned in one column, except texts after long terms.
        let widest = max(12, min(28, width * 2 / 5))
        let column = section.items.compactMap(\.termWidth).filter { $0 <= widest }.max() ?? widest
        var lines: [String] = []
        for (index, item) in section.items.enumerated() {
            switch item {
            case .paragraph(let text):
                if index > 0 { lines.append("") }
                lines += wrap(text, width: width - margin.count).map { margin + $0 }
            case .literal(let text):
                if index > 0, case .paragraph = section.items[index - 1] { lines.append("") }
                lines.append(margin + text)
            case .entry(let term, let text):
                if index > 0, case .paragraph = section.items[index - 1] { lines.append("") }
                lines += entry(term, text, column: column, width: width - 2).map { "  " + $0 }
            }
        }
        return lines
    }

    /// The lines of an entry: the text next to the term, or below a long term.
    private func entry(_ term: String, _ text: String, column: Int, width: Int) -> [String] {
        let texts = text.split(separator: "\n").flatMap { wrap(String($0), width: width - column - 2) }
        let indented = texts.map { String(repeating: " ", count: column + 2) + $0 }
        guard term.count <= column, let first = texts.first else { return [term] + indented }
        return [term + String(repeating: " ", count: column + 2 - term.count) + first] + indented.dropFirst()
    }

    private func wrap(_ text: String, width: Int) -> [String] {
        SafeText(text).wrapped(to: width).map(\.description)
    }
}

extension HelpPage.Item {
    fileprivate var termWidth: Int? {
        guard case .entry(let term, _) = self else { return nil }
        return term.count
    }
}

extension HelpPage.Item {
    static func items(in text: String) -> [HelpPage.Item] {
        var items: [HelpPage.Item] = []
        var paragraph: [Substring] = []
        // The empty line at the end closes the last paragraph.
        for line in (text + "\n").split(separator: "\n", omittingEmptySubsequences: false) {
            if !line.isEmpty && line.first != " " {
                paragraph.append(line)
                continue
            }
            if !paragraph.isEmpty { items.append(.paragraph(paragraph.joined(separator: " "))) }
            paragraph = []
            let content = line.drop { $0 == " " }
            if content.isEmpty { continue }
            if !line.hasPrefix("    "), let gap = content.firstRange(of: "  ") {
                let meaning = String(content[gap.upperBound...].drop { $0 == " " })
                items.append(.entry(term: String(content[..<gap.lowerBound]), text: meaning))
            } else {
                items.append(.literal(String(line)))
            }
        }
        return items
    }
}
