/// Labels with a bar and a number each; the greatest number has the longest bar.
package struct BarChart: Sendable {
    /// A label and its number.
    package struct Item: Sendable, Hashable {
        package var label: SafeText
        package var value: Double
        /// The number as it is shown.
        package var text: SafeText

        /// Creates an item.
        package init(_ label: SafeText, _ value: Double, _ text: SafeText) {
            self.label = label
            self.value = value
            self.text = text
        }
    }

    private static let longest = 30
    private static let shortest = 5

    private let items: [Item]
    /// The total for shares; nil if there is none.
    private let total: Double?

    /// Creates a chart.
    package init(_ items: [Item], total: Double? = nil) {
        self.items = items
        self.total = total
    }

    /// The lines of the chart: label, bar, number, and the share of the whole.
    package func lines(width limit: Int?, unicode: Bool) -> [SafeText] {
        let labelWidth = items.map(\.label.width).max() ?? 0
        let numberWidth = items.map(\.text.width).max() ?? 0
        let shareWidth = total == nil ? 0 : 6
        let room = (limit ?? 80) - labelWidth - numberWidth - shareWidth - 4
        let length = min(Self.longest, max(Self.shortest, room))
        let greatest = items.map(\.value).max() ?? 0
        return items.map { item in
            var line = item.label.padded(to: labelWidth) + "  "
            line += stroke(item.value, of: greatest, length: length, unicode: unicode) + "  "
            line += item.text.padded(to: numberWidth, alignment: .right)
            if let total, total > 0 {
                line += "  " + SafeText(Self.percent(item.value / total)).padded(to: 4, alignment: .right).dim
            }
            return limit.map { line.cut(to: $0) } ?? line
        }
    }

    /// A bar for a part of the length; anything above zero is visible.
    private func stroke(_ value: Double, of greatest: Double, length: Int, unicode: Bool) -> SafeText {
        let steps = unicode ? 8 : 1
        let share = greatest > 0 && value > 0 ? min(value / greatest, 1) : 0
        let filled = share > 0 ? max(1, Int((share * Double(length * steps)).rounded())) : 0
        var text = String(repeating: unicode ? "█" : "#", count: filled / steps)
        if filled % steps > 0 {
            text.append(["▏", "▎", "▍", "▌", "▋", "▊", "▉"][filled % steps - 1])
        }
        return SafeText(trusted: text, style: .cyan).padded(to: length)
    }

    private static func percent(_ share: Double) -> String {
        let whole = Int((share * 100).rounded())
        return whole == 0 && share > 0 ? "<1 %" : "\(whole) %"
    }
}

/// Numbers as a line of small bars; zero is the lowest, the greatest number the highest.
package func sparkline(_ values: [Double], unicode: Bool) -> SafeText {
    let steps = unicode ? Array("▁▂▃▄▅▆▇█") : Array("_.-=+*#@")
    let greatest = values.max() ?? 0
    let text = values.map { value -> Character in
        guard greatest > 0, value > 0 else { return steps[0] }
        return steps[max(1, min(steps.count - 1, Int((value / greatest * Double(steps.count - 1)).rounded())))]
    }
    return SafeText(trusted: String(text), style: .cyan)
}
