/// A statement that Postgres parses for `app check`, and the required form of its result.
package struct Probe: Sendable {
    package let query: ComposedQuery
    /// The place to report if Postgres doesn't give a position.
    package let place: App.Place
    /// The columns that the result must have, each with its place in the file.
    package var columns: [(name: String, place: App.Place?)] = []
    /// The columns that the result must have, in this order.
    package var shape: [ShapedColumn] = []
    /// Sentences whose facts must be columns of the result or in `knownNames`.
    package var sentences: [Sentence] = []
    package var knownNames: Set<String> = []
    /// The place of the sentences, if it differs from the statement's.
    package var sentencePlace: App.Place?
    /// The definition that the probe checks; its mistakes are reported once, at the definition.
    package var defined: Fragment?
    /// True for statements of a change, which run with the rights of the database owner.
    package var isChange = false
}

/// A column that a result must have at a certain index, under any name.
package struct ShapedColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case anything, time, number }

    package let name: String
    package let kind: Kind
    /// True if the value may be NULL; Postgres reads a plain NULL as a text.
    package let isOptional: Bool

    /// Declares a column; without a kind, it can have any type.
    package init(_ name: String, kind: Kind = .anything, isOptional: Bool = false) {
        (self.name, self.kind, self.isOptional) = (name, kind, isOptional)
    }
}

extension App {
    /// The Postgres types of the keys: of users, and of each kind of object.
    package struct KeyTypes: Sendable {
        /// The type of the users' keys; nil if Postgres must infer it because `@users` can't be described.
        package var users: String?
        package var objects: [String: String]

        /// Creates the key types of users and objects.
        package init(users: String?, objects: [String: String]) {
            self.users = users
            self.objects = objects
        }

        /// The type of the keys of a kind of subject; nil if unknown.
        package func type(of subject: Subject) -> String? {
            switch subject {
            case .users: users
            case .object(let noun): objects[noun]
            case .nothing: nil
            }
        }
    }
}
