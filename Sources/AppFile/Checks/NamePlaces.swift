extension App {
    /// The places of a block's attributes, so that usher reports a wrong name on the name's own line.
    struct NamePlaces: Sendable {
        private let block: Block?

        init(_ block: Block? = nil) { self.block = block }

        /// Some names of a directive, each with its place.
        func named(_ names: [String], in word: String) -> [(name: String, place: Place?)] {
            names.filter { !$0.isEmpty }.map { ($0, place(of: $0, in: word)) }
        }

        /// The place of a name in a directive, or of the directive's text if it lacks the name; nil if there is no
        /// directive.
        func place(of name: String, in word: String) -> Place? {
            guard let block else { return nil }
            let said = block.all(word)
            guard let directive = said.first(where: { $0.text.contains(name) }) ?? said.first else { return nil }
            guard let range = directive.text.range(ofWord: name) else {
                return Place(file: directive.file, offset: directive.textOffset)
            }
            return Place(file: directive.file, offset: directive.offset(of: directive.text[range]))
        }
    }
}

extension App.Place {
    /// The place of the next occurrence of a text; this place itself if the text doesn't occur.
    package func narrowed(to text: String) -> App.Place {
        App.Place(file: file, offset: file.offset(of: text, behind: offset) ?? offset)
    }
}

extension String {
    /// The range where the name occurs as a whole word, not as a part of a longer word.
    fileprivate func range(ofWord word: String) -> Range<String.Index>? {
        guard !word.isEmpty else { return nil }
        return indices.lazy.filter { place in
            guard self[place...].hasPrefix(word) else { return false }
            let before = place > startIndex ? utf8[utf8.index(before: place)...].first : nil
            let behind = utf8[index(place, offsetBy: word.count)...].first
            return before.map(Lexer.continuesName) != true && behind.map(Lexer.continuesName) != true
        }.first.map { $0..<index($0, offsetBy: word.count) }
    }
}

extension Fragment {
    package var place: App.Place { App.Place(file: file, offset: tokens.isEmpty || isBroken ? -1 : range.lowerBound) }
}

extension App.Place {
    /// True if the place is that of missing or broken SQL.
    package var isOfNothing: Bool { offset < 0 }
}
