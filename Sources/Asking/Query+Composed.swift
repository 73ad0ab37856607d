package import AppFile
package import PQ

extension Query {
    /// A statement of an app file, with its values.
    package init(_ composed: ComposedQuery) {
        let query = Query(unsafe: composed.sql, composed.values)
        self = composed.goesByIndex ? query.byIndex : query
    }
}

extension ComposedQuery {
    /// A statement of usher itself, among those of an app file.
    package init(_ query: Query) {
        self = .plain(query.sql, query.parameters, byIndex: query.goesByIndex)
    }
}
