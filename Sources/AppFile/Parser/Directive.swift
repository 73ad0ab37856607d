/// One line `-- @word …` of an app file with its continuation lines, and the SQL that belongs to it.
struct Directive: Sendable {
    var word: String
    let file: SourceFile
    /// The offset of the `@`.
    let offset: Int
    /// The text after the word, with continuation lines joined by a space.
    private(set) var text = ""
    var sql: Fragment?
    /// The start of each line of the text, as an offset in the text and an offset in the file.
    private(set) var lines: [(start: Int, offset: Int)] = []

    /// Appends the text of a continuation line that begins at a byte of the file.
    mutating func append(_ line: Substring, at offset: Int) {
        guard !line.isEmpty else { return }
        if !text.isEmpty { text += " " }
        lines.append((text.utf8.count, offset))
        text += line
    }

    /// The place of the `@`.
    var place: App.Place { file.place(at: offset) }
    /// The place of the text, where a caret marks it; without a text, the place of the `@`.
    var textPlace: App.Place { file.place(at: lines.first?.offset ?? offset) }

    /// The place in the file of a byte of the text.
    func place(ofByte byte: Int) -> App.Place {
        let line = lines.last { $0.start <= byte }
        return file.place(at: line.map { $0.offset + byte - $0.start } ?? offset)
    }

    /// The place in the file where a part of the text begins.
    func place(of part: Substring) -> App.Place {
        place(ofByte: text.utf8.distance(from: text.startIndex, to: part.startIndex))
    }

    /// The first word of the text.
    var name: String { String(text[..<endOfName]) }

    /// The first word of the text, and the rest of the text.
    var head: (name: String, rest: Substring) { (name, trim(text[endOfName...])) }

    private var endOfName: String.Index { text.utf8.firstIndex(where: isBlank) ?? text.endIndex }

    /// The SQL below the directive; empty if it is missing.
    var select: Fragment { sql ?? Fragment(file: file, tokens: []) }
}

/// A block directive and the attributes below it.
struct Block: Sendable {
    /// The block directive, followed by its attributes.
    var directives: [Directive]

    var directive: Directive { directives[0] }
    var attributes: ArraySlice<Directive> { directives.dropFirst() }

    func first(_ word: String) -> Directive? { attributes.first { $0.word == word } }

    func all(_ word: String) -> [Directive] { attributes.filter { $0.word == word } }

    /// The name of the block.
    ///
    /// The name of an object or a definition is one word, because SQL uses it. The name of a panel is its whole title.
    var name: String {
        switch directive.word {
        case "panel": directive.text
        // The name of an action or a list is its noun and its verb.
        case "action", "list":
            directive.text.utf8.split(separator: UInt8(ascii: " "), maxSplits: 2).prefix(2).map { Substring($0) }
                .joined(separator: " ")
        case "object", "define": SQLName.name(directive.relationName) ?? directive.name
        default: directive.name
        }
    }

    /// The identity of a block that can appear only once in a file; nil for repeatable blocks.
    ///
    /// An object can't have the name of a definition, and an action can't have the name of a list. Timelines and
    /// accounts are repeatable, because usher combines them.
    var identity: String? {
        switch directive.word {
        case "app", "timeline", "account": nil
        case "object", "define": "relation \(name)"
        case "action", "list": "verb \(name)"
        default: "\(directive.word) \(name)"
        }
    }
}

extension Directive {
    /// The name of a relation; a list of columns in brackets may follow it without a space.
    var relationName: Substring {
        text[..<(text.utf8.firstIndex { isBlank($0) || $0 == UInt8(ascii: "(") } ?? text.endIndex)]
    }
}

/// True if a byte is white space.
func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }

/// A text without the white space around it.
func trim(_ text: Substring) -> Substring {
    guard let first = text.utf8.firstIndex(where: { !isBlank($0) }),
        let last = text.utf8.lastIndex(where: { !isBlank($0) })
    else { return text[text.endIndex...] }
    return text[first...last]
}
