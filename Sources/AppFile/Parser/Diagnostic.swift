/// A mistake or warning at a place in an app file.
package struct Diagnostic: Error, Sendable, Hashable {
    package enum Severity: String, Sendable { case error, warning }

    package let severity: Severity
    package let file: SourceFile
    package let offset: Int
    package let message: String
    /// The hint, without the other lines.
    private let advice: String?
    /// Other places of the same mistake.
    private var others: [App.Place] = []

    /// A finding at a byte of a file.
    package init(
        _ message: String, in file: SourceFile, at offset: Int, hint: String? = nil, severity: Severity = .error
    ) {
        self.severity = severity
        self.file = file
        self.offset = offset
        self.message = message
        advice = hint
    }

    /// The hint, and the other lines with the same mistake.
    package var hint: String? {
        guard let advice else { return also }
        return also.map { "\(advice) (\($0))" } ?? advice
    }

    /// Sorts findings, and merges those with the same text into one, at their first place.
    package static func together(_ findings: [Diagnostic]) -> [Diagnostic] {
        var kept: [Diagnostic] = []
        for finding in findings {
            let same = kept.firstIndex { ($0.message, $0.severity) == (finding.message, finding.severity) }
            if let same {
                kept[same].others.append(App.Place(file: finding.file, offset: finding.offset))
            } else {
                kept.append(finding)
            }
        }
        return kept
    }

    /// The other lines with the same mistake; nil if there are none.
    private var also: String? {
        var lines: [String: Set<Int>] = [:]
        for place in others { lines[place.file.name, default: []].insert(place.file.position(of: place.offset).line) }
        let own = lines.removeValue(forKey: file.name)?.subtracting([file.position(of: offset).line]) ?? []
        let elsewhere = lines.sorted { $0.key < $1.key }.map { "\(Self.list($0.value)) of \($0.key)" }
        let places = (own.isEmpty ? [] : [Self.list(own)]) + elsewhere
        return places.isEmpty ? nil : "the same in \(places.joined(separator: ", and in "))"
    }

    private static func list(_ lines: Set<Int>) -> String {
        let sorted = lines.sorted()
        guard let last = sorted.last, sorted.count > 1 else { return "line \(sorted.first ?? 0)" }
        let some = sorted.dropLast().prefix(9).map(String.init)
        return "lines \(some.joined(separator: ", ")) and \(sorted.count - 1 > some.count ? "others" : "\(last)")"
    }

    /// `file:line:column: error: message`, the line, and a caret under the place.
    package var report: [String] {
        let (line, column) = file.position(of: offset)
        let source = file.line(around: offset)
        // Tabs stay tabs, so that the caret is below its place at any tab width.
        let indent = source.prefix(column - 1).map { $0 == "\t" ? $0 : " " }
        var lines = ["\(file.name):\(line):\(column): \(severity.rawValue): \(message)"]
        if !source.isEmpty { lines += ["  " + source, "  " + String(indent) + "^"] }
        if let hint { lines.append("  hint: " + hint.replacing("\n", with: "\n        ")) }
        return lines
    }
}

/// An invalid app file, with all its mistakes.
package struct InvalidApp: Error, Sendable, Hashable {
    package let diagnostics: [Diagnostic]

    /// All findings, in the order of the file.
    package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}
