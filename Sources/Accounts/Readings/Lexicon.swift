internal import Catalog
internal import PQ

/// The words by which names speak of people and of keys, as `catalog/lexicon.sql` lists them.
struct Lexicon {
    private var senses: [String: Set<String>] = [:]
    let words: [String]
    let sensesInOrder: [String]

    static let query = Query(file: "catalog/lexicon.sql")

    init(_ answer: Rows) throws(DecodingFailure) {
        var (words, order): ([String], [String]) = ([], [])
        for row in answer.rows {
            words.append(try row.text("word"))
            order.append(try row.text("sense"))
            senses[words[words.count - 1], default: []].insert(order[order.count - 1])
        }
        (self.words, sensesInOrder) = (words, order)
    }

    func has(_ word: String, _ sense: String) -> Bool { senses[word]?.contains(sense) == true }

    /// Whether what stands under a name in a document is called like a person of a table: `user_id`, `createdBy`.
    func meansPeople(_ name: String, of table: Graph.Table) -> Bool {
        var words = NameWords.all(of: name)
        guard words.count > 1, let last = words.popLast(), let kind = words.last else { return false }
        if has(last, "deed") { return true }
        guard has(last, "key") else { return false }
        return has(kind, "person") || has(kind, "role") || NameWords.forms(of: table.name).contains(kind)
    }
}

/// The words of names, whichever way they are put together: `invited_by`, `invitedBy`, `App\Models\User`.
enum NameWords {
    static func all(of name: String) -> [String] {
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

    /// What a row of a table may be called in a word beside its key: by all words of it, one or several of them.
    static func forms(of name: String) -> Set<String> {
        let words = all(of: name)
        guard let last = words.last else { return [] }
        var lasts = [last]
        if last.hasSuffix("s") { lasts.append(String(last.dropLast())) }
        if last.hasSuffix("es") { lasts.append(String(last.dropLast(2))) }
        if last.hasSuffix("ies") { lasts.append(String(last.dropLast(3)) + "y") }
        return Set(lasts.map { (words.dropLast() + [$0]).joined(separator: "_") })
    }
}
