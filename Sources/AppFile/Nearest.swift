/// The known word that a mistyped one probably means: at most two edits away.
package func nearest(to word: String, among known: [String]) -> String? {
    let scored = known.map { (word: $0, distance: editDistance(word, $0)) }
    return scored.filter { $0.distance <= min(2, max(1, word.count / 2)) }.min { $0.distance < $1.distance }?.word
}

private func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var row = Array(0...b.count)
    for i in a.indices {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let substitution = diagonal + (a[i] == b[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}
