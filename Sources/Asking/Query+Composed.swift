package import AppFile
package import PQ

extension Query {
    /// Creates a query from a statement of an app file and its values.
    package init(_ composed: ComposedQuery) {
        self = Query(unsafe: composed.sql, composed.values).with(composed.setting)
    }
}

extension Binding {
    /// Creates a binding for keys of a type, as an array.
    package static func keys(_ keys: [String], type: String) -> Binding {
        Binding(arrayLiteral(keys), type: type + "[]")
    }
}

extension ComposedQuery {
    /// Creates a composed query from one of usher's own queries, to send with queries of an app file.
    package init(_ query: Query) {
        self.init(engine: query.sql, values: query.parameters, setting: query.setting)
    }
}
