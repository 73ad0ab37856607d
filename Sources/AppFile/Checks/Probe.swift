/// A statement that Postgres parses to check SQL or names, with the columns that its result must have.
package struct Probe: Sendable {
    package let query: ComposedQuery
    /// The place that usher reports if Postgres returns no position.
    package let place: App.Place
    /// The columns that the result must have by name, each with its place in the file.
    package var columns: [(name: String, place: App.Place)] = []
    /// The columns that the result must have by position.
    package var shape: [ShapedColumn] = []
    /// The condition that the probe checks; a name without a table in the condition is a column of the result.
    package var condition: Fragment?
    /// The assumptions of the decision, or the parameters of the action, that the SQL and the sentences can use.
    package var declarations: [ParameterDeclaration] = []
    /// The sentences; each fact in them must be a column of the result or a name in `declarations`.
    package var sentences: [Sentence] = []
    /// The definition that the probe checks; usher reports its mistakes only at the definition, not at each use.
    package var defined: Fragment?
    /// True for a statement of a change, which runs with the rights of the database owner.
    package var isChange = false
    /// The text of the directive with which the message of a finding begins; nil if the probe is about SQL of a block.
    package var subject: String?
    /// True if the probe only checks a type, because another probe checks the names.
    package var isOfType = false
}

/// A column that a result must have at a certain position; its name doesn't matter.
package struct ShapedColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable { case anything, time, number }

    package let name: String
    package var kind = Kind.anything
    /// True if the value may be NULL; Postgres gives NULL without a cast the type text.
    package var isOptional = false
}

extension App {
    /// The Postgres types of the keys of users and of each kind of object.
    ///
    /// A type is missing if Postgres must infer it, because usher couldn't describe the select.
    package typealias KeyTypes = [Subject: String]
}
