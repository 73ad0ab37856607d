/// A mistake or a warning, with its place in an app file.
package struct Diagnostic: Error, Sendable, Hashable {
    package enum Severity: String, Sendable { case error, warning }

    package let severity: Severity
    package let place: App.Place
    package let message: String
    /// True if the cause is the connected role and not the file.
    package let isOfRole: Bool
    /// The hint from the initializer, without the other lines that contain the same mistake.
    private let advice: String?
    /// The other places with the same mistake.
    private var others: [App.Place] = []

    /// Creates a diagnostic at a place in a file.
    package init(
        _ message: String, at place: App.Place, hint: String? = nil, severity: Severity = .error,
        isOfRole: Bool = false
    ) {
        self.severity = severity
        self.place = place
        self.message = message
        self.isOfRole = isOfRole
        advice = hint
    }

    package var file: SourceFile { place.file }
    package var offset: Int { place.offset }

    /// The hint, followed by the other lines with the same mistake.
    package var hint: String? {
        guard let advice else { return also }
        return also.map { "\(advice) (\($0))" } ?? advice
    }

    /// Merges diagnostics with the same message and severity into one, at the first place.
    package static func together(_ findings: [Diagnostic]) -> [Diagnostic] {
        var kept: [Diagnostic] = []
        for finding in findings {
            let same = kept.firstIndex { ($0.message, $0.severity) == (finding.message, finding.severity) }
            if let same {
                kept[same].others.append(finding.place)
            } else {
                kept.append(finding)
            }
        }
        return kept
    }

    /// The other lines with the same mistake, as a text; nil if there are none.
    private var also: String? {
        var lines: [String: Set<Int>] = [:]
        for place in others { lines[place.file.name, default: []].insert(place.file.position(of: place.offset).line) }
        let own = lines.removeValue(forKey: file.name)?.subtracting([file.position(of: offset).line]) ?? []
        let elsewhere = lines.sorted { $0.key < $1.key }.map { "\(Self.list($0.value)) of \($0.key)" }
        let places = (own.isEmpty ? [] : [Self.list(own)]) + elsewhere
        return places.isEmpty ? nil : "the same mistake is in \(places.joined(separator: ", and in "))"
    }

    private static func list(_ lines: Set<Int>) -> String {
        let sorted = lines.sorted()
        guard let last = sorted.last, sorted.count > 1 else { return "line \(sorted.first ?? 0)" }
        let some = sorted.dropLast().prefix(9).map(String.init)
        return "lines \(some.joined(separator: ", ")) and \(sorted.count - 1 > some.count ? "others" : "\(last)")"
    }

    /// The diagnostic as lines: `file:line:column: error: message`, the source line, a caret below the place, and the
    /// hint.
    package var report: [String] {
        let (line, column) = file.position(of: offset)
        let source = file.line(around: offset)
        // Tabs stay tabs, so that the caret is below its place with any tab width.
        let indent = source.prefix(column - 1).map { $0 == "\t" ? $0 : " " }
        var lines = ["\(file.name):\(line):\(column): \(severity.rawValue): \(message)"]
        if !source.isEmpty { lines += ["  " + source, "  " + String(indent) + "^"] }
        if let hint { lines.append("  hint: " + hint.replacing("\n", with: "\n        ")) }
        return lines
    }
}

/// A part of the parser, or a check, that collects mistakes.
protocol DiagnosticCollector {
    var diagnostics: [Diagnostic] { get set }
}

extension DiagnosticCollector {
    mutating func report(
        _ message: String, at place: App.Place, hint: String? = nil, severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(Diagnostic(message, at: place, hint: hint, severity: severity))
    }

    /// Reports an unknown word; the hint is the nearest known word.
    mutating func report(_ message: String, at place: App.Place, near word: String, among known: [String]) {
        report(message, at: place, hint: Nearest.hint(for: word, among: known))
    }

    /// Reports a mistake in the text of a directive.
    mutating func report(_ message: String, at directive: Directive, hint: String? = nil) {
        report(message, at: directive.textPlace, hint: hint)
    }
}

/// The error for an app file with mistakes.
package struct InvalidApp: Error, Sendable, Hashable {
    /// All diagnostics, in the order of the file.
    package let diagnostics: [Diagnostic]
}
