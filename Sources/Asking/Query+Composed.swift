package import AppFile
package import PQ

extension Query {
    /// A statement of an app file, with the values it was composed with.
    package init(_ composed: ComposedQuery) { self.init(unsafe: composed.sql, composed.values) }
}
