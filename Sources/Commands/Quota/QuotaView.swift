package import Inquiries
import PQ
package import Terminal

/// The lines of quotas: a bar, the numbers, and the time of the reset.
extension ScreenText {
    func quotas(_ quotas: [QuotaReport]) -> [SafeText] {
        let nameWidth = quotas.map { name($0).width }.max() ?? 0
        let tiers = quotas.compactMap(\.tier).prefix(1).map {
            SafeText("tier").padded(to: nameWidth) + "  " + value($0)
        }
        let lines = quotas.flatMap { quota -> [SafeText] in
            let whole = name(quota).padded(to: nameWidth) + "  " + line(quota)
            let lines = [whole] + history(quota).map { SafeText("").padded(to: nameWidth + 2) + $0 }
            return lines.flatMap { $0.wrapped(to: width, indent: nameWidth + 2) }
        }
        return tiers + lines
    }

    private func name(_ quota: QuotaReport) -> SafeText {
        SafeText(quota.name) + (quota.per.map { " " + value($0.value).dim } ?? "")
    }

    /// The chart of usage over time; empty if there was no usage.
    private func history(_ quota: QuotaReport) -> [SafeText] {
        guard let history = quota.history else { return [] }
        if let reason = history.unavailable {
            return [("usher can't show the history: " as SafeText).yellow + SafeText(reason.sentence)]
        }
        let steps = history.rows?.rows.map { row in row.values[1].text.flatMap { Double($0) } ?? 0 } ?? []
        guard steps.contains(where: { $0 > 0 }) else { return [] }
        return [sparkline(steps, unicode: drawsUnicode) + "  " + SafeText(history.summary).dim]
    }

    private func line(_ quota: QuotaReport) -> SafeText {
        if let trouble = quota.unavailable {
            return ("unavailable: " as SafeText).yellow + SafeText(trouble.sentence)
        }
        guard let usage = quota.usage else { return ("none" as SafeText).dim }
        let (used, limit) = (usage.shown("used"), usage.shown("limit"))
        guard let used, let limit, let most = limit.text.flatMap({ Double($0) }) else {
            return ("no limit" as SafeText).dim
        }
        let count = used.text.flatMap { Double($0) } ?? 0
        var line = bar(used: count, limit: most, width: 20, unicode: drawsUnicode)
        line += "  " + value(used.withoutEmptyPlaces) + " of " + value(limit.withoutEmptyPlaces)
        if let period = usage.shown("period"), !period.isNull { line += " (" + value(period) + ")" }
        if count >= most { line += ("  used up" as SafeText).bold }
        if let reset = usage.shown("resets_at"), !reset.isNull {
            let hasPassed = ScreenText.instant(reset).map { $0.seconds(since: now) <= 0 } ?? false
            line += hasPassed ? "  should have started over " : "  starts over "
            line += value(reset, withDistance: true)
        }
        return line
    }
}

extension Value {
    /// A number without trailing zeros in its fraction.
    fileprivate var withoutEmptyPlaces: Value {
        guard let text, text.contains("."), text.allSatisfy({ $0.isNumber || ".-".contains($0) }) else { return self }
        let digits = text.reversed().drop { $0 == "0" }
        return Value(String(digits.drop { $0 == "." }.reversed()))
    }
}

extension QuotaReport: JSONConvertible {
    package var json: JSON {
        let numbers: JSON.Members = ["used", "limit", "period", "resets_at"].map { ($0, usage?.shown($0)) }
        let steps = history?.rows?.rows.map { JSON([("at", $0.values[0]), ("used", $0.values[1])]) }
        return JSON(
            [("name", name)] + JSON.given([("per", per.map { JSON([($0.name, $0.value)]) })]) + numbers
                + JSON.given([
                    ("unavailable", unavailable?.sentence), ("history", steps),
                    ("history_unavailable", history?.unavailable?.sentence),
                ]))
    }
}
