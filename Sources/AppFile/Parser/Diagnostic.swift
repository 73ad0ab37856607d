/// Something wrong, or doubtful, at a place in an app file.
package struct Diagnostic: Error, Sendable, Hashable {
    package enum Severity: String, Sendable { case error, warning }

    package let severity: Severity
    package let file: SourceFile
    package let offset: Int
    package let message: String
    /// What helps, without where else the same is missing.
    private let advice: String?
    /// The name that is missing, which may be used in several places and was mistaken in one.
    package let missing: Missing?
    /// Where else it is missing.
    private var others: [App.Place]

    /// A name that nothing has, and the word of the directive that would give it.
    package struct Missing: Sendable, Hashable {
        let word: String
        let name: String

        /// A name that a directive of this word would give.
        package init(_ word: String, _ name: String) { (self.word, self.name) = (word, name) }

        /// A relation without a schema, which is an object or a definition of the file.
        package static func definition(_ name: String) -> Missing { Missing("define", name) }
    }

    /// A finding at a byte of a file.
    package init(
        _ message: String, in file: SourceFile, at offset: Int, hint: String? = nil, severity: Severity = .error,
        missing: Missing? = nil, others: [App.Place] = []
    ) {
        self.severity = severity
        self.file = file
        self.offset = offset
        self.message = message
        advice = hint
        self.missing = missing
        self.others = others
    }

    /// What helps, and where else the same is missing.
    package var hint: String? {
        let said = [advice, also].compactMap { $0 }
        return said.isEmpty ? nil : said.joined(separator: " ")
    }

    /// Findings in their order, those about one missing name as one at the first of its places.
    package static func together(_ findings: [Diagnostic]) -> [Diagnostic] {
        var kept: [Diagnostic] = []
        for finding in findings {
            if let missing = finding.missing, let known = kept.firstIndex(where: { $0.missing == missing }) {
                kept[known].others += [App.Place(file: finding.file, offset: finding.offset)] + finding.others
            } else {
                kept.append(finding)
            }
        }
        return kept
    }

    /// In which other lines the same is missing, nil for none.
    private var also: String? {
        var lines: [String: Set<Int>] = [:]
        for place in others { lines[place.file.name, default: []].insert(place.file.position(of: place.offset).line) }
        let own = lines.removeValue(forKey: file.name)?.subtracting([file.position(of: offset).line]) ?? []
        let elsewhere = lines.sorted { $0.key < $1.key }.map { "\(Self.list($0.value)) of \($0.key)" }
        let places = (own.isEmpty ? [] : [Self.list(own)]) + elsewhere
        return places.isEmpty ? nil : "The same is missing in \(places.joined(separator: ", and in "))."
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
        // Tabs stay tabs, so that the caret stands under its place whatever their width.
        let indent = source.prefix(column - 1).map { $0 == "\t" ? $0 : " " }
        var lines = ["\(file.name):\(line):\(column): \(severity.rawValue): \(message)", "  " + source]
        lines.append("  " + String(indent) + "^")
        if let hint { lines.append("  hint: " + hint.replacing("\n", with: "\n        ")) }
        return lines
    }
}

/// An app file that cannot be used, with everything that is wrong with it.
package struct InvalidApp: Error, Sendable, Hashable {
    package let diagnostics: [Diagnostic]

    /// All findings, in the order of the file.
    package init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }
}
