import Accounts

extension Evidence {
    var sentence: String {
        switch fact {
        case .calledLike(true): "it is called like the table"
        case .calledLike(false): "its name ends like the table's"
        case .namesakes: "columns of this name have a foreign key to it"
        case .calledKey: "it is called like a key, and no table is called so"
        case .calledEmail: "it is called like an email"
        case .typed(let column, let words): "\(column) says \(words.joined(separator: ", "))"
        case .untyped(let column, let words) where words.isEmpty: "\(column) says which table it refers to"
        case .untyped(let column, let words):
            "\(column) says \(words.joined(separator: ", ")), which is no table of the account"
        case .hits(0, let values): "none of \(values) sampled values is a key there"
        case .hits(let hits, let values) where hits == values: "all \(values) sampled values are keys there"
        case .hits(let hits, let values): "\(hits) of \(values) sampled values are keys there"
        case .contains(let count): "a sample of its texts contains emails or keys of users, \(count) different ones"
        case .alone: "no two rows refer to the same one, and nothing else refers to any"
        }
    }
}

extension Survey.Question {
    /// All that speaks for it.
    var evidence: String { because.map(\.sentence).joined(separator: "; ") }
}

extension Survey.Proposal {
    /// The line with its reason, as it stands in an app file.
    var text: String { reason.map { "\(line) : \($0.sentence)" } ?? line }
}

extension Survey.Proposal.Reason {
    var sentence: String {
        switch self {
        case .namesForGood: "It keeps the name of the user."
        case .textsNamingUsers: "It contains text about users, which a deletion does not search."
        case .refersToNobody: "It refers to nobody."
        case .staysWithout: "The row stays without the user."
        case .staysForOthers: "It stays for others."
        }
    }
}

extension Survey {
    /// The proposals as a block of an app file, a comment where nothing can be proposed; blocks of one file add up.
    var block: String {
        let lines = unsettled.flatMap { question in
            question.proposal.isEmpty
                ? ["\(question.path), \(question.effect.rawValue): \(question.evidence)"]
                : question.proposal.map(\.text)
        }
        return (["@account"] + lines.map(Self.inOneLine)).map { "-- \($0)\n" }.joined()
    }

    /// A name may hold a line end, which would end the comment that a directive is.
    private static func inOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
