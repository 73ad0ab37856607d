internal import Catalog
internal import Glibc
internal import PQ

/// What a person is known by in other people's columns: the values of the root, and addresses.
struct Identity {
    let root: AccountRoot
    let addresses: [String]
    let speech: Spellings.Speech
    /// How many users there are, as the planner believes.
    let users: Int

    /// What they are called besides, as the whole of a text: names to log in by, telephone numbers.
    var names: [String] = []
    /// Addresses that only their books of addresses and their JSON know.
    var furtherAddresses: [String] = []
    /// The keys of their rows in tables with one row a user, where those name one thing in the world.
    var ids: [String] = []
    /// The addresses of all users, as a select of texts in small letters.
    var everybody: String?
    /// What a text may call them by.
    var mentions = Spellings()
    /// Who the only one of them is, for whoever decides.
    var person: Person?

    /// The same for whoever looks no further than into the text.
    var loosened: Identity {
        var loosened = self
        loosened.mentions.longer = .anybody
        return loosened
    }

    private static let numbers = ["smallint", "integer", "bigint", "numeric"]
    private static let floats = ["real", "double precision"]
    /// Texts of so many letters stand in no others by chance.
    private static let fewestLetters = 6
    /// Few words have more letters than that.
    private static let mostLetters = 10

    /// Whether a value of the type names one thing in the world, so that finding it anywhere means something.
    static func isTelling(_ type: String) -> Bool { type == "uuid" || isText(type) }

    private static func isText(_ type: String) -> Bool {
        ["text", "character varying", "bpchar"].contains(type) || isFolded(type)
    }

    /// Whether letter case makes no difference to the type.
    private static func isFolded(_ type: String) -> Bool { type == "citext" || type.hasSuffix(".citext") }

    /// The operator that compares two values of a type; one that folds letters stands beside it, and is not found otherwise.
    static func equals(_ type: String) -> String {
        guard let dot = type.lastIndex(of: ".") else { return "operator(pg_catalog.=)" }
        return isFolded(type) ? "operator(\(type[..<dot]).=)" : "="
    }

    /// Whether a number is so long, among so many keys, that it is nothing else wherever it stands.
    static func isLong(_ number: String, among keys: Int = 1) -> Bool {
        let density = Double(max(1, keys)) / pow(10, Double(number.utf8.count))
        return Evidence.Standing(hits: 1, of: 1, density: density).bits >= Evidence.Standing.telling
    }

    private func isLong(_ number: String) -> Bool { Self.isLong(number, among: users) }

    /// Whether an id is looked for only behind a name that says whose it is: anywhere else it could mean anything.
    var isCommon: Bool { isNumber ? !root.values.allSatisfy(isLong) : isText && !mentions.shorts.isEmpty }
    var isNumber: Bool { Self.numbers.contains(root.type) }
    /// The operator that compares a key column with a value of the root; numbers of all widths compare.
    var equals: String { isNumber ? "operator(pg_catalog.=)" : root.equals }
    private var isText: Bool { Self.isText(root.type) }
    private var isFolded: Bool { Self.isFolded(root.type) }
    private var uuids: [String] { root.values.compactMap(Spellings.uuid) + ids }

    /// What counts where it is the whole of a text.
    private func whole(_ isTelling: Bool) -> [String] {
        if isText { return root.values }
        return root.type == "uuid" ? [] : root.values.filter { isTelling || isLong($0) }
    }

    /// What a text may call them by, besides the addresses of others that end like one of theirs.
    func spellings(besides others: Spellings.Others) -> Spellings {
        var mentions = Spellings()
        mentions.uuids = Spellings.Needles(uuids: uuids)
        mentions.addresses = Spellings.Needles(addresses: (addresses + furtherAddresses).map { $0.lowercased() })
        mentions.others = others
        mentions.speech = speech
        mentions.isFolded = isFolded
        // A key that is an address is looked for as one.
        let rest =
            root.type == "uuid" ? [] : root.values.filter { Spellings.uuid($0) == nil && !addresses.contains($0) }
        if isText {
            mentions.words = rest.filter { $0.utf8.count >= Self.fewestLetters }
            mentions.shorts = rest.filter { $0.utf8.count < Self.fewestLetters }
            mentions.values = mentions.shorts.filter { $0.utf8.count > 2 }
        } else {
            mentions.longNumbers = isNumber ? rest.filter(isLong) : []
            mentions.shorts = rest
        }
        return mentions
    }

    /// The same of a column: what a line changes there unasked it changes for whoever is certainly meant.
    private func mentions(in reading: Reading) -> Spellings {
        var mentions = mentions
        if reading.isSettled { mentions.longer = .nobody }
        return mentions
    }

    /// Whether what stands in a column could tell anything, of users who are known.
    func looksInto(_ reading: Reading) -> Bool {
        var bindings = Bindings()
        return root.values.isEmpty || test(reading, &bindings) != nil
    }

    /// The condition under which a column of a row `t` holds the person; nil where nothing could tell.
    func test(_ reading: Reading, _ bindings: inout Bindings) -> String? {
        guard let test = holds(reading, &bindings) else { return nil }
        return reading.only.map { "(\(test) and \($0.condition(&bindings)))" } ?? test
    }

    private func holds(_ reading: Reading, _ bindings: inout Bindings) -> String? {
        let (column, type) = (cell(reading.name), reading.column.type)
        func bind(_ values: [String], _ type: String) -> String {
            // Most columns are held against the same list, which is packed once.
            let isAll = type == root.type && values.count == root.values.count
            return isAll ? bindings.bind(root.list, as: type + "[]") : bindings.bind(values, of: type)
        }
        switch reading.form {
        case .key, .list:
            let own = isNumber && !reading.isTelling ? root.values.filter(isLong) : root.values
            let values = root.type == "uuid" ? own + ids : own
            guard !values.isEmpty else { return nil }
            if reading.form == .list {
                let element = element(of: reading)
                let lists = "(\(column)::\(element)[] operator(pg_catalog.&&) \(bind(values, element)))"
                let spoken =
                    element == "text" && !reading.isExact
                    ? mentions(in: reading).condition("\(column)::pg_catalog.text", &bindings) : nil
                return spoken.map { "(\(lists) or \($0))" } ?? lists
            }
            let isFloat = Self.floats.contains(type)
            let compared = isFloat ? "double precision" : isNumber && root.type != "numeric" ? "bigint" : root.type
            return "\(column) \(equals) any (\(bind(values, compared)))"
        case .text where type == "uuid" && !reading.column.isList:
            return uuids.isEmpty ? nil : "\(column) operator(pg_catalog.=) any (\(bind(uuids, "uuid")))"
        case .text where reading.isExact: return isExactly(reading, &bindings)
        case .text, .json:
            let isBytes = type == "bytea" && !reading.column.isList
            let text = Spellings.text(of: column, type: isBytes ? type : "")
            let bytes = isBytes ? [mentions.bytes(column, &bindings)] : []
            return isSpoken(in: text, reading, besides: bytes, &bindings)
        }
    }

    /// The condition under which what a text says, or one of further tests, means the person; nil where nothing could tell.
    private func isSpoken(
        in text: String, _ reading: Reading, besides further: [String?] = [], _ bindings: inout Bindings
    ) -> String? {
        var tests = [mentions(in: reading).condition(text, isDocument: reading.form == .json, &bindings)] + further
        if reading.form == .text { tests.append(isName(text, reading.isTelling, &bindings)) }
        if isNumber, reading.isTelling { tests.append(isListed(text, &bindings)) }
        let found = tests.compactMap { $0 }
        return found.isEmpty ? nil : "(\(found.joined(separator: " or ")))"
    }

    /// A text or a document without the person; where that cannot be told from the rest, nothing of it is left.
    func without(_ reading: Reading, _ bindings: inout Bindings) -> String {
        let text = mentions.rewritten("\(cell(reading.name))::pg_catalog.text", &bindings)
        let nothing = reading.form == .json ? "null" : Spellings.mark
        let speaks = isSpoken(in: "rest.said", reading, &bindings) ?? "false"
        return """
            (select (case when \(speaks) then '\(nothing)' else rest.said end)::\(reading.column.type) \
            from (select \(text)) rest (said))
            """
    }

    /// The condition under which a text that is called like users lists a key: `[7, 42]`, `7,42` or `{"42": "guest"}`.
    private func isListed(_ text: String, _ bindings: inout Bindings) -> String {
        let keys = "(?:\(root.values.joined(separator: "|")))"
        let list = bindings.bind("(?:^|[^0-9.])\(keys)(?![0-9.])", as: "text")
        let member = bindings.bind("\"\(keys)\" *:", as: "text")
        let exact = "(\(text) collate pg_catalog.\"C\")"
        return "(\(exact) ~ '^[][0-9\",;| ]+$' and \(exact) ~ \(list) or \(exact) ~ \(member))"
    }

    /// As what the elements of a list are compared with values of the root: numbers may be written out in it.
    func element(of reading: Reading) -> String {
        guard isNumber else { return root.type }
        return (Self.numbers + Self.floats).contains(reading.column.type) ? "numeric" : "text"
    }

    /// The condition under which a text is one of the names as a whole.
    private func isName(_ text: String, _ isTelling: Bool, _ bindings: inout Bindings) -> String? {
        let keys = whole(isTelling)
        var tests: [String] = []
        func equal(_ text: String, _ values: [String]) {
            guard !values.isEmpty else { return }
            tests.append("\(text) = any (\(bindings.bind(values, of: "text")))")
        }
        // A short name, or one of nothing but letters, may be a word of another kind where the column does not speak of users.
        let names = names.filter { name in
            isTelling || name.count >= Self.mostLetters || name.count > 3 && name.contains { !$0.isLetter }
        }
        equal(text, isFolded ? names : keys + names)
        if isFolded { equal("pg_catalog.lower(\(text))", keys.map { $0.lowercased() }) }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }

    /// The condition under which a text is the person and nothing else, as an index would find it; nil where none could be.
    private func isExactly(_ reading: Reading, _ bindings: inout Bindings) -> String? {
        guard reading.column.kind == .text, !reading.column.isList else { return nil }
        let known = (reading.isTelling ? root.values + ids + names : []) + addresses + furtherAddresses
        guard !known.isEmpty else { return nil }
        let small = known.map { $0.lowercased() }
        let (column, type) = (cell(reading.name), reading.column.type)
        if Self.isFolded(type) {
            return "\(column) \(Self.equals(type)) any (\(bindings.bind(small, of: type)))"
        }
        let text = "\(column)::pg_catalog.text"
        // An index holds what is written, which people write as they do; what is soon read is read.
        guard reading.needsIndex else {
            return "pg_catalog.lower(\(text)) = any (\(bindings.bind(small, of: "text")))"
        }
        let spelled =
            known + small + known.map { $0.uppercased() } + small.map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return "\(text) = any (\(bindings.bind(Set(spelled).sorted(), of: "text")))"
    }

    /// The condition under which a text column is the person as a whole; nil where that says nothing.
    func isWhole(_ reading: Reading, _ bindings: inout Bindings) -> String? {
        guard reading.form == .text else { return nil }
        let known = root.values + ids + addresses + furtherAddresses + names
        let texts = bindings.bind(known.map { $0.lowercased() }, of: "text")
        return "pg_catalog.lower(\(cell(reading.name))::pg_catalog.text) = any (\(texts))"
    }

    /// A list without the person; others who are listed stay.
    ///
    /// Where only all texts of it together speak of the person, nothing of it is left.
    func emptied(_ reading: Reading, _ bindings: inout Bindings) -> String {
        let type = element(of: reading)
        var tests: [String] = []
        if reading.form == .list {
            let values = bindings.bind(root.type == "uuid" ? root.values + ids : root.values, of: type)
            tests.append("k::\(type) operator(pg_catalog.=) any (\(values))")
        }
        let areTexts = reading.form == .text || type == "text"
        if areTexts, let spoken = isSpoken(in: "k::pg_catalog.text", reading, &bindings) { tests.append(spoken) }
        guard !tests.isEmpty else { return cell(reading.name) }
        let rest = Reading.list(cell(reading.name), where: "(\(tests.joined(separator: " or "))) is not true")
        guard areTexts, let together = isSpoken(in: "rest.listed::pg_catalog.text", reading, &bindings) else {
            return rest
        }
        return "(select case when \(together) then '{}' else rest.listed end from (select \(rest)) rest (listed))"
    }

    /// The condition under which a row `t`, or JSON in it, speaks of the person, in the text of the row or in columns; nil where
    /// nothing could tell.
    func isSpokenOf(in readings: [Reading], row: String, _ bindings: inout Bindings) -> String? {
        // A number means the user only in a column, or behind a name in JSON, that says so.
        let apart = readings.filter { $0.form == .key || $0.form == .list || $0.isSettled }
        var tests = apart.compactMap { test($0, &bindings) }
        if let mentions = mentions.condition(row, isDocument: true, &bindings) { tests.append(mentions) }
        return tests.isEmpty ? nil : tests.joined(separator: " or ")
    }
}
