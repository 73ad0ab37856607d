/// Finds the names that somebody may have meant.
package enum Nearest {
    /// Returns the up to three names nearest to a word: within two slips of the finger, else those it abbreviates.
    package static func names(to word: String, among names: [String]) -> [String] {
        let typed = Array(word.lowercased())
        guard !typed.isEmpty else { return [] }
        var best = Int.max
        var found: [String] = []
        for name in names where !found.contains(name) {
            guard let rank = rank(typed, Array(name.lowercased())), rank <= best else { continue }
            if rank < best { found = [] }
            best = rank
            found.append(name)
        }
        return Array(found.prefix(3))
    }

    /// How far a name is from what was typed; nil when it is another word.
    private static func rank(_ typed: [Character], _ name: [Character]) -> Int? {
        let abbreviation = name.starts(with: typed) ? 3 : nil
        // Two slips turn any three letters into almost any others.
        let allowed = name.count < 4 ? 1 : 2
        guard abs(typed.count - name.count) <= allowed else { return abbreviation }
        let distance = distance(typed, name)
        return distance <= allowed && distance < max(typed.count, name.count) ? distance : abbreviation
    }

    /// The Damerau-Levenshtein distance: insertions, deletions, substitutions and swaps of neighbours.
    static func distance(_ first: [Character], _ second: [Character]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...second.count)
        for row in first.indices {
            var current = [row + 1]
            for column in second.indices {
                let change = first[row] == second[column] ? 0 : 1
                var cost = min(last[column] + change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[second.count]
    }
}

/// Words a suggestion, or returns nil when there is nothing to suggest.
package func didYouMean(_ names: [String]) -> String? {
    let quoted = names.map { "`\($0)`" }
    guard let last = quoted.last else { return nil }
    guard quoted.count > 1 else { return "did you mean \(last)?" }
    return "did you mean \(quoted.dropLast().joined(separator: ", ")) or \(last)?"
}
