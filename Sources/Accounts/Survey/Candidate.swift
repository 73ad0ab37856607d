internal import Catalog

/// A column that evidence reads as keys of a table, among all that it could be.
struct Candidate {
    let table: UInt32
    let column: String
    let parent: Reading.Key
    /// The rows that mean this parent, where the column means others in other rows.
    var only: Reading.Only?
    let because: [Evidence]

    var key: Reading.Key { Reading.Key(table: table, column: column) }
    var points: Int { because.reduce(0) { $0 + $1.points } }

    /// Whether it asks for nothing but what is so of most columns like it: then there is nothing to propose.
    var isGuess: Bool {
        because.contains(where: \.isOpaque)
            || because.reduce(0) { $0 + ($1.isChance ? 0 : $1.points) } < Evidence.asking
    }
}

/// What each column means, decided once, against all tables.
extension Candidates {
    /// Decides what each column means, once, against all tables.
    mutating func decide() {
        speakTogether()
        for (place, column) in columns.enumerated() {
            var found = evidence[place].map { key, evidence in
                Candidate(
                    table: column.table, column: column.name, parent: key, only: only[place][key], because: evidence)
            }.filter { $0.points >= Evidence.asking }
            // Types decide row by row, so each is a reading of its own.
            if only[place].isEmpty {
                let most = found.map(\.points).max() ?? 0
                found = merged(found.filter { $0.points == most })
                // What holds the same in another form is a copy of it, and not what is referred to.
                let same = found.filter { kind(of: $0.parent) == column.kind }
                if !same.isEmpty { found = same }
                // A list of some of the users knows less of them than they do.
                if let own = found.first(where: { $0.parent == root }) { found = [own] }
            }
            asking += found.sorted { ($0.parent.table, $0.parent.column) < ($1.parent.table, $1.parent.column) }
        }
    }

    /// A candidate with what the values say for it and against it.
    func judging(_ candidate: Candidate) -> Candidate {
        let place = columns.firstIndex { $0.key == candidate.key }
        let because = place.flatMap { evidence[$0][candidate.parent] } ?? candidate.because
        return Candidate(
            table: candidate.table, column: candidate.column, parent: candidate.parent, only: candidate.only,
            because: because)
    }

    /// What the columns of one name say together: few values each may be many at once.
    private mutating func speakTogether() {
        var named: [String: [Int]] = [:]
        for (place, column) in columns.enumerated() where only[place].isEmpty {
            named[column.name.lowercased(), default: []].append(place)
        }
        for places in named.values where places.count > 1 {
            let keys = places.reduce(into: Set<Reading.Key>()) { $0.formUnion(standing[$1].keys) }
            for key in keys {
                let own = places.filter {
                    !isCounted($0, besides: key) && standing[$0][key].map { $0.values > 0 } ?? false
                }
                let all = Evidence.Standing(own.compactMap { standing[$0][key] })
                guard own.count > 1, all.values >= 20, 100 * all.hits >= 97 * all.values,
                    all.bits >= Evidence.Standing.telling
                else { continue }
                for place in own where (standing[place][key]?.bits ?? 0) < Evidence.Standing.telling {
                    evidence[place][key, default: []].append(
                        Evidence(.together(all.hits, of: all.values, columns: own.count), points: 3))
                }
            }
        }
    }

    /// As one question what is one thing: a key that refers to the other one holds the same values.
    private func merged(_ readings: [Candidate]) -> [Candidate] {
        readings.filter { reading in
            !readings.contains { other in
                other.parent != reading.parent
                    && graph.references.contains { reference in
                        reference.table == reading.parent.table && reference.referenced == other.parent.table
                            && reference.columns.map(\.name) == [reading.parent.column]
                            && reference.columns.map(\.referenced) == [other.parent.column]
                    }
            }
        }
    }
}
