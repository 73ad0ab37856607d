extension SourceFile {
    /// The same file about one schema: its name stands, in quotes, where the file has a word with a colon for any of them.
    ///
    /// Only names before a dot are filled in: not what is part of a text, nor a parameter that stands alone. Places are those
    /// of the file as it was written.
    func filled(_ word: String, with schema: String) -> SourceFile {
        let mark = Array((":" + word + ".").utf8)
        let name = Array(Composer.quoted(schema).utf8)
        var filled: [UInt8] = []
        var places: [Origin.Place] = []
        var kept = 0
        for start in Lexer.tokens(of: self).tokens.flatMap({ marks(mark, in: $0) }) {
            filled += bytes[kept..<start]
            kept = start + mark.count - 1
            let place = filled.count
            filled += name
            places.append(Origin.Place(filled: place..<filled.count, written: start..<kept))
        }
        guard !places.isEmpty else { return self }
        filled += bytes[kept...]
        return SourceFile(name: self.name, bytes: filled, origin: Origin(file: self, places: places))
    }

    /// Where a mark begins in a token: as a name in SQL, or in what a directive says.
    private func marks(_ mark: [UInt8], in token: Token) -> [Int] {
        let start = token.range.lowerBound
        switch token.kind {
        case .parameter: return token.range.count == mark.count - 1 && isMark(mark, at: start) ? [start] : []
        case .lineComment:
            return token.range.filter { bytes[$0] == mark[0] && isMark(mark, at: $0) && !isCast(at: $0) }
        default: return []
        }
    }

    /// Whether a mark stands at a byte, with a name behind it.
    private func isMark(_ mark: [UInt8], at start: Int) -> Bool {
        let end = start + mark.count
        guard end < bytes.count, bytes[start..<end].elementsEqual(mark) else { return false }
        return Lexer.startsName(bytes[end]) || bytes[end] == UInt8(ascii: "\"")
    }

    /// Whether a colon belongs to what is before it: to a cast, or to a word.
    private func isCast(at start: Int) -> Bool {
        let colon = UInt8(ascii: ":")
        let before = bytes[..<start].reversed().prefix { $0 == colon }.count
        return !before.isMultiple(of: 2) || (before == 0 && start > 0 && Lexer.continuesName(bytes[start - 1]))
    }

    /// Where the bytes of a filled file come from.
    struct Origin: Sendable {
        /// A name that was filled in, and what was written there.
        struct Place: Sendable {
            let filled: Range<Int>
            let written: Range<Int>
        }

        let file: SourceFile
        let places: [Place]

        /// The byte of the file as it was written; a name as a whole stands where its word does.
        func offset(of byte: Int) -> Int {
            guard let place = places.last(where: { $0.filled.lowerBound <= byte }) else { return byte }
            return place.filled.contains(byte)
                ? place.written.lowerBound : place.written.upperBound + byte - place.filled.upperBound
        }
    }
}
