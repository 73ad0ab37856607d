/// A statement that `app check` has Postgres parse, and what its result must look like.
package struct Probe: Sendable {
    package let query: ComposedQuery
    /// Where to point when Postgres gives no place of its own.
    package let place: App.Place
    /// Columns the result must have, and where the file names them.
    package var columns: [(name: String, place: App.Place?)] = []
    /// The columns that the result must have, in this order.
    package var shape: [ShapedColumn] = []
    /// Sentences whose facts must be among the columns, or these names.
    package var sentences: [Sentence] = []
    package var knownNames: Set<String> = []
    /// Where the sentences stand, when not where the statement does.
    package var sentencePlace: App.Place?
    /// The definition that it asks for and nothing else: what is wrong with that is told there, and not of all that use it.
    package var defined: Fragment?
    /// True if it is what an act does, refuses or comes to, which a function of the owner finds out: operators need no rights for it.
    package var isChange = false
}

/// A column that a result must have at its place, whatever it is called.
package struct ShapedColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case anything, time, number }

    package let name: String
    package let kind: Kind
    /// True if it may say nothing; Postgres takes a plain NULL for a text.
    package let isOptional: Bool

    /// A column of any type, unless its place is for a time or a number.
    package init(_ name: String, kind: Kind = .anything, isOptional: Bool = false) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
    }
}

extension App {
    /// The Postgres types of the keys: of users, and of each kind of object.
    package struct KeyTypes: Sendable {
        /// Nil when the directory could not be described, so that Postgres infers it.
        package var users: String?
        package var objects: [String: String]

        /// Types that were found out by describing the directory.
        package init(users: String?, objects: [String: String]) {
            self.users = users
            self.objects = objects
        }

        /// The type of the keys of a kind of subject, nil where there are none or nobody knows it.
        package func type(of subject: Subject) -> String? {
            switch subject {
            case .users: users
            case .object(let noun): objects[noun]
            case .nothing: nil
            }
        }
    }
}
