extension App {
    /// A place in an app file, for the findings of later checks.
    package struct Place: Sendable, Hashable {
        package let file: SourceFile
        package let offset: Int

        /// True if the place is that of missing or broken SQL.
        package var isOfNothing: Bool { offset < 0 }

        /// The place of the next occurrence of a text; this place itself if the text doesn't occur.
        package func narrowed(to text: String) -> Place {
            Place(file: file, offset: file.offset(of: text, behind: offset) ?? offset)
        }

        /// The place of a name in an attribute of the block that begins at this place.
        func narrowed(to name: String, in attribute: String) -> Place {
            narrowed(to: "@" + attribute).narrowed(to: name)
        }

        /// The names in an attribute of the block that begins at this place, each with its own place.
        func named(_ names: [String], in attribute: String) -> [(name: String, place: Place)] {
            names.filter { !$0.isEmpty }.map { ($0, narrowed(to: $0, in: attribute)) }
        }
    }
}

extension SourceFile {
    /// The place of a byte.
    package func place(at offset: Int) -> App.Place { App.Place(file: self, offset: offset) }
}

extension Fragment {
    package var place: App.Place { file.place(at: tokens.isEmpty || isBroken ? -1 : range.lowerBound) }

    func place(ofToken index: Int) -> App.Place { file.place(at: tokens[index].range.lowerBound) }
}
