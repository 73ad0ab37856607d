/// Finds the names that are closest to a typed word.
package enum Nearest {
    /// The names nearest to a word, at most three: names within two typing mistakes, or else names that begin with the
    /// word.
    package static func names(to word: String, among names: [String]) -> [String] {
        let typed = word.lowercased()
        guard !typed.isEmpty else { return [] }
        var best = Int.max
        var found: [String] = []
        for name in names where !found.contains(name) {
            guard let rank = rank(typed, name.lowercased()), rank <= best else { continue }
            if rank < best { found = [] }
            best = rank
            found.append(name)
        }
        return Array(found.prefix(3))
    }

    /// Returns the name nearest to a word.
    package static func name(to word: String, among names: [String]) -> String? {
        self.names(to: word, among: names).first
    }

    /// The hint that offers the name nearest to a word.
    package static func hint(for word: String, among names: [String]) -> String? {
        name(to: word, among: names).map { "did you mean \($0)?" }
    }

    /// The distance of a name from the typed word; nil if the name is too different.
    private static func rank(_ typed: String, _ name: String) -> Int? {
        let abbreviation = name.hasPrefix(typed) ? 3 : nil
        // Two edits would turn any three letters into almost any other three.
        let allowed = name.count < 4 ? 1 : 2
        guard abs(typed.count - name.count) <= allowed else { return abbreviation }
        let distance = editDistance(typed, name)
        return distance <= allowed && distance < max(typed.count, name.count) ? distance : abbreviation
    }
}

/// A hint that suggests names as a question; nil if there is no name to suggest.
package func didYouMean(_ names: [String]) -> String? {
    let quoted = names.map { "`\($0)`" }
    guard let last = quoted.last else { return nil }
    guard quoted.count > 1 else { return "did you mean \(last)?" }
    return "did you mean \(quoted.dropLast().joined(separator: ", ")) or \(last)?"
}

/// The number of letters to add, remove, replace or swap until one word is the other.
package func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var (before, row) = ([Int](), Array(0...b.count))
    for i in a.indices {
        var next = [i + 1]
        for j in b.indices {
            var edits = min(row[j] + (a[i] == b[j] ? 0 : 1), next[j] + 1, row[j + 1] + 1)
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { edits = min(edits, before[j - 1] + 1) }
            next.append(edits)
        }
        (before, row) = (row, next)
    }
    return row[b.count]
}
