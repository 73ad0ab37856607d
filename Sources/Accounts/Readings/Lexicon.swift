internal import Catalog
internal import PQ

/// The words by which names speak of people and of keys, as `catalog/lexicon.sql` lists them.
struct Lexicon {
    let known: Words
    let words: [String]
    let sensesInOrder: [String]

    static let query = Words.query

    init(_ answer: Rows) throws(DecodingFailure) {
        var (words, order): ([String], [String]) = ([], [])
        for row in answer.rows {
            words.append(try row.text("word"))
            order.append(try row.text("sense"))
        }
        (self.words, sensesInOrder) = (words, order)
        known = try Words(answer)
    }

    func has(_ word: String, _ sense: String) -> Bool { known.has(word, sense) }

    /// The words with a sense.
    func words(_ wanted: String...) -> [String] { known.with(wanted) }

    // MARK: What names say

    /// What a row of a table may be called: by all words of its name, one or several of them.
    func forms(of name: String) -> Set<String> {
        let words = Self.words(of: name)
        guard let last = words.last else { return [] }
        return Set(known.singulars(of: last).map { (words.dropLast() + [$0]).joined(separator: "_") })
    }

    /// Whether a row of a table is called by a word of some sense, as the last of its words.
    private func ends(_ table: String, _ sense: String) -> Bool {
        guard let last = Self.words(of: table).last else { return false }
        return forms(of: last).contains { has($0, sense) }
    }

    /// Whether the rows of a table are people: what is known of a user may stand there.
    func arePeople(_ table: String) -> Bool { ends(table, "person") }

    /// Whether the rows of a table are ways to reach users, or names to log in by.
    func isAddressBook(_ table: String) -> Bool {
        let words = Self.words(of: table)
        if words.contains(where: { has($0, "letter") }) { return false }
        let before = words.dropLast().last ?? ""
        // The contacts of users are other people; the ways to reach them are their own.
        return ends(table, "book") || has(before, "address") && ends(table, "way")
            || has(before, "reach") && ends(table, "way")
    }

    /// Whether a column says who wrote a row down or changed it: `created_by`, `invitedById`, `write_uid`.
    func isStamp(_ column: String) -> Bool {
        let words = Self.words(of: column)
        let named = words.count > 1 && words.last.map { has($0, "key") } == true ? words.dropLast() : words
        guard let first = words.first, let last = named.last else { return false }
        return has(last, "deed") || words.count > 1 && has(first, "stamp")
            || has(last, "role") && self.words("deed").contains(where: last.hasSuffix)
    }

    /// Whether a column in the row of a user speaks of somebody else.
    func isOfAnother(_ column: String) -> Bool { Self.words(of: column).contains { has($0, "another") } }

    /// Whether a column is called an address, and nothing besides.
    func isAddress(_ column: String) -> Bool { known.isPlainAddress(Self.words(of: column).joined(separator: "_")) }

    /// Whether a column is called as if it held addresses, wherever its name says so.
    func speaksOfAddresses(_ column: String) -> Bool {
        words("address").contains(where: column.lowercased().contains)
    }

    /// Whether a column of a book of addresses is called like the address itself.
    func isWhereReached(_ column: String) -> Bool {
        words("reached").contains(where: column.lowercased().hasSuffix)
    }

    /// What a member of JSON is called that holds an address of nobody else, as a pattern for any case.
    var ownAddress: String {
        func branches(_ sense: String) -> String { "(?:\(words(sense).joined(separator: "|")))" }
        return "^(?:\(branches("personal"))_?)?\(branches("address"))(?:_?\(branches("reached")))?$"
    }

    /// How texts speak of users; a row of a table is one, too, and what columns are called that refer to one.
    func speech(of table: String, calledBy columns: [String] = []) -> Spellings.Speech {
        let own = forms(of: table).filter { form in
            form.utf8.count > 2 && form.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz_".utf8.contains($0) }
        }
        // A ghost is no host, but the senior author is an author.
        let within = words("within") + own.sorted()
        let people = words("person", "role").filter { !$0.contains("_") }
        return Spellings.Speech(
            user: "(?:\(within.joined(separator: "|"))|(?<![a-z])(?:\(people.joined(separator: "|"))))",
            columns: columns.map(Spellings.escaped).joined(separator: "|"), gone: words("gone").joined(separator: "|"))
    }

    /// Whether what stands under a name in a document is called like a person of a table: `user_id`, `createdBy`.
    func meansPeople(_ name: String, of table: Graph.Table) -> Bool {
        if meansKey(name, of: table) { return true }
        var words = Self.words(of: name)
        guard words.count > 1, let last = words.popLast(), let kind = words.last else { return false }
        return has(last, "deed") || has(last, "key") && (has(kind, "person") || has(kind, "role"))
    }

    /// Whether what a name leads on to, as in `users/42` or `author:42`, is one of the people of a table.
    func leadsToPeople(_ name: String, of table: Graph.Table) -> Bool {
        meansPeople(name, of: table) || isCalled(name, of: table) || ends(name, "person") || ends(name, "role")
    }

    /// Whether it is called like the key of a row of a table: `file_id`.
    func meansKey(_ name: String, of table: Graph.Table) -> Bool {
        let words = Self.words(of: name)
        guard words.count > 1, let last = words.last, has(last, "key") else { return false }
        return isCalled(words.dropLast().joined(separator: "_"), of: table)
    }

    /// Whether a row of a table is called so, or several of them: `file`, `users`.
    func isCalled(_ name: String, of table: Graph.Table) -> Bool {
        let words = Self.words(of: name)
        return !forms(of: table.name).isDisjoint(with: words.indices.map { words[$0...].joined(separator: "_") })
    }

    /// The words of a name, whichever way it is put together: `invited_by`, `invitedBy`, `App\Models\User`.
    static func words(of name: String) -> [String] {
        var (words, word): ([String], String) = ([], "")
        let letters = Array(name)
        for (place, letter) in letters.enumerated() {
            guard letter.isLetter || letter.isNumber else {
                words.append(word)
                word = ""
                continue
            }
            let isStart = letter.isUppercase && place > 0
            let before = place > 0 ? letters[place - 1] : " "
            let after = place + 1 < letters.count ? letters[place + 1] : " "
            if isStart, before.isLowercase || before.isNumber || (before.isUppercase && after.isLowercase) {
                words.append(word)
                word = ""
            }
            word += letter.lowercased()
        }
        return (words + [word]).filter { !$0.isEmpty }
    }
}

extension Graph {
    /// What columns are called, in small letters, that refer to a column wherever they are called so, and nowhere identify a row.
    func names(referringTo column: String, of table: UInt32, besides declared: [String] = []) -> [String] {
        var isMeant: [String: Bool] = [:]
        func note(_ name: String, _ isSo: Bool) {
            let name = Spellings.small(name)
            isMeant[name] = isSo && isMeant[name] != false
        }
        for name in declared { note(name, true) }
        for reference in references where reference.columns.count == 1 {
            let (name, referred) = (reference.columns[0].name, reference.columns[0].referenced)
            note(name, whole(reference.referenced) == table && referred == column)
        }
        for key in tables.values.map(\.key) where key.count == 1 { note(key[0].name, false) }
        return isMeant.filter(\.value).keys.sorted()
    }
}

extension AccountMap {
    /// What columns are called that refer to users by their key, wherever they are called so.
    var namesOfUsers: [String] {
        let declared = links.filter { $0.reference == nil && $0.parent == root.oid && $0.key == root.key }
        return graph.names(referringTo: root.column, of: root.oid, besides: declared.compactMap(\.column))
    }
}
