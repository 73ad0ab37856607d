/// A statement that Postgres parses for `app check`, and the required form of its result.
package struct Probe: Sendable {
    package let query: ComposedQuery
    /// The place to report if Postgres doesn't give a position.
    package let place: App.Place
    /// Columns the result must have, and where the file names them.
    package var columns: [(name: String, place: App.Place?)] = []
    /// The columns that the result must have, in this order.
    package var shape: [ShapedColumn] = []
    /// Sentences whose facts must be columns of the result, or these names.
    package var sentences: [Sentence] = []
    package var knownNames: Set<String> = []
    /// The place of the sentences, if it differs from the statement's.
    package var sentencePlace: App.Place?
    /// The definition that the probe checks; its mistakes are reported once, at the definition.
    package var defined: Fragment?
    /// True for statements of a change, which run with the rights of the database owner: operators need no rights for
    /// them.
    package var isChange = false
}
