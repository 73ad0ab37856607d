/// The lines of a chart: label, bar, number, and the share of the total; the greatest number has the longest bar.
///
/// Without a total, the chart has no shares.
package func barChart(
    _ items: [(label: SafeText, value: Double, text: SafeText)], total: Double?, width limit: Int?, unicode: Bool
) -> [SafeText] {
    let labelWidth = items.map(\.label.width).max() ?? 0
    let numberWidth = items.map(\.text.width).max() ?? 0
    let shareWidth = total == nil ? 0 : 6
    let room = (limit ?? 80) - labelWidth - numberWidth - shareWidth - 4
    let length = min(30, max(5, room))
    let greatest = items.map(\.value).max() ?? 0
    return items.map { item in
        var line = item.label.padded(to: labelWidth) + "  "
        line += stroke(item.value, of: greatest, length: length, unicode: unicode) + "  "
        line += item.text.padded(to: numberWidth, alignment: .right)
        if let total, total > 0 {
            line += "  " + SafeText(percent(item.value / total)).padded(to: 4, alignment: .right).dim
        }
        return limit.map { line.cut(to: $0) } ?? line
    }
}

/// A bar for a part of the length; a number above zero always has a visible bar.
private func stroke(_ value: Double, of greatest: Double, length: Int, unicode: Bool) -> SafeText {
    let steps = unicode ? 8 : 1
    let share = greatest > 0 && value > 0 ? min(value / greatest, 1) : 0
    let filled = share > 0 ? max(1, Int((share * Double(length * steps)).rounded())) : 0
    return SafeText(trusted: block(filled, unicode: unicode), style: .cyan).padded(to: length)
}

private func percent(_ share: Double) -> String {
    let whole = Int((share * 100).rounded())
    return whole == 0 && share > 0 ? "<1 %" : "\(whole) %"
}

/// A bar of `filled` steps.
///
/// A step is an eighth of a column with Unicode, and a whole column without.
private func block(_ filled: Int, unicode: Bool) -> String {
    guard unicode else { return String(repeating: "#", count: filled) }
    let eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    return String(repeating: "█", count: filled / 8) + eighths[filled % 8]
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

/// A bar that shows the used part of a limit: green, yellow from 80 %, red from 100 %.
///
/// A small usage never looks empty, and a nearly used limit never looks full. The bar can't show usage above the limit,
/// so print numbers next to the bar.
package func bar(used: Double, limit: Double, width: Int, unicode: Bool) -> SafeText {
    // A limit of 0 counts as used up.
    let part = limit <= 0 || used >= limit ? 1 : max(0, used / limit)
    let share = used.isNaN || limit.isNaN ? 0 : part
    let whole = width * (unicode ? 8 : 1)
    var filled = Int((share * Double(whole)).rounded())
    if share > 0, share < 1, whole > 1 {
        filled = min(max(filled, 1), whole - 1)
    }
    let style: SafeText.Style = share >= 1 ? .red : share >= 0.8 ? .yellow : .green
    let full = block(filled, unicode: unicode)
    let rest = String(repeating: unicode ? "░" : ".", count: width - full.count)
    return SafeText(trusted: full, style: style) + SafeText(trusted: rest, style: .dim)
}
