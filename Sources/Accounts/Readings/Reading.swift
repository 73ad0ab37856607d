internal import AppFile
internal import Catalog
internal import PQ

/// A column that can be read as keys of other rows.
///
/// Whom a column means is asked everywhere an account is looked at, and this is the one answer: in each row of `table` the
/// column yields keys of `parent`, *because* a foreign key enforces it, a line of `@account` declares it, or evidence
/// speaks for it. A scalar yields one key, a list several; a column beside it may say which rows mean this parent and not
/// another; a text or a document yields whatever stands in it.
///
/// An account is what enforced and declared readings reach from the root (`AccountMap`, `AccountClosure`): a row goes when one
/// of its readings yields a key that goes, unless a line says that it stays, is emptied or is overwritten; it is *shared* when
/// another reading of the same row yields a user who stays, in no more steps (`Sharing`).
///
/// Evidence has points, and three ask (`asking`):
///
/// - names come from `catalog/evidence.sql`, their words from `catalog/lexicon.sql`, one `OpenColumn` each;
/// - values are samples, of what the planner remembers or of blocks spread over the table, looked up in the parents. What
///   counts is surprise: that a small number stands among small numbers says nothing, that a uuid stands says all;
/// - namesakes that have a foreign key say what the column without one means;
/// - a word beside a key says which table is meant (`SpokenTables`).
///
/// Whoever writes the app file is asked by `account survey`, once (`Readings`, `Survey`): the parent of each column is decided
/// against all tables, and only then is the account walked, along what goes by the proposals, all levels at once.
///
/// Whoever deletes is asked about what is left open (`OpenReadings`): the same columns on the same scale, though the values are
/// no samples but the very keys that go. That one of them stands there is worth a point, and four where it is one thing in
/// the world, so that two points of names suffice to look. What holds a key that goes, and no line and no answer settles,
/// refuses the deletion (`ReadingSearch`, `HeldColumn`); what is answered for becomes a link like any other
/// (`AnsweredReadings`). Of users more is looked for than keys: `Identity` is what somebody is known by, `Spellings` how that
/// stands in texts. Export shows what the closure reaches, and names what is open; residue looks everywhere, and takes from
/// the same evidence what a small number means (`KnownUsers`).
struct Reading {
    let table: UInt32
    let column: String
    let parent: Key
    /// The rows that mean this parent, where the column means others in other rows.
    var only: Only?
    let because: [Evidence]

    /// What identifies the rows of a table.
    struct Key: Hashable {
        let table: UInt32
        let column: String
    }

    /// The column beside it that says which table is meant, and the words in it that mean this one.
    struct Only: Hashable {
        let column: String
        var words: [String]
        /// Whether rows that say nothing mean it too.
        var isStandard = false

        /// The condition under which a row `t` says so.
        func condition(_ bindings: inout Bindings) -> String {
            let list = bindings.bind(words, of: "text")
            let says = "(\(cell(column))::pg_catalog.text collate pg_catalog.\"C\") = any (\(list))"
            return isStandard ? "(\(says) or \(cell(column)) is null)" : says
        }
    }

    var points: Int { because.reduce(0) { $0 + $1.points } }

    /// As many points ask.
    static let asking = 3

    /// Whether it asks for nothing but what is so of most columns like it: then there is nothing to propose.
    var isGuess: Bool {
        because.contains(where: \.isOpaque)
            || because.reduce(0) { $0 + ($1.isChance ? 0 : $1.points) } < Self.asking
    }
}

extension Reading.Key {
    /// Reads `schema.table.column`; nil where there is no such table.
    init?(_ path: String, _ graph: Graph) {
        guard let parts = SQLName.parts(ofPath: path), parts.count == 3,
            let table = graph.table("\(parts[0]).\(parts[1])")
        else { return nil }
        self.init(table: table.oid, column: parts[2])
    }
}
