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
