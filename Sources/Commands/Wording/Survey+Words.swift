import Accounts

extension Evidence {
    var sentence: String {
        switch fact {
        case .calledLike(true): "its name matches the table"
        case .calledLike(false): "the end of its name matches the table"
        case .namesakes: "other columns with this name have a foreign key to the table"
        case .calledKey: "its name looks like a key, but no table has this name"
        case .calledEmail: "its name looks like an email"
        case .typed(let column, let words): "\(column) contains \(words.joined(separator: ", "))"
        case .untyped(let column, let words) where words.isEmpty: "\(column) contains the name of the referenced table"
        case .untyped(let column, let words):
            "\(column) contains \(words.joined(separator: ", ")), and no table of the account has this name"
        case .hits(0, let values): "none of \(values) sampled values is a key of the table"
        case .hits(let hits, let values) where hits == values: "all \(values) sampled values are keys of the table"
        case .hits(let hits, let values): "\(hits) of \(values) sampled values are keys of the table"
        case .contains(let count): "a sample of its texts contains \(count) different emails or keys of users"
        case .alone: "only one row refers to each referenced row"
        }
    }
}

extension Survey.Question {
    /// All evidence for the reference.
    var evidence: String { because.map(\.sentence).joined(separator: "; ") }
}

extension Survey.Proposal {
    /// The line with its reason, as in an app file.
    var text: String { reason.map { "\(line) : \($0.sentence)" } ?? line }
}

extension Survey.Proposal.Reason {
    var sentence: String {
        switch self {
        case .namesForGood: "The column contains the user who did something."
        case .textsNamingUsers: "The column contains text about users, which a deletion does not search."
        case .refersToNobody: "The column refers to no user."
        case .staysWithout: "The row stays without the user."
        case .staysForOthers: "Other users need this row."
        }
    }
}

extension Survey {
    /// The proposals as a block of an app file, or a comment without proposals; blocks of one file are combined.
    var block: String {
        let lines = unsettled.flatMap { question in
            question.proposal.isEmpty
                ? ["\(question.path), \(question.effect.rawValue): \(question.evidence)"]
                : question.proposal.map(\.text)
        }
        return (["@account"] + lines.map(Self.inOneLine)).map { "-- \($0)\n" }.joined()
    }

    /// A name may contain a line break, which would end the directive.
    private static func inOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
