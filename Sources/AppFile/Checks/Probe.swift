/// A statement that `app check` has Postgres parse, and what its result must look like.
package struct Probe: Sendable {
    package private(set) var query: ComposedQuery
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
    /// The condition that it holds against the facts, by itself.
    package var condition: ComposedQuery?
    /// The definition that it asks for and nothing else: what is wrong with that is told there, and not of all that use it.
    package var defined: Fragment?
    /// Whether it is what an act does, refuses or comes to, which a function of the owner finds out: operators need no rights for it.
    package var isChange = false
    /// Whether people see what it results in; what others take up is seen there.
    package var isShown = true
    /// What is planned in its place where Citus keeps the rows, nil for what runs as it stands: what an UPDATE assigns, which is
    /// selected on its own there, and an INSERT with its values written out, since that is planned no sooner than it knows them.
    package var elsewhere: ComposedQuery?

    /// The same about what is planned where Citus keeps the rows.
    package var asElsewhere: Probe {
        var probe = self
        if let elsewhere { probe.query = elsewhere }
        return probe
    }
}

extension [String: Binding] {
    /// Values that say as little as can be, written out: whoever plans what is not bound yet plans less with NULLs.
    var constants: Self {
        mapValues { binding in
            guard let type = binding.type else { return Binding(expression: "null", type: nil) }
            return Binding(constant: type.hasSuffix("[]") ? "{}" : type == "timestamptz" ? "epoch" : nil, type: type)
        }
    }
}
