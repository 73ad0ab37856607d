package import PQ

/// The environment that the database declares; without a valid declaration, the database counts as production.
package struct Environment: Sendable, Hashable {
    /// The name of the environment: production, staging, development or test.
    package let name: String
    /// The reason why the database counts as production although it declares something else; nil if the declaration is
    /// valid.
    package let doubt: Doubt?

    /// The reason why a declaration of the environment is ignored.
    package enum Doubt: Sendable, Hashable {
        case undeclared
        case unreadable(ServerError)
        case garbled(DecodingFailure)
        /// `usher.environment` is not a table, or the schema belongs to a role that usher doesn't trust.
        case noTable, foreignSchema
        case severalDeclared
        /// The declaration is for another database, of which this database is a copy.
        case ofAnotherDatabase
        case unknownName(String)
    }

    /// The names of the environments.
    package static let names = ["production", "staging", "development", "test"]

    /// The environment of a database without a declaration, or of a database that usher didn't query.
    package static let undeclared = Environment(doubt: .undeclared)

    package static let query = Query(file: "catalog/environment.sql")

    /// Evaluates the answer to `query`.
    package init(_ answer: Result<Rows, ServerError>) {
        switch answer {
        case .failure(let error):
            self.init(doubt: .unreadable(error))
        case .success(let rows):
            do throws(DecodingFailure) { try self.init(rows) } catch {
                self.init(doubt: .garbled(error))
            }
        }
    }

    private init(_ rows: Rows) throws(DecodingFailure) {
        guard let row = rows.first else {
            self.init(doubt: .undeclared)
            return
        }
        // usher doesn't read a table of an untrusted role, so its values are unknown.
        func holds(_ column: String) throws(DecodingFailure) -> Bool { try row.optionalBoolean(column) ?? false }
        if try !holds("is_table") {
            self.init(doubt: .noTable)
        } else if try !holds("trusted_owner") {
            self.init(doubt: .foreignSchema)
        } else if let marks = try row.optionalInteger("marks"), marks != 1 {
            self.init(doubt: .severalDeclared)
        } else if let name = try row.optionalText("name") {
            let (isOfCluster, isOfDatabase) = (try holds("same_cluster"), try holds("same_database"))
            if !isOfCluster || !isOfDatabase {
                self.init(doubt: .ofAnotherDatabase)
            } else if !Self.names.contains(name) {
                self.init(doubt: .unknownName(name))
            } else {
                self.init(name: name, doubt: nil)
            }
        } else {
            self.init(doubt: .undeclared)
        }
    }

    private init(doubt: Doubt) { self.init(name: "production", doubt: doubt) }

    private init(name: String, doubt: Doubt?) {
        self.name = name
        self.doubt = doubt
    }
}
