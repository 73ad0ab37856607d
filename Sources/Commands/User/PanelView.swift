import AppFile
package import Inquiries
import PQ
package import Terminal

extension ScreenText {
    /// The lines of a panel: a table, one record with labels, or the reason why usher can't show the panel.
    func panel(_ panel: PanelReport) -> [SafeText] {
        guard let rows = panel.rows else {
            return ["  " + ("unavailable: " as SafeText).yellow + SafeText(panel.unavailable?.sentence ?? "")]
        }
        guard !rows.rows.isEmpty else { return [("  none" as SafeText).dim] }
        let inner = width(beside: 2)
        var lines: [SafeText]
        if rows.rows.count == 1, rows.columns.count > 4, let row = rows.first {
            lines = record(row).lines(width: inner)
        } else {
            let table = TextTable(rows, self)
            var widths: [Int]?
            lines = table.lines(width: inner, below: &widths)
            let hidden = table.hidden(widths).joined(separator: ", ")
            if !hidden.isEmpty { lines.append(("left out: " + hidden).dim) }
        }
        if panel.isCut { lines.append(("… and more" as SafeText).dim) }
        return lines.map { $0.isEmpty ? $0 : "  " + $0 }
    }

    func record(_ row: Row) -> KeyValueList {
        KeyValueList(zip(row.columns, row.values).map { (SafeText($0.name), value($1, withDistance: true)) })
    }

    /// The facts that have a value, with labels.
    func facts(_ facts: Row) -> KeyValueList { record(facts.only { _, value in !value.isNull }) }
}

extension Row {
    /// The row with only some of its columns.
    func only(_ isShown: (_ name: String, Value) -> Bool) -> Row {
        let kept = columns.indices.filter { isShown(columns[$0].name, values[$0]) }
        return Row(columns: kept.map { columns[$0] }, values: kept.map { values[$0] })
    }
}

extension PanelReport: JSONConvertible {
    package var json: JSON {
        var members: JSON.Members = [("title", panel.title)]
        if let rows {
            members.append(("rows", rows.rows))
            if isCut { members.append(("truncated", true)) }
        } else {
            members.append(("unavailable", unavailable?.sentence))
        }
        return JSON(members)
    }
}
