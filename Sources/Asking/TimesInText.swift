package import PQ

/// How times stand in the texts of a type: alone, or in lists and ranges, which Postgres numbers apart.
package struct TimesInText: Sendable, Hashable {
    enum Holder { case list, ranges, range }

    /// The type of each time.
    package let time: TypeID
    /// What holds them, from the outside.
    let holders: [Holder]

    fileprivate static let known: [TypeID: TimesInText] = {
        let numbers: [(TypeID, list: UInt32, range: UInt32, ofRanges: UInt32, ranges: UInt32, ofThose: UInt32)] = [
            (.timestamp, 1115, 3908, 3909, 4533, 6152), (.timestamptz, 1185, 3910, 3911, 4534, 6153),
            (.date, 1182, 3912, 3913, 4535, 6155),
        ]
        var known: [TypeID: TimesInText] = [:]
        for (time, list, range, ofRanges, ranges, ofThose) in numbers {
            known[time] = TimesInText(time: time, holders: [])
            let held: [(UInt32, [Holder])] = [
                (list, [.list]), (range, [.range]), (ofRanges, [.list, .range]), (ranges, [.ranges]),
                (ofThose, [.list, .ranges]),
            ]
            for (type, holders) in held {
                known[TypeID(rawValue: type)] = TimesInText(time: time, holders: holders)
            }
        }
        return known
    }()

    /// The times in a text that Postgres has read.
    func times(in text: String) -> [String] {
        var times: [String] = []
        _ = replaced(in: text) { time in
            times.append(time)
            return time
        }
        return times
    }

    /// The same text with another time in the place of each.
    func replaced(in text: String, by time: (String) -> String) -> String {
        Self.replaced(in: text, holders[...], by: time)
    }

    private static func replaced(
        in text: String, _ holders: ArraySlice<Holder>, by time: (String) -> String
    ) -> String {
        guard let holder = holders.first else { return time(text) }
        var scan = HeldTexts(text)
        let inner = holders.dropFirst()
        switch holder {
        case .list: scan.list { replaced(in: $0, inner, by: time) }
        case .ranges: scan.ranges { replaced(in: $0, inner, by: time) }
        case .range: scan.range { replaced(in: $0, inner, by: time) }
        }
        return scan.written
    }
}

extension TypeID {
    /// How times stand in texts of this type, nil where none do.
    package var times: TimesInText? { TimesInText.known[self] }
}

/// Reads the text of a list or of a range, and writes it with other texts in the place of what it holds.
///
/// What holds and what is held are told apart as Postgres does it; a text that it would not read stays as it is.
private struct HeldTexts {
    private(set) var written = ""
    private var left: Substring.UnicodeScalarView

    init(_ text: String) { left = text[...].unicodeScalars }

    mutating func list(_ other: (String) -> String) {
        // The bounds of its places may stand in front.
        keep { $0 != "{" }
        while let next = left.first {
            if next == "{" || next == "}" || next == "," || isBlank(next) {
                keepOne()
                continue
            }
            let isQuoted = next == "\""
            let element = held { $0 == "," || $0 == "}" }
            if !isQuoted, element.lowercased() == "null" { written += element } else { write(other(element)) }
        }
    }

    mutating func ranges(_ other: (String) -> String) {
        while !left.isEmpty {
            keep { !"[(".unicodeScalars.contains($0) }
            bounds(other)
        }
    }

    mutating func range(_ other: (String) -> String) {
        keep { !"[(".unicodeScalars.contains($0) }
        bounds(other)
        keep { _ in true }
    }

    /// The bounds of one range, of which none that is missing is held.
    private mutating func bounds(_ other: (String) -> String) {
        if left.isEmpty { return }
        keepOne()
        for ends in [",", ")]"] {
            if let next = left.first, !ends.unicodeScalars.contains(next) {
                write(other(held(doubling: true) { ends.unicodeScalars.contains($0) }))
            }
            if !left.isEmpty { keepOne() }
        }
    }

    /// A text up to the mark that ends it, without quotes; within them two may stand for one.
    private mutating func held(doubling: Bool = false, until ends: (Unicode.Scalar) -> Bool) -> String {
        var text = ""
        var isQuoted = false
        while let next = left.first, isQuoted || !ends(next) {
            left.removeFirst()
            if next == "\\", let escaped = left.popFirst() {
                text.unicodeScalars.append(escaped)
            } else if next == "\"" {
                if doubling, isQuoted, left.first == "\"" {
                    left.removeFirst()
                    text += "\""
                } else {
                    isQuoted.toggle()
                }
            } else {
                text.unicodeScalars.append(next)
            }
        }
        // Blanks behind it belong to no time.
        while let last = text.unicodeScalars.last, isBlank(last) { text.unicodeScalars.removeLast() }
        return text
    }

    private mutating func write(_ text: String) {
        written += "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { written += "\\" }
            written.unicodeScalars.append(scalar)
        }
        written += "\""
    }

    private mutating func keepOne() {
        if let next = left.popFirst() { written.unicodeScalars.append(next) }
    }

    private mutating func keep(while isKept: (Unicode.Scalar) -> Bool) {
        while let next = left.first, isKept(next) { keepOne() }
    }

    private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.value == 32 || (9...13).contains(scalar.value) }
}
