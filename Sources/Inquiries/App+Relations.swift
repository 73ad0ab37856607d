package import AppFile
package import Catalog

extension App {
    /// Everything the app names in the database: what it requires and what it reads.
    package var relationNames: [RelationName] {
        tables(readBy: fragments).map(\.relationName) + requires.map(\.relationName) + facts
    }

    private var facts: [RelationName] {
        factColumns.map { RelationName(schema: $0.table.schema, name: $0.table.name, column: $0.column) }
    }

    /// The facts that cannot be had, since a column is missing that they are made of.
    func lostFacts(_ relations: Relations) -> [(name: String, column: String)] {
        lostFacts { relations.exists(RelationName(schema: $0.schema, name: $0.name, column: $1)) }
    }

    /// What it takes to tell whether the app fits, and to find its users.
    var directoryRelationNames: [RelationName] {
        tables(readBy: [users.select]).map(\.relationName) + requires.map(\.relationName) + facts
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
