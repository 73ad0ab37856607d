/// What the source of a function says that it does.
package struct FunctionBody {
    private let body: Fragment
    /// What it runs as a text that is written out there, and on which events.
    private let texts: [(events: Set<String>, body: FunctionBody)]
    /// Whether it runs what it puts together as a text, of which nobody can tell what it does.
    package let runsText: Bool

    /// What a statement in it does to the rows of a table.
    package struct Writing: Hashable {
        /// The schema and the name, or the name alone; nothing where they are not to be read.
        package let table: [String]
        package let makesRows: Bool
        package let takesRows: Bool
        /// The columns that it sets in rows that are there; nil where it changes none.
        package let set: Set<String>?
        /// The columns of the row that the trigger fires for, by those that it fills with them.
        package let fills: [String: Set<String>]
        /// On which of insert, update and delete of the trigger that it runs for.
        package var events: Set<String>
    }

    /// A source in SQL or in PL/pgSQL.
    package init(_ source: String) {
        let file = SourceFile(name: "", text: source)
        let body = Fragment(file: file, tokens: Lexer.tokens(of: file).tokens.filter { !$0.isComment })
        let runs = body.tokens.indices.filter { body.isKeyword(at: $0) && body.word(at: $0) == "execute" }
        texts = runs.compactMap { place in
            body.writtenOut(behind: place).map { (body.events(at: place), FunctionBody($0)) }
        }
        self.body = body
        runsText = texts.count < runs.count || texts.contains { $0.body.runsText }
    }

    package var calls: [FunctionCall] { body.calls + texts.flatMap(\.body.calls) }

    /// Whether a statement in it writes rows.
    package var writes: Bool {
        !body.writes.isEmpty || texts.contains { $0.body.writes }
            || body.tokens.indices.contains { body.isKeyword(at: $0) && body.word(at: $0) == "truncate" }
    }

    /// What it uses besides.
    package var uses: [Use] { all(body.uses, \.uses, \.events) }

    /// The columns of the row that a trigger fires for, by those others of it that it fills with them before it is written.
    package var ownFills: [String: Set<String>] { body.ownFills }

    /// The statements that write rows.
    package var writings: [Writing] { all(body.writes.map(body.writing), \.writings, \.events) }

    /// What is so of the source itself and of the texts that it runs, of these on no other events than they run on.
    private func all<Part>(
        _ own: [Part], _ parts: KeyPath<FunctionBody, [Part]>, _ events: WritableKeyPath<Part, Set<String>>
    ) -> [Part] {
        own
            + texts.flatMap { text in
                text.body[keyPath: parts].map { part in
                    var part = part
                    part[keyPath: events].formIntersection(text.events)
                    return part
                }
            }
    }
}

extension Fragment {
    /// Where statements begin that write rows.
    fileprivate var writes: [Int] {
        tokens.indices.filter { index in
            guard isKeyword(at: index) else { return false }
            switch (word(at: index), word(at: index + 1)) {
            case ("insert", "into"), ("delete", "from"), ("merge", "into"): return true
            // UPDATE SET is a part of INSERT and MERGE.
            case ("update", let next):
                return !["for", "key", "on", "or", "before", "after"].contains(word(at: index - 1))
                    && isName(at: index + 1) && next != "set"
            default: return false
            }
        }
    }

    /// What the statement that begins at a place does, up to the end of it or of the brackets around it.
    fileprivate func writing(from start: Int) -> FunctionBody.Writing {
        var (end, depth) = (start, 0)
        while tokens.indices.contains(end), tokens[end].kind != .semicolon {
            if word(at: end) == "(" { depth += 1 }
            if word(at: end) == ")" { depth -= 1 }
            if depth < 0 { break }
            end += 1
        }
        let statement = Fragment(file: file, tokens: Array(tokens[start..<end]))
        let (verb, set) = (word(at: start), statement.setColumns)
        func says(_ word: String) -> Bool {
            verb == word || verb == "merge" && statement.tokens.indices.contains { statement.word(at: $0) == word }
        }
        return .init(
            table: statement.namedTable, makesRows: says("insert"), takesRows: says("delete"),
            set: verb == "update" || !set.isEmpty ? set : nil, fills: statement.fills(verb),
            events: events(at: start))
    }

    /// The columns that its SET clauses assign, `(a, b) = …` included.
    private var setColumns: Set<String> {
        var columns: Set<String> = []
        var (isInSet, expectsName, openCases) = (false, false, 0)
        for index in topLevel {
            switch isKeyword(at: index) ? word(at: index) : "" {
            case "case": openCases += 1
            case "end": openCases -= 1
            case "set":
                (isInSet, expectsName) = (true, true)
                continue
            case "where", "returning": isInSet = false
            case "from" where word(at: index - 1) != "distinct": isInSet = false
            case "when" where openCases == 0: isInSet = false
            default: break
            }
            guard isInSet else { continue }
            if word(at: index) == "," {
                expectsName = true
            } else if expectsName {
                let end =
                    word(at: index) == "(" ? tokens.indices.first { $0 > index && word(at: $0) == ")" } : index + 1
                let names = tokens[index..<(end ?? tokens.count)].filter(\.isName)
                columns.formUnion(names.map { $0.folded(in: file) })
                expectsName = false
            }
        }
        return columns
    }

    /// The columns of the row of a trigger, by those that an INSERT or UPDATE fills with them.
    private func fills(_ verb: String) -> [String: Set<String>] {
        let named = namedTable
        guard let name = named.last else { return [:] }
        let table = TableName(schema: named.count > 1 ? named[0] : "", name: name)
        let writings =
            switch verb {
            case "insert": insertions(into: table, behind: 1 + 2 * named.count)
            case "update": [assignments(to: table)].compactMap { $0 }
            default: [Writing]()
            }
        var fills: [String: Set<String>] = [:]
        for writing in writings {
            for (column, value) in writing.rows.flatMap({ zip(writing.columns, $0) }) {
                let columns = (value.output?.expression ?? value).rowColumns
                if !columns.isEmpty { fills[column, default: []].formUnion(columns) }
            }
        }
        return fills
    }

    /// The columns of the row that a trigger fires for, where it comes to one of them and is not made of it.
    fileprivate var rowColumns: Set<String> {
        if isEnclosed(from: 0) { return slice(1..<tokens.count - 1).rowColumns }
        if ["new", "old"].contains(word(at: 0)), word(at: 1) == ".", isName(at: 2),
            tokens.count == 3 || word(at: 3) == "::"
        {
            return [word(at: 2)]
        }
        return (results ?? []).reduce(into: []) { $0.formUnion($1.rowColumns) }
    }

    /// What is assigned to columns of the row itself, of other columns of it.
    fileprivate var ownFills: [String: Set<String>] {
        var fills: [String: Set<String>] = [:]
        for place in tokens.indices where word(at: place) == "new" && beginsStatement(at: place) {
            let equals = word(at: place + 3) == ":" ? place + 4 : place + 3
            guard word(at: place + 1) == ".", isName(at: place + 2), word(at: equals) == "=" else { continue }
            let end = tokens.indices.first { $0 > equals && tokens[$0].kind == .semicolon } ?? tokens.count
            let columns = slice(equals + 1..<end).rowColumns
            if !columns.isEmpty { fills[word(at: place + 2), default: []].formUnion(columns) }
        }
        return fills
    }

    /// The text that stands behind EXECUTE and is all that it runs; nil where it is put together.
    fileprivate func writtenOut(behind index: Int) -> String? {
        let place = index + 1
        guard tokens.indices.contains(place), tokens[place].kind == .string,
            !tokens.indices.contains(place + 1) || tokens[place + 1].kind == .semicolon
                || ["using", "into", "loop"].contains(word(at: place + 1))
        else { return nil }
        let text = file.text(tokens[place].range)
        if text.hasPrefix("'") {
            return text.dropFirst().dropLast().split(separator: "''", omittingEmptySubsequences: false)
                .joined(separator: "'")
        }
        guard text.hasPrefix("$"), let close = text.dropFirst().firstIndex(of: "$") else { return nil }
        let mark = text[...close]
        return String(text.dropFirst(mark.count).dropLast(mark.count))
    }
}
