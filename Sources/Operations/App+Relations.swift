package import AppFile
package import Catalog

extension App {
    /// Everything the app names in the database: what it requires and what it reads.
    package var relationNames: [RelationName] {
        tables(readBy: fragments).map(\.relationName) + requires.map(\.relationName)
    }

    /// What it takes to tell whether the app fits, and to find its users.
    var directoryRelationNames: [RelationName] {
        tables(readBy: [users.select]).map(\.relationName) + requires.map(\.relationName)
    }
}

extension TableName {
    /// The table as a question for the catalog.
    package var relationName: RelationName { RelationName(schema: schema, name: name) }
}

extension App.Requirement {
    /// The requirement as a question for the catalog.
    package var relationName: RelationName { RelationName(schema: schema, name: table, column: column) }
}
