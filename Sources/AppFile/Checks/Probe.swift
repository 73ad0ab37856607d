/// A statement that `app check` has Postgres parse, and what its result must look like.
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
    /// The definition that it asks for and nothing else: what is wrong with that is told there, and not of all that use it.
    package var defined: Fragment?
    /// True if it is what an act does, refuses or comes to, which a function of the owner finds out: operators need no rights for it.
    package var isChange = false
}
