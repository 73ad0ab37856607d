internal import AppFile
internal import Catalog
internal import PQ

/// What a person may be called inside of a text, and the conditions under which one speaks of the person.
///
/// A deletion and a search for what is left ask the same way, so that neither finds what the other does not.
struct Spellings {
    /// Ids that are nothing else in the world, whatever stands around them.
    var uuids: [String] = []
    /// In small letters.
    var addresses: [String] = []
    /// Keys that are looked for as words of their own.
    var words: [String] = []
    /// Numbers that are looked for as words of their own where a text is JSON.
    var longNumbers: [String] = []
    /// Keys that mean a user only behind a name that says so.
    var shorts: [String] = []
    /// Short keys that are texts: in JSON a whole value of theirs is enough.
    var values: [String] = []
    /// Whether keys are compared in small letters, as their own type does.
    var isFolded = false
    var speech = Speech()
    var longer = Longer.theirs(besides: nil)

    /// How texts speak of users, in small letters, as branches of patterns.
    struct Speech {
        /// A word for a user.
        var user = ""
        /// A word that stands before the address of a user who is gone.
        var gone = ""
    }

    /// What an address means that ends like one of these, behind a mark: `signup-ada@` may be hers, and `test+ada@` another's.
    enum Longer {
        /// Nobody for certain, as whoever changes what is written has to take it.
        case nobody
        /// Them, unless it is one of other users, as a select of texts in small letters: whoever decides is told.
        case theirs(besides: String?)
        /// Them or another, without asking who there is.
        case anybody
    }

    /// The condition under which a text, or a row or a document as one, holds one of the names; nil where it cannot.
    func condition(_ text: String, isDocument: Bool = false, _ bindings: inout Bindings) -> String? {
        func bind(_ texts: [String]) -> String { bindings.bind(texts, of: "text") }
        // A column may compare in a way of its own, which patterns do not take.
        let exact = "(\(text) collate pg_catalog.\"default\")"
        // Plain letters are made small without asking a language, which is several times as fast and the same everywhere.
        let folded = "pg_catalog.lower(\(text) collate pg_catalog.\"C\")"
        let cased = isFolded ? "pg_catalog.lower(\(exact))" : exact
        var tests = [identity(folded, &bindings)].compactMap { $0 }
        func found(_ needles: [String], in text: String, _ pattern: (String) -> String) {
            guard !needles.isEmpty else { return }
            let patterns = Self.branches(needles.map(Self.spelled)).map(pattern)
            tests.append("\(text) like any (\(bind(needles.map(Self.holding)))) and \(text) ~ any (\(bind(patterns)))")
        }
        let words = isFolded ? words.map { $0.lowercased() } : words
        found(words, in: cased, Self.key)
        if isDocument {
            found(longNumbers, in: exact) { "(?<![0-9.])\($0)(?![0-9.])" }
            let values = isFolded ? values.map { $0.lowercased() } : values
            found(values, in: cased) { "[:[,] *\(Self.quote)\($0)\(Self.quote)(?! *:)" }
        }
        if !shorts.isEmpty {
            let stored = isFolded ? shorts.map { $0.lowercased() } : shorts
            // Short keys stand in many texts, and most of those fall out before the long patterns are asked.
            let alone = Self.branches(stored.map(Self.spelled)).map { "(?:^|[^0-9A-Za-z])\($0)(?:[^0-9A-Za-z]|$)" }
            let named = Self.branches(shorts.map { Self.spelled($0.lowercased()) }).flatMap { [member($0), path($0)] }
            tests.append(
                "\(cased) like any (\(bind(stored.map(Self.holding)))) and \(cased) ~ any (\(bind(alone))) "
                    + "and \(folded) ~ any (\(bind(named)))")
        }
        return tests.isEmpty ? nil : "(\(tests.map { "(\($0))" }.joined(separator: " or ")))"
    }

    /// The condition under which a text holds an id or an address: asked of every text there is, so that what holds nothing
    /// of the kind falls out after one look at it.
    private func identity(_ folded: String, _ bindings: inout Bindings) -> String? {
        func bind(_ texts: [String]) -> String { bindings.bind(texts, of: "text") }
        // A stroke in LIKE stands for any letter, as paths of labels write the dashes.
        let ids = uuids.flatMap { uuid in
            let parts = uuid.split(separator: "-")
            return ["%\(parts.joined(separator: "_"))%", "%\(parts.joined())%"]
        }
        let spoken = addresses.map(Self.holding)
        guard !ids.isEmpty || !spoken.isEmpty else { return nil }
        let holds = "\(folded) like any (\(bind(ids + spoken)))"
        if addresses.isEmpty { return holds }
        // What letters there are besides plain ones, the database says.
        let address = address("(\(folded) collate pg_catalog.\"default\")", &bindings)
        let within = "\(holds) and (\(ids.isEmpty ? "" : "\(folded) like any (\(bind(ids))) or ")\(address))"
        // Most texts that hold an address are nothing else, and of many a server finds that one at once.
        return "\(folded) operator(pg_catalog.=) any (\(bind(addresses))) or \(within)"
    }

    // MARK: Addresses

    /// The condition under which a text holds an address.
    private func address(_ folded: String, _ bindings: inout Bindings) -> String {
        func bind(_ texts: [String]) -> String { bindings.bind(texts, of: "text") }
        func clear(_ address: String) -> String { "(?:\(begins))\(address)\(Self.ends)" }
        func behindMark(_ address: String) -> String { "\(Self.longerBegins)\(address))\(Self.ends)" }
        let spelled = addresses.map(Self.spelled)
        let others: String?
        switch longer {
        case .nobody: return "\(folded) ~ any (\(bind(Self.branches(spelled).map(clear))))"
        // Rows on other servers are asked no more than this.
        case .anybody:
            let branches = Self.branches(spelled)
            return "\(folded) ~ any (\(bind(branches.map(clear) + branches.map(behindMark))))"
        case .theirs(let users): others = users
        }
        let somebody = others.map { "m.parts[1] <> all (array(\($0)))" } ?? "true"
        // Of many only the few that may stand there are held against it: a server keeps no more than a few patterns ready.
        return """
            exists (select from rows from (pg_catalog.unnest(\(bind(addresses.map(Self.holding)))), \
            pg_catalog.unnest(\(bind(spelled.map(clear)))), pg_catalog.unnest(\(bind(spelled.map(behindMark))))) \
            as p (holding, clear, longer) where \(folded) like p.holding and \
            (\(folded) ~ p.clear or exists (select from pg_catalog.regexp_matches(\(folded), p.longer, 'g') as m (parts) \
            where \(somebody))))
            """
    }

    /// The condition under which an address ends like one of those that `endings` are of, behind a mark.
    static func ends(_ address: String, like endings: String) -> String {
        let plain = "\(address) collate pg_catalog.\"C\""
        return "\(plain) ~ '[_+-][^@]*@' and \(plain) like any (\(endings)::pg_catalog.text[])"
    }

    /// Patterns for LIKE of addresses that are longer, as a list.
    static func endings(of addresses: [String]) -> String {
        arrayLiteral(addresses.map { "%_\(literally($0.lowercased()))" })
    }

    /// A few addresses as a select; nil where there are none.
    static func select(_ addresses: [String]) -> String? {
        addresses.isEmpty
            ? nil : "select pg_catalog.unnest(\(Composer.literal(arrayLiteral(addresses)))::pg_catalog.text[])"
    }

    // MARK: Behind names

    private static let quote = "[\\\\\"]+"

    /// A member of JSON, wherever that stands, that is called like a user and holds the key, a list with it, or an object
    /// whose id it is.
    private func member(_ key: String) -> String { "\(memberBegins)\(key)\(Self.memberEnds)" }

    private var memberBegins: String {
        let quote = Self.quote
        let name = "[a-z0-9_]*(?:\(speech.user)[a-z]{0,2}(?:_?(?:ids?|ref|key|pk|by|to))?|(?:_|ed)by|uid)"
        let id = "\(quote)_?id\(quote) *: *[\\\\\"]*"
        let values = ["[\\\\\"]*", "\\[(?:[^]{}]*[^]{}a-z0-9_.-])?", "\\{[^{}]*\(id)", "\\[[^]]*\(id)"]
        return "\(quote)\(name)\(quote) *(?::|=>) *(?:\(values.joined(separator: "|")))"
    }

    private static let memberEnds = "(?![a-z0-9_]|[.-][a-z0-9])"

    /// `users/42/a.png`, `user:42`, `gid://app/User/42`.
    private func path(_ key: String) -> String { "\(pathBegins)\(key)\(Self.pathEnds)" }

    private var pathBegins: String {
        "(?:^|[^a-z0-9_])(?:[a-z0-9]+_)*\(speech.user)s?(?:_?ids?)?(?:[/:.#=_-]|: )+"
    }

    private static let pathEnds = "(?![a-z0-9]|[.][0-9])"

    // MARK: Without the names

    /// What stands where somebody was named.
    static let mark = "***"

    /// A text without its names, as far as each of them can be told from what is around it.
    func rewritten(_ text: String, _ bindings: inout Bindings) -> String {
        var result = "(\(text) collate pg_catalog.\"default\")"
        func replace(_ needles: [String], by mark: String = Self.mark, _ pattern: (String) -> String) {
            for branch in Self.branches(needles) {
                let (what, by) = (bindings.bind(pattern(branch), as: "text"), bindings.bind(mark, as: "text"))
                result = "pg_catalog.regexp_replace(\(result), \(what), \(by), 'gi')"
            }
        }
        replace(uuids.map { $0.split(separator: "-").joined(separator: ".?") }) { $0 }
        replace(addresses.map(Self.spelled)) { "(?:\(begins))\($0)\(Self.ends)" }
        let shorts = shorts.map { Self.spelled($0.lowercased()) }
        // In JSON that is a value, whatever stood there.
        replace(shorts, by: "\\1null") { "(\(memberBegins))\($0)\(Self.memberEnds)" }
        replace(shorts, by: "\\1\(Self.mark)") { "(\(pathBegins))\($0)\(Self.pathEnds)" }
        replace(longNumbers.map(Self.escaped), by: "null") { "(?<![0-9.])\($0)(?![0-9.])" }
        replace(words.map(Self.spelled), Self.key)
        return result
    }

    /// The text of a column, whatever it is made of: of bytes what can be read in them.
    static func text(of column: String, type: String) -> String {
        type == "bytea"
            ? "pg_catalog.encode(pg_catalog.substring(\(column), 1, \(mostBytes)), 'escape')"
            : "\(column)::pg_catalog.text"
    }

    /// So much of one value is looked through: written out it has to be a text.
    private static let mostBytes = 1 << 26

    /// The condition under which bytes hold one of the ids as bytes.
    func bytes(_ column: String, _ bindings: inout Bindings) -> String? {
        guard !uuids.isEmpty else { return nil }
        let bytes = uuids.map { "\\x" + $0.split(separator: "-").joined() }
        let list = bindings.bind(bytes, of: "bytea")
        return
            "exists (select from pg_catalog.unnest(\(list)) as b (id) where pg_catalog.position(\(column), b.id) > 0)"
    }

    /// A text in the form of a uuid, as Postgres writes it; nil when it is none.
    static func uuid(_ text: String) -> String? {
        let digits = text.lowercased().filter { !"-{}".contains($0) }
        guard digits.utf8.count == 32, digits.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) }) else {
            return nil
        }
        var parts: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            parts.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return parts.joined(separator: "-")
    }
}
