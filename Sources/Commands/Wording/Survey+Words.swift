import Accounts

extension Evidence {
    var sentence: String {
        switch fact {
        case .name(let name): name.sentence
        case .calledAddress: "it is called like an address"
        case .addresses(let count): "\(count) addresses of users stand in a sample"
        case .keys(let count): "\(count) keys of users stand in a sample"
        case .hits(let hits, let values) where hits == values: "all \(values) values looked up stand there"
        case .hits(let hits, let values): "\(hits) of \(values) values stand there"
        case .chance(let values): "all \(values) values looked up stand there, as nearly any number would"
        case .misses(let misses, let values): "\(misses) of \(values) values do not stand there"
        case .together(let hits, let values, let columns):
            "\(hits) of \(values) values of the \(columns) columns of this name stand there"
        case .elsewhere(let name): "its values stand in \(name) instead"
        case .noKeys: "its values are no such keys"
        case .textForNumbers: "it is a text, and the keys are numbers"
        case .typed(let column, let words): "\(column) says \(words.joined(separator: ", "))"
        case .untyped(let column, let words):
            "\(column) says \(words.joined(separator: ", ")), and no table is called so"
        case .unknownWords(let words): "no table is called \(words.joined(separator: ", "))"
        case .owned(let claims) where claims.isEmpty:
            "no two rows refer to the same one, and nothing else names any by a key, nor in a sample of texts and documents"
        case .owned(let claims):
            "no two rows refer to the same one, and \(claims.joined(separator: ", ")) refers to them"
        case .personal: "what is known of people stands there"
        case .written(let functions, let adds):
            functions.joined(separator: ", ")
                + (adds
                    ? " adds rows there while an account goes, which may be copies of what went"
                    : " changes rows there while an account goes, and may copy what went")
        case .shared(let rows): "\(rows.of("row")) that would go with some users of a sample are other users' too"
        case .filled(let functions, let from, _):
            "\(functions.joined(separator: ", ")) fills it from \(from.joined(separator: ", "))"
        case .unread(let tables):
            "a trigger on \(tables.joined(separator: ", ")), of which nobody can read where it writes"
        }
    }
}

extension Evidence.Name {
    fileprivate var sentence: String {
        switch self {
        case .table: "it is called like the table"
        case .tableEnd: "its name ends like the table's"
        case .tableStem: "it is called like the table but for how that ends"
        case .tablePart: "it is called like a part of the table's name"
        case .people: "people are called so"
        case .ownTable: "it is called like another row of its table"
        case .namesakes: "columns of this name have a foreign key to it"
        case .namesakesEnd: "its name ends like that of columns with a foreign key to it"
        case .quantity: "it is called like a quantity"
        case .several: "it is called like several of them, as what counts them is"
        case .half: "each of its rows may be of one user"
        }
    }
}

extension Survey.Proposal {
    /// The line with its reason, as it stands in an app file.
    var text: String { reason.map { "\(line) : \($0.sentence)" } ?? line }
}

extension Survey.Proposal.Reason {
    var sentence: String {
        switch self {
        case .namesForGood: "It says whom it named for good."
        case .namesNobody: "It names nobody."
        case .refersToNobody: "It refers to nobody."
        case .staysWithout: "The row stays without whom it named."
        case .staysForOthers: "It stays for others."
        case .nobodys: "It is nobody's."
        case .tellsWhatWent: "It tells what went."
        case .namesWhoWent: "It names who went."
        case .goesForAll: "It goes for all who share it."
        }
    }
}

extension Survey {
    /// The proposals as a block of an app file, a comment a group; blocks of one file add up.
    var block: String {
        var lines = ["-- @account"]
        for group in groups {
            let evidence = group.questions.first?.because.map(\.sentence).joined(separator: "; ") ?? ""
            // Where no line names the column, the comment does.
            let isOpen = group.questions.allSatisfy(\.proposal.isEmpty)
            lines.append("--")
            lines += (isOpen ? group.questions.map(\.path) : [group.title]).map { title in
                "-- \(Self.inOneLine("\(title), \(group.effect.rawValue): \(evidence)"))"
            }
            lines += group.questions.flatMap(\.proposal).map { "-- \(Self.inOneLine($0.text))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// A name may hold a line end, which would end the comment that a directive is.
    private static func inOneLine(_ text: String) -> String {
        String(text.map { $0.isNewline ? " " : $0 })
    }
}
