/// Evidence for or against a reference.
package struct Evidence: Sendable, Equatable {
    package enum Fact: Sendable, Equatable {
        /// The name of the column contains the name of the table.
        case calledLike(isWhole: Bool)
        /// Columns of the same name have a foreign key to the table.
        case namesakes
        /// The name looks like a key or an actor (`created_by`), but matches no table.
        case calledKey
        case calledEmail
        /// The `*_type` column beside it names the table with these words.
        case typed(column: String, words: [String])
        /// The `*_type` column beside it names no table of the account.
        case untyped(column: String, words: [String])
        /// This many of the sampled values are keys there.
        case hits(Int, of: Int)
        /// A sample of the texts contains this many emails or keys of users.
        case contains(Int)
        /// Each row refers to another row, and nothing else refers to them.
        case alone
    }

    package let fact: Fact

    init(_ fact: Fact) { self.fact = fact }

    package var points: Int {
        switch fact {
        case .calledLike(let isWhole): isWhole ? 4 : 3
        case .namesakes, .calledKey, .calledEmail, .typed, .untyped, .alone: 3
        case .hits(let hits, _): hits > 0 ? 4 : -4
        case .contains: 4
        }
    }
}
