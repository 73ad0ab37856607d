/// Finds the names that are closest to a typed word.
package enum Nearest {
    /// The up to three names nearest to a word: within two typing mistakes, or else names that it abbreviates.
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

    /// The distance of a name from the typed word; nil if it is too different.
    private static func rank(_ typed: String, _ name: String) -> Int? {
        let abbreviation = name.hasPrefix(typed) ? 3 : nil
        // Two edits turn any three letters into almost any others.
        let allowed = name.count < 4 ? 1 : 2
        guard abs(typed.count - name.count) <= allowed else { return abbreviation }
        let distance = editDistance(typed, name)
        return distance <= allowed && distance < max(typed.count, name.count) ? distance : abbreviation
    }
}

/// A suggestion in words; nil without a name to suggest.
package func didYouMean(_ names: [String]) -> String? {
    let quoted = names.map { "`\($0)`" }
    guard let last = quoted.last else { return nil }
    guard quoted.count > 1 else { return "did you mean \(last)?" }
    return "did you mean \(quoted.dropLast().joined(separator: ", ")) or \(last)?"
}
