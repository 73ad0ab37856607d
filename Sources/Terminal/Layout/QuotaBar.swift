/// A bar that shows the used part of a limit: green, yellow from 80 %, red from 100 %.
///
/// A small usage is never shown as empty, nor a small rest as full. The bar can't show usage above the limit, so print
/// numbers next to it.
package func bar(used: Double, limit: Double, width: Int, unicode: Bool) -> SafeText {
    guard width > 0 else {
        return SafeText()
    }
    let share = quotaShare(used: used, limit: limit)
    let steps = unicode ? 8 : 1
    let whole = width * steps
    var filled = Int((share * Double(whole)).rounded())
    if share > 0, share < 1, whole > 1 {
        filled = min(max(filled, 1), whole - 1)
    }
    let style: SafeText.Style = share >= 1 ? .red : share >= 0.8 ? .yellow : .green
    let partial = filled % steps
    var full = String(repeating: unicode ? "█" : "#", count: filled / steps)
    if partial > 0 {
        full.append(["▏", "▎", "▍", "▌", "▋", "▊", "▉"][partial - 1])
    }
    let rest = String(repeating: unicode ? "░" : ".", count: width - full.count)
    return SafeText(trusted: full, style: style) + SafeText(trusted: rest, style: .dim)
}

/// The used part of a limit from 0 to 1; a limit of 0 counts as used up.
private func quotaShare(used: Double, limit: Double) -> Double {
    guard !used.isNaN, !limit.isNaN else {
        return 0
    }
    if limit <= 0 || used >= limit {
        return 1
    }
    return max(0, used / limit)
}
