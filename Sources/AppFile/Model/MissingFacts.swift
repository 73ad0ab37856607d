/// Removes facts from the users if the columns that they need don't exist.
extension App {
    /// The facts that need a missing column, each with the path of that column.
    ///
    /// The result never contains the key, because usher needs the key to find users.
    package func lostFacts(
        _ exists: (RelationPath) -> Bool
    ) -> [(name: String, column: String)] {
        (users.source?.facts ?? []).filter { $0.name != users.key }.compactMap { fact in
            fact.columns.first { !exists($0) }.map { (fact.name, $0.text) }
        }
    }

    /// The table columns that the facts depend on.
    package var factColumns: [RelationPath] { users.source?.facts.flatMap(\.columns) ?? [] }

    /// The app without some facts.
    package func without(facts names: Set<String>) -> App {
        guard !names.isEmpty, let source = users.source else { return self }
        var app = self
        app.users.select = users.select.without(source.ranges(of: names))
        app.users.emails.removeAll(where: names.contains)
        app.users.search.removeAll(where: names.contains)
        app.users.columns.removeAll(where: names.contains)
        return app
    }
}

extension Fragment {
    /// The fragment with spaces in place of some byte ranges, so that the places of all other tokens stay valid.
    fileprivate func without(_ ranges: [Range<Int>]) -> Fragment {
        var bytes = file.bytes
        for range in ranges {
            for index in range where !isBlank(bytes[index]) { bytes[index] = UInt8(ascii: " ") }
        }
        return Fragment(
            file: SourceFile(name: file.name, bytes: bytes),
            tokens: tokens.filter { token in !ranges.contains { $0.contains(token.range.lowerBound) } })
    }
}
