/// Something that speaks for or against what a column refers to.
package struct Evidence: Sendable, Equatable {
    package enum Fact: Sendable, Equatable {
        /// The column is called like a row of the table, perhaps among other words.
        case calledLike(isWhole: Bool)
        /// Columns of the same name have a foreign key to the table.
        case namesakes
        /// The name says that it is a key or who did something, and no table is called so.
        case calledKey
        case calledEmail
        /// The column beside it says which table is meant, by these words.
        case typed(column: String, words: [String])
        /// The column beside it has these words, and none is a table of the account.
        case untyped(column: String, words: [String])
        /// So many of the values looked up stand there.
        case hits(Int, of: Int)
        /// A sample of the texts contains so many emails or keys of users.
        case contains(Int)
        /// No two rows refer to the same one, and nothing else refers to any.
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
