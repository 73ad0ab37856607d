internal import AppFile
internal import Catalog
internal import Inquiries
internal import PQ

/// What a person may be called inside of a text, and the conditions under which one speaks of the person.
///
/// A deletion and a search for what is left ask the same way, so that neither finds what the other does not.
struct Spellings {
    /// Ids that are nothing else in the world, whatever stands around them.
    var uuids = Needles()
    /// In small letters.
    var addresses = Needles()
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
    var longer = Longer.theirs
    var others = Others.unknown

    /// Names that all texts are held against, as lists that are packed once.
    struct Needles {
        /// As they are.
        let list: BoundValue
        /// Patterns for LIKE of whatever may hold one.
        let holding: BoundValue
        /// Patterns of how each is written.
        let spelled: [String]
        let patterns: BoundValue

        var isEmpty: Bool { spelled.isEmpty }

        /// No names.
        init() { self.init([], holding: [], spelled: []) }

        /// Those are ids; a stroke in LIKE stands for any letter, as paths of labels write the dashes.
        init(uuids: [String]) {
            let parts = uuids.map { $0.split(separator: "-") }
            self.init(
                uuids, holding: parts.flatMap { ["%\($0.joined(separator: "_"))%", "%\($0.joined())%"] },
                spelled: parts.map { $0.joined(separator: ".?") })
        }

        init(addresses: [String]) {
            self.init(addresses, holding: addresses.map(Spellings.holding), spelled: addresses.map(Spellings.spelled))
        }

        private init(_ all: [String], holding: [String], spelled: [String]) {
            list = BoundValue(all, of: "text")
            self.holding = BoundValue(holding, of: "text")
            self.spelled = spelled
            patterns = BoundValue(spelled, of: "text")
        }
    }

    /// How texts speak of users, in small letters, as branches of patterns.
    struct Speech {
        /// A word for a user.
        var user = ""
        /// What columns are called that refer to one.
        var columns = ""
        /// A word that stands before the address of a user who is gone.
        var gone = ""
    }

    /// What an address means that ends like one of these, behind a mark, and is none of other users: `signup-ada@` may be hers.
    enum Longer {
        /// Nobody for certain, as whoever changes what is written has to take it.
        case nobody
        /// Them: whoever decides is told.
        case theirs
        /// Them or another, without asking who there is.
        case anybody
    }

    /// The addresses of other users, in small letters.
    struct Others {
        /// What those that are looked for begin or end like, or the addresses themselves.
        let list: BoundValue
        /// A select of them by such a list; nil where nobody knows any.
        let select: (String) -> String?

        static var unknown: Others { Others(list: "") { _ in nil } }
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
        let lists = [uuids, addresses].filter { !$0.isEmpty }.map { like(folded, $0.holding, &bindings) }
        guard !lists.isEmpty else { return nil }
        let holds = "(\(lists.joined(separator: " or ")))"
        if addresses.isEmpty { return holds }
        // What letters there are besides plain ones, the database says.
        let address = address("(\(folded) collate pg_catalog.\"default\")", &bindings)
        let within = "\(holds) and (\(uuids.isEmpty ? "" : "\(lists[0]) or ")\(address))"
        // Most texts that hold an address are nothing else, and of many a server finds that one at once.
        return "\(folded) operator(pg_catalog.=) any (\(bindings.bind(addresses.list, as: "text[]"))) or \(within)"
    }

    /// The condition under which a text is like one of a list of patterns.
    ///
    /// Whoever plans a statement compares each pattern that it sees with all that statistics hold: a list that is read when the
    /// statement runs is no work before. Rows on other servers are asked in words that those understand.
    private func like(_ text: String, _ patterns: BoundValue, _ bindings: inout Bindings) -> String {
        let list = bindings.bind(patterns, as: "text[]")
        if case .anybody = longer { return "\(text) like any (\(list))" }
        return "\(text) like any (\(Self.unseen(list)))"
    }

    /// A list that a statement has, so that its plan does not depend on what stands in it.
    static func unseen(_ list: String) -> String { "(select \(list))::pg_catalog.text[]" }

    // MARK: Behind names

    private static let quote = "[\\\\\"]+"
    private static let quoteOnce = "\\\\*\""

    /// A member of JSON, wherever that stands, that is called like a user and holds the key, a list with it, or an object
    /// whose id it is.
    private func member(_ key: String) -> String { "\(memberBegins)\(key)\(Self.memberEnds)" }

    private var memberBegins: String {
        let quote = Self.quote
        let called = "[a-z0-9_]*(?:\(speech.user)[a-z]{0,2}(?:_?(?:ids?|ref|key|pk|by|to))?|(?:_|ed)by|uid)"
        let name = speech.columns.isEmpty ? called : "(?:\(called)|\(speech.columns))"
        let id = "\(quote)_?id\(quote) *: *[\\\\\"]*"
        let values = ["[\\\\\"]*", "\\[(?:[^]{}]*[^]{}a-z0-9_.-])?", "\\{[^{}]*\(id)", "\\[[^]]*\(id)"]
        return "\(quote)\(name)\(quote) *(?::|=>) *(?:\(values.joined(separator: "|")))"
    }

    private static let memberEnds = "(?![a-z0-9_]|[.-][a-z0-9])"

    /// `users/42/a.png`, `user:42`, `gid://app/User/42`.
    private func path(_ key: String) -> String { "\(pathBegins)\(key)\(Self.pathEnds)" }

    private var pathBegins: String {
        let called = "(?:[a-z0-9]+_)*\(speech.user)s?(?:_?ids?)?"
        let name = speech.columns.isEmpty ? called : "(?:\(called)|\(speech.columns))"
        return "(?:^|[^a-z0-9_])\(name)(?:[/:.#=_-]|: )+"
    }

    private static let pathEnds = "(?![a-z0-9]|[.][0-9])"

    // MARK: Without the names

    /// What stands where somebody was named.
    static let mark = MarkedColumns.mark

    /// A text without its names, as far as each of them can be told from what is around it.
    func rewritten(_ text: String, _ bindings: inout Bindings) -> String {
        var result = "(\(text) collate pg_catalog.\"default\")"
        func replace(_ needles: [String], by mark: String = Self.mark, _ pattern: (String) -> String) {
            for branch in Self.branches(needles) {
                let (what, by) = (bindings.bind(pattern(branch), as: "text"), bindings.bind(mark, as: "text"))
                result = "pg_catalog.regexp_replace(\(result), \(what), \(by), 'gi')"
            }
        }
        replace(uuids.spelled) { $0 }
        let exact = "(\(text) collate pg_catalog.\"default\")"
        let users = selectOthers(&bindings)
        for branch in Self.branches(addresses.spelled) {
            let address = bindings.bind(branch, as: "text")
            let what = pattern(of: address, in: exact, besides: users, &bindings)
            result = "pg_catalog.regexp_replace(\(result), \(what), \(bindings.bind(Self.mark, as: "text")), 'gi')"
        }
        let shorts = shorts.map { Self.spelled($0.lowercased()) }
        // In JSON that is a value, whatever stood there: with its own quotes, however often those were written out.
        replace(shorts, by: "\\1null") { "(\(memberBegins))(\(Self.quoteOnce))\($0)\\2(?! *:)" }
        replace(shorts, by: "\\1null") { "(\(memberBegins))\($0)\(Self.memberEnds)" }
        replace(shorts, by: "\\1\(Self.mark)") { "(\(pathBegins))\($0)\(Self.pathEnds)" }
        replace(longNumbers.map(Self.escaped), by: "null") { "(\(Self.quoteOnce))\($0)\\1(?! *:)" }
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
        let list = bindings.bind(uuids.list, as: "text[]")
        return """
            exists (select from pg_catalog.unnest(\(list)) as b (id) \
            where pg_catalog.position(\(column), pg_catalog.decode(pg_catalog.replace(b.id, '-', ''), 'hex')) > 0)
            """
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
