/// What a select puts out, and where.
extension Fragment {
    /// The expressions that a select puts out, nil for what is more than one select.
    var outputs: [Fragment]? {
        let level = topLevel.filter { isKeyword(at: $0) }
        func first(_ words: Set<String>, from place: Int = 0) -> Int? {
            level.first { $0 >= place && words.contains(word(at: $0)) }
        }
        guard first(["union", "intersect", "except"]) == nil, let select = first(["select"]),
            word(at: select + 1) != "distinct"
        else { return nil }
        // Not the FROM of a comparison.
        let from = level.first { $0 > select && word(at: $0) == "from" && word(at: $0 - 1) != "distinct" }
        let list = slice((select + 1)..<(from ?? tokens.count)).parts(at: ",")
        return list
    }

    /// Where the expression stands that a column of the result comes of, by its number; itself where that is not known.
    package func place(ofColumn number: Int) -> App.Place {
        // What stands behind a star is counted by nobody.
        let output = (outputs ?? []).enumerated().first { $0 == number || $1.word(at: $1.tokens.count - 1) == "*" }
        return output?.element.place ?? place
    }

    /// Where it first names something; nil where it does not.
    package func place(ofName name: String) -> App.Place? {
        tokens.indices.first { isName(at: $0) && word(at: $0) == name }.map {
            App.Place(file: file, offset: tokens[$0].range.lowerBound)
        }
    }
}

/// Statements as Postgres plans them.
extension Fragment {
    /// A statement in which selects stand for some tables, under the names these go by; nil where it names none of them.
    ///
    /// It is to be planned and not run. So that Postgres computes with what the selects hold, and as much as it can, no join of
    /// it leaves that open, and values are neither known nor missing: they are read from a setting.
    package static func planned(_ sql: String, with tables: [TableName: String]) -> String? {
        let statement = Fragment(of: sql)
        var edits = statement.edits(replacing: tables)
        if edits.isEmpty { return nil }
        for (place, token) in statement.tokens.enumerated() {
            if token.kind == .positional { edits.append((token.range, "current_setting('usher.value', true)")) }
            guard statement.isKeyword(at: place), outer.contains(statement.word(at: place)) else { continue }
            let next = statement.word(at: place + 1) == "outer" ? place + 2 : place + 1
            if statement.word(at: next) == "join" {
                edits.append((token.range.lowerBound..<statement.tokens[next].range.lowerBound, ""))
            }
        }
        return statement.text(with: edits)
    }

    /// The same as it stands, to be parsed and no more.
    package static func parsed(_ sql: String, with tables: [TableName: String]) -> String? {
        let statement = Fragment(of: sql)
        let edits = statement.edits(replacing: tables)
        return edits.isEmpty ? nil : statement.text(with: edits)
    }

    private func edits(replacing tables: [TableName: String]) -> [(range: Range<Int>, text: String)] {
        relations.compactMap { mention in
            guard let schema = mention.schema, let select = tables[TableName(schema: schema, name: mention.name)],
                let start = tokens.firstIndex(where: { $0.range.lowerBound == mention.offset })
            else { return nil }
            let name = alias(behind: start + 2) == nil ? " " + Composer.quoted(mention.name) : ""
            return (mention.offset..<tokens[start + 2].range.upperBound, select + name)
        }
    }

    private func text(with edits: [(range: Range<Int>, text: String)]) -> String {
        var text: [UInt8] = []
        var copied = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            text += file.bytes[copied..<edit.range.lowerBound] + Array(edit.text.utf8)
            copied = edit.range.upperBound
        }
        return String(decoding: text + file.bytes[copied...], as: UTF8.self)
    }

    private static let outer: Set<String> = ["left", "right", "full"]

    /// The words of what an expression comes to, in full brackets as Postgres writes them in a plan: what it only compares, or
    /// tells cases apart by, does not show.
    package static func shownWords(of expression: String) -> [String] { Fragment(of: expression).shownWords }

    init(of sql: String) {
        let file = SourceFile(name: "", text: sql)
        self.init(file: file, tokens: Lexer.tokens(of: file).tokens.filter { !$0.isComment })
    }

    private var shownWords: [String] {
        var words: [String] = []
        /// Whether what stands here only tells cases apart, for each CASE that is open.
        var isAsked: [Bool] = []
        var place = 0
        while place < tokens.count {
            defer { place += 1 }
            if tokens[place].kind == .symbol, word(at: place) == "(" {
                let inner = slice((place + 1)..<closing(place))
                let isDigest = place > 0 && Self.digests.contains(word(at: place - 1))
                if isAsked.last != true, !isDigest, !inner.compares { words += ["("] + inner.shownWords + [")"] }
                place += inner.tokens.count + 1
                continue
            }
            switch isKeyword(at: place) ? word(at: place) : "" {
            case "case": isAsked.append(true)
            case "end": _ = isAsked.popLast()
            case "when": isAsked[isAsked.count - 1] = true
            case "then", "else": isAsked[isAsked.count - 1] = false
            default: if isAsked.last != true { words.append(word(at: place)) }
            }
        }
        return words
    }

    /// The bracket that closes the one at a place.
    private func closing(_ place: Int) -> Int {
        var depth = 0
        return tokens.indices.first { index in
            guard index >= place, tokens[index].kind == .symbol else { return false }
            depth += word(at: index) == "(" ? 1 : word(at: index) == ")" ? -1 : 0
            return depth == 0
        } ?? tokens.count
    }

    /// Whether it is a comparison, of which there is one in a bracket of a plan.
    private var compares: Bool {
        var operators: [String] = []
        var end = -1
        for place in topLevel {
            if isKeyword(at: place), word(at: place) == "is" { return true }
            guard tokens[place].kind == .symbol, "+-*/<>=~!@#%^&|?".contains(word(at: place)) else { continue }
            let isSame = end == tokens[place].range.lowerBound
            if isSame { operators[operators.count - 1] += word(at: place) } else { operators.append(word(at: place)) }
            end = tokens[place].range.upperBound
        }
        return operators.contains(where: Self.comparing.contains)
    }

    /// What Postgres makes digests by: of other functions it tells by itself what they leave.
    private static let digests: Set<String> = ["md5", "sha224", "sha256", "sha384", "sha512"]

    private static let comparing: Set<String> = [
        "=", "<>", "<", ">", "<=", ">=", "~", "~*", "!~", "!~*", "~~", "~~*", "!~~", "!~~*",
    ]
}
