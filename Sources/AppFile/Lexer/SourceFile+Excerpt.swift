extension SourceFile {
    /// The same file with some kinds of blocks only, told apart by the beginnings of lines.
    ///
    /// That is quick, and right for a file that is known to be sound: none of its texts looks like a directive. Places in
    /// an excerpt mean nothing.
    func excerpt(of words: Set<String>) -> SourceFile { excerpt(of: words, isFirstEnough: false) }

    /// The same with the first block of a kind alone, behind which nobody looks.
    func excerpt(ofFirst word: String) -> SourceFile { excerpt(of: [word], isFirstEnough: true) }

    private func excerpt(of words: Set<String>, isFirstEnough: Bool) -> SourceFile {
        if words.isEmpty { return SourceFile(name: name, bytes: []) }
        var kept: [UInt8] = []
        // Where the blocks that are kept and stand side by side began.
        var first: Int?
        let bytes = bytes
        let all = bytes.span
        var start = 0
        while start < all.count {
            if all[start] == UInt8(ascii: "-"), let name = word(ofDirectiveAt: start),
                Vocabulary.rule(for: name)?.isBlock == true
            {
                if words.contains(name) {
                    first = first ?? start
                } else if let begin = first {
                    kept += bytes[begin..<start]
                    first = nil
                    if isFirstEnough { break }
                }
            }
            while start < all.count, all[start] != UInt8(ascii: "\n") { start += 1 }
            start += 1
        }
        if let first { kept += bytes[first...] }
        return SourceFile(name: name, bytes: kept)
    }

    /// The blocks of one kind with one kind of attribute and nothing else; nothing of those without.
    func excerpt(of block: String, with attribute: String) -> SourceFile {
        let bytes = excerpt(of: [block]).bytes
        let blocks = SourceFile(name: name, bytes: bytes)
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { line in
            line.first == UInt8(ascii: "-")
                && blocks.word(ofDirectiveAt: line.startIndex).map { [block, attribute].contains($0) } == true
        }
        guard lines.contains(where: { blocks.word(ofDirectiveAt: $0.startIndex) == attribute }) else {
            return SourceFile(name: name, bytes: [])
        }
        return SourceFile(name: name, bytes: Array(lines.joined(separator: [UInt8(ascii: "\n")])))
    }

    /// Whether a line of the file is a directive, or was meant to be one.
    var hasDirective: Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest.dropFirst(line.count + 1)
            let content = line.drop { isBlank($0) || $0 == UInt8(ascii: "-") }
            guard content.first == UInt8(ascii: "@") else { continue }
            let word = content.dropFirst().prefix { !isBlank($0) }
            if Vocabulary.rule(for: String(decoding: word, as: UTF8.self)) != nil { return true }
        }
        return false
    }

    /// The word of the directive that a line is, nil where it is none.
    private func word(ofDirectiveAt start: Int) -> String? {
        guard bytes[start...].starts(with: Self.directiveMark) else { return nil }
        let word = bytes[(start + Self.directiveMark.count)...].prefix { !isBlank($0) }
        return String(decoding: word, as: UTF8.self)
    }

    private static let directiveMark = Array("-- @".utf8)
}
