/// Something wrong, or doubtful, at a place in an app file.
package struct Diagnostic: Error, Sendable, Hashable {
    package enum Severity: String, Sendable { case error, warning }

    package let severity: Severity
    package let file: SourceFile
    package let offset: Int
    package let message: String
    package let hint: String?
    /// Whether a name is missing that somebody may have meant to give in one place, and uses in several.
    let isOfName: Bool

    /// A finding at a byte of a file.
    package init(
        _ message: String, in file: SourceFile, at offset: Int, hint: String? = nil, severity: Severity = .error
    ) {
        self.init(message, in: file, at: offset, hint: hint, severity: severity, isOfName: false)
    }

    init(
        _ message: String, in file: SourceFile, at offset: Int, hint: String?, severity: Severity = .error,
        isOfName: Bool
    ) {
        self.isOfName = isOfName
        self.severity = severity
        self.file = file
        self.offset = offset
        self.message = message
        self.hint = hint
    }

    /// Findings in their order, those about one missing name as one at the first of its places.
    static func together(_ findings: [Diagnostic]) -> [Diagnostic] {
        var kept: [(finding: Diagnostic, others: [App.Place])] = []
        for finding in findings {
            let known = kept.firstIndex { kept, _ in
                finding.isOfName && kept.isOfName && (kept.message, kept.hint) == (finding.message, finding.hint)
            }
            if let known {
                kept[known].others.append(App.Place(file: finding.file, offset: finding.offset))
            } else {
                kept.append((finding, []))
            }
        }
        return kept.map { finding, others in
            guard let also = also(App.Place(file: finding.file, offset: finding.offset), others) else { return finding }
            let hint = [finding.hint, also].compactMap { $0 }.joined(separator: " ")
            return Diagnostic(
                finding.message, in: finding.file, at: finding.offset, hint: hint, severity: finding.severity)
        }
    }

    /// In which other lines of a file the same is missing, nil for none.
    package static func also(_ first: App.Place, _ others: some Sequence<App.Place>) -> String? {
        let lines = Set(others.filter { $0.file == first.file }.map { $0.file.position(of: $0.offset).line })
            .subtracting([first.file.position(of: first.offset).line]).sorted()
        guard let last = lines.last else { return nil }
        let some = lines.dropLast().prefix(9).map(String.init)
        let more = lines.count - 1 - some.count
        let list = some.isEmpty ? "\(last)" : "\(some.joined(separator: ", ")) and \(more > 0 ? "others" : "\(last)")"
        return "The same is missing in line\(lines.count == 1 ? "" : "s") \(list)."
    }

    /// `file:line:column: error: message`, the line, and a caret under the place.
    package var report: [String] {
        let (line, column) = file.position(of: offset)
        let source = file.line(around: offset)
        // Tabs stay tabs, so that the caret stands under its place whatever their width.
        let indent = source.prefix(column - 1).map { $0 == "\t" ? $0 : " " }
        var lines = ["\(file.name):\(line):\(column): \(severity.rawValue): \(message)", "  " + source]
        lines.append("  " + String(indent) + "^")
        if let hint { lines.append("  hint: " + hint) }
        return lines
    }
}

/// An app file that cannot be used, with everything that is wrong with it.
package struct InvalidApp: Error, Sendable, Hashable {
    package let diagnostics: [Diagnostic]

    /// All findings, in the order of the file.
    package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}
