package import AppFile
package import PQ

extension Query {
    /// Creates a query from a statement of an app file and its values.
    package init(_ composed: ComposedQuery) {
        self = Query(unsafe: composed.sql, composed.values).with(composed.setting)
    }
}

extension ComposedQuery {
    /// Creates a composed query from one of usher's own queries, to send with queries of an app file.
    package init(_ query: Query) {
        self.init(engine: query.sql, values: query.parameters, setting: query.setting)
    }
}
