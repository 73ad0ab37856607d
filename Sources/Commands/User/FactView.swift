import PQ
import Terminal

/// How facts look: one after the other, as many to a line as fit; what is not known is left out.
struct FactView {
    let text: ScreenText
    let width: Int?

    func lines(_ facts: Row) -> [SafeText] {
        let pairs = zip(facts.columns, facts.values).filter { !$1.isNull }.map { column, value in
            SafeText(column.name).dim + " " + text.value(value, withDistance: true)
        }
        guard let width else { return pairs }
        var lines: [SafeText] = []
        for pair in pairs {
            if let last = lines.last, last.width + Self.gap.width + pair.width <= width {
                lines[lines.count - 1] = last + Self.gap + pair
            } else {
                lines.append(pair)
            }
        }
        return lines
    }

    private static let gap: SafeText = "   "
}
