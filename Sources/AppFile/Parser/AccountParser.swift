/// Parses the `@account` blocks.
struct AccountParser: BlockParser {
    let blocks: AppBlocks
    var diagnostics: [Diagnostic] = []

    /// Combines all `@account` blocks of a file and its included files into one account.
    mutating func account() -> App.Account? {
        let blocks = self.blocks["account"]
        guard let first = blocks.first else { return nil }
        guard let root = blocks.compactMap({ $0.first("root") }).first else {
            report("@account needs a @root", at: first.directive)
            return nil
        }
        func all(_ word: String) -> [Directive] { blocks.flatMap { $0.all(word) }.filter { !$0.text.isEmpty } }
        return App.Account(
            root: root.text, place: root.place,
            refers: all("refers").compactMap { refers($0) },
            ignored: all("ignore").compactMap { directive in
                reasoned(directive).map { .init(pattern: $0, why: $1, place: directive.place) }
            },
            kept: all("keep").compactMap { kept($0) },
            assignments: all("set").compactMap { assignment($0) },
            shared: all("shared").compactMap { shared($0) },
            owned: all("owns").compactMap { directive in
                parts(AccountLine.cut(directive.text[...], at: " -> "), of: directive).map {
                    .init(from: $0, to: $1, place: directive.place)
                }
            },
            written: all("written").compactMap { written($0) },
            files: all("files").map { directive in
                let (bucket, prefix) = directive.head
                if prefix.isEmpty { report(formOf: directive) }
                return .init(bucket: bucket, prefix: String(prefix), place: directive.place)
            },
            secrets: all("secret").map { .init(column: $0.text, place: $0.place) },
            refusals: blocks.flatMap { remarks("refuse", of: $0) },
            warnings: blocks.flatMap { remarks("warn", of: $0) },
            statements: blocks.flatMap { statements(of: $0) })
    }

    private mutating func refers(_ directive: Directive) -> App.Account.Refers? {
        let (reference, rest) = AccountLine.cut(directive.text[...], at: " : ") ?? (directive.text, nil)
        let (word, why) = rest.flatMap { AccountLine.cut($0[...], at: " : ") } ?? (rest, "")
        let answer: App.Account.Refers.Answer? = word.flatMap {
            choice($0, at: directive.textPlace.narrowed(to: $0), "@refers must end with delete, detach or keep")
        }
        if word != nil, answer == nil { return nil }
        let (sides, condition) = AccountLine.condition(of: reference)
        let (from, to) = AccountLine.cut(sides[...], at: " -> ") ?? (sides, nil)
        if to == nil, answer == nil || condition != nil || sides.hasSuffix("->") {
            report(formOf: directive)
            return nil
        }
        return .init(from: from, to: to, condition: condition, answer: answer, why: why, place: directive.place)
    }

    private mutating func kept(_ directive: Directive) -> App.Account.Kept? {
        guard let (subject, why) = reasoned(directive) else { return nil }
        let (table, way) = AccountLine.way(of: subject)
        if SQLName.parts(ofPath: table)?.count == 3 {
            report(
                "@keep needs a table, not a column", at: directive,
                hint:
                    "write `@refers \(table) : keep : WHY`, or `@ignore \(table) : WHY` if the column is not a reference"
            )
            return nil
        }
        return .init(table: table, way: way, why: why, place: directive.place)
    }

    private mutating func assignment(_ directive: Directive) -> App.Account.Assignment? {
        guard let (subject, why) = reasoned(directive) else { return nil }
        let (assignment, way) = AccountLine.way(of: subject)
        guard let (column, expression) = parts(AccountLine.cut(assignment[...], at: "="), of: directive) else {
            return nil
        }
        return .init(column: column, expression: expression, way: way, why: why, place: directive.place)
    }

    private mutating func shared(_ directive: Directive) -> App.Account.Shared? {
        guard let (rows, rest) = reasoned(directive),
            let (word, why) = parts(AccountLine.cut(rest[...], at: " : "), of: directive)
        else { return nil }
        let answer: App.Account.Shared.Answer
        switch (word, AccountLine.cut(word[...], at: "=")) {
        case ("delete", _): answer = .delete
        case ("detach", _): answer = .detach
        case (_, ("give", let expression)?): answer = .give(expression)
        default:
            let answers = ["delete", "detach", "give = EXPRESSION"]
            report(
                "after the table and the colon, write one of: \(answers.joined(separator: ", "))",
                at: directive.textPlace.narrowed(to: word), near: word, among: answers)
            return nil
        }
        let (table, condition) = AccountLine.condition(of: rows)
        return .init(table: table, condition: condition, answer: answer, why: why, place: directive.place)
    }

    private mutating func written(_ directive: Directive) -> App.Account.Written? {
        guard let (table, rest) = reasoned(directive),
            let (word, why) = parts(AccountLine.cut(rest[...], at: " : "), of: directive),
            let answer: App.Account.Written.Answer = choice(
                word, at: directive.textPlace.narrowed(to: word), "after the table, @written needs one of: keep, remove"
            )
        else { return nil }
        return .init(table: table, answer: answer, why: why, place: directive.place)
    }

    /// Splits the text at the first colon between spaces; the reason is the last part.
    private mutating func reasoned(_ directive: Directive) -> (String, String)? {
        parts(AccountLine.cut(directive.text[...], at: " : "), of: directive)
    }
}

/// Splits the text of a directive into its parts.
enum AccountLine {
    /// The texts before and after the first separator; nil if one of the texts is empty.
    ///
    /// Separators in brackets or quotes don't count.
    static func cut(_ text: Substring, at mark: String) -> (String, String)? {
        guard let place = places(of: mark, in: text).first else { return nil }
        let (left, right) = (trim(text[..<place]), trim(text[text.index(place, offsetBy: mark.count)...]))
        return left.isEmpty || right.isEmpty ? nil : (String(left), String(right))
    }

    /// The texts between all separators.
    static func parts(of text: Substring, at mark: String) -> [Substring] {
        let places = places(of: mark, in: text)
        let starts = [text.startIndex] + places.map { text.index($0, offsetBy: mark.count) }
        return zip(starts, places + [text.endIndex]).map { trim(text[$0..<$1]) }
    }

    /// Splits off the condition after `where`.
    static func condition(of text: String) -> (rest: String, condition: String?) {
        cut(text[...], at: " where ") ?? (text, nil)
    }

    /// Splits off the column after `via` and the condition after `where`.
    static func way(of text: String) -> (rest: String, way: App.Account.Way) {
        let (subject, condition) = condition(of: text)
        let (rest, via) = cut(subject[...], at: " via ") ?? (subject, nil)
        return (rest, .init(via: via, where: condition))
    }

    /// The places of a separator outside brackets and quotes.
    static func places(of mark: String, in text: Substring) -> [Substring.Index] {
        var (found, depth, quote): ([Substring.Index], Int, UInt8?) = ([], 0, nil)
        let bytes = text.utf8
        for place in bytes.indices {
            let byte = bytes[place]
            if let open = quote {
                if byte == open { quote = nil }
                continue
            }
            if depth == 0, byte == mark.utf8.first, bytes[place...].starts(with: mark.utf8) { found.append(place) }
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""): quote = byte
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
        }
        return found
    }
}
