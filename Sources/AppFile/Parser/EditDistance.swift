/// The known word that a mistyped one probably means: at most two edits away.
///
/// Two swapped neighbours are one edit, as is the letter case of the whole word.
package func nearest(to word: String, among known: [String]) -> String? {
    let scored = known.map { known in
        let isFolded = known != word && known.lowercased() == word.lowercased()
        return (word: known, distance: isFolded ? 1 : editDistance(word, known))
    }
    return scored.filter { $0.distance <= min(2, max(1, word.count / 2)) }.min { $0.distance < $1.distance }?.word
}

/// True if one typing mistake makes one word from the other.
func isOneEdit(from word: String, to other: String) -> Bool { editDistance(word, other) == 1 }

/// The number of letters to add, remove, replace or swap.
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
