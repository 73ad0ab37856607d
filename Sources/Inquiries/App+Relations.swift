package import AppFile
package import Asking
package import Catalog
package import PQ

extension App {
    package var relationNames: [RelationName] { relationNames(readBy: fragments) }

    var searchedNames: [RelationName] { relationNames(readBy: [users.select] + objects.map(\.select)) }

    private func relationNames(readBy fragments: [Fragment]) -> [RelationName] {
        tables(readBy: fragments).map(\.relationName) + fittingNames + keys
    }

    /// The required and optional relations; usher looks them up to check that the app fits the database.
    var fittingNames: [RelationName] {
        requires.flatMap(\.alternatives).map(\.relationName) + optionalNames
    }

    var optionalNames: [RelationName] { optional.map(\.path.relationName) }

    /// The app without the optional tables and columns that the database lacks.
    func fitted(to relations: Relations) -> App {
        without(zip(optional, optionalNames).filter { !relations.exists($0.1) }.map(\.0))
    }

    /// The app without the optional tables and columns that a connection's database lacks.
    package func fitted(on connection: Connection) throws(Failure) -> App {
        if optional.isEmpty { return self }
        return try failing(fitted(to: try Relations(try connection.execute(Relations.query(about: optionalNames)))))
    }

    /// The key columns of objects with an owner; usher needs the types of these columns.
    private var keys: [RelationName] { objects.filter(\.hasOwner).compactMap(keyName) }

    /// The key column of a kind of object, for catalog queries; nil if the key isn't a table column.
    func keyName(of object: ObjectKind) -> RelationName? { keyColumn(of: object)?.relationName }
}

extension TableName {
    package var relationName: RelationName { RelationName(schema: schema, name: name) }
}

extension Relations {
    /// True if the required table or column or one of its alternatives exists.
    func meets(_ requirement: App.Requirement) -> Bool {
        requirement.alternatives.contains { exists($0.relationName) }
    }
}

extension RelationPath {
    var relationName: RelationName { RelationName(schema: table.schema, name: table.name, column: column) }
}
