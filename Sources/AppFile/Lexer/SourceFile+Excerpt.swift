extension SourceFile {
    /// The first `@app` block alone, told by the beginnings of lines; places in it mean nothing.
    ///
    /// That is quick, and right for a file that is known to be sound: none of its texts looks like a directive.
    var outline: SourceFile {
        var start: Int?
        var line = 0
        while line < bytes.count {
            if let word = word(ofDirectiveAt: line), Vocabulary.rule(for: word)?.isBlock == true {
                if let start { return SourceFile(name: name, bytes: Array(bytes[start..<line])) }
                if word == "app" { start = line }
            }
            line = (bytes[line...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count) + 1
        }
        return SourceFile(name: name, bytes: start.map { Array(bytes[$0...]) } ?? [])
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
