/// Lines of `label value` with aligned values.
package struct KeyValueList: Sendable {
    /// A label and the text next to it, on several lines if necessary.
    package typealias Item = (label: SafeText, value: SafeText)

    private static let gap = 2
    /// The minimum width for a value next to its label; with less room, values are printed below their labels.
    private static let narrowest = 12

    private let items: [Item]

    package init(_ items: [Item]) {
        self.items = items
    }

    /// The lines of the list, values wrapped to the width; nil doesn't wrap.
    package func lines(width limit: Int?) -> [SafeText] {
        let labelWidth = items.map(\.label.width).max() ?? 0
        let indent = labelWidth + Self.gap
        guard let limit else {
            return items.flatMap { beside($0, $0.value.lines, indent: indent) }
        }
        let room = limit - indent
        if room < min(Self.narrowest, items.map(\.value.width).max() ?? 0) {
            return items.flatMap { below($0, width: limit) }
        }
        return items.flatMap { item in
            // A key or an email that doesn't fit next to its label is printed below the label.
            let longest = item.value.longestWord
            return longest > room && longest <= limit - Self.gap
                ? below(item, width: limit) : beside(item, item.value.wrapped(to: room), indent: indent)
        }
    }

    private func beside(_ item: Item, _ values: [SafeText], indent: Int) -> [SafeText] {
        values.enumerated().map { index, value in
            let label = index == 0 ? item.label.onOneLine.dim : SafeText()
            return value.isEmpty ? label : label.padded(to: indent) + value
        }
    }

    private func below(_ item: Item, width limit: Int) -> [SafeText] {
        let labels = item.label.wrapped(to: limit).map(\.dim)
        let margin = SafeText(repeating: " ", count: Self.gap)
        let values = item.value.isEmpty ? [] : item.value.wrapped(to: limit - Self.gap)
        return labels + values.map { $0.isEmpty ? $0 : margin + $0 }
    }
}

extension SafeText {
    fileprivate var longestWord: Int {
        cells.split { $0.character == " " || $0.character == "\n" }.map { $0.reduce(0) { $0 + $1.columns } }.max() ?? 0
    }
}
