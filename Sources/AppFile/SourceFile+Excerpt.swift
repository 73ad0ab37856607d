extension SourceFile {
    /// The same file with some kinds of blocks only, told apart by the beginnings of lines.
    ///
    /// That is quick, and right for a file that is known to be sound: none of its texts looks like a directive. Places in
    /// an excerpt mean nothing.
    func excerpt(of words: Set<String>) -> SourceFile {
        var kept: [UInt8] = []
        var isWanted = false
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? bytes.endIndex
            let line = bytes[start..<end]
            if line.starts(with: Self.directiveMark) {
                let word = line.dropFirst(Self.directiveMark.count).prefix { !isBlank($0) }
                let name = String(decoding: word, as: UTF8.self)
                if Vocabulary.rule(for: name)?.isBlock == true { isWanted = words.contains(name) }
            }
            if isWanted { kept += line }
            start = end
        }
        return SourceFile(name: name, bytes: kept)
    }

    private static let directiveMark = Array("-- @".utf8)
}
