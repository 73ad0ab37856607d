package import PQ

/// The environment that the database declares; without a valid declaration, the database counts as production.
package struct Environment: Sendable, Hashable {
    /// The name of the environment: production, staging, development or test.
    package let name: String
    /// The reason, as a part of a sentence, why the database counts as production; nil if the
    /// declaration is valid.
    package let doubt: String?

    package static let names = ["production", "staging", "development", "test"]

    /// The environment of a database without a declaration, or of a database that usher didn't query.
    package static let undeclared = Environment(doubt: "the database has no declared environment")

    package static let query = Query(file: "catalog/environment.sql")

    package init(_ answer: Result<Rows, ServerError>) {
        let unreadable = "usher can't read the environment of this database"
        switch answer {
        case .failure(let error): self.init(doubt: "\(unreadable): \(error.message)")
        case .success(let rows):
            do throws(PQError) { try self.init(rows) } catch { self.init(doubt: "\(unreadable): \(error)") }
        }
    }

    private init(_ rows: Rows) throws(PQError) {
        guard let row = rows.first else {
            self = .undeclared
            return
        }
        // If an untrusted role owns the table, the query doesn't read the table, and its values are NULL.
        func holds(_ column: String) throws(PQError) -> Bool { try row.optionalBoolean(column) ?? false }
        if try !holds("is_table") {
            self.init(doubt: "usher.environment is not a table")
        } else if try !holds("trusted_owner") {
            self.init(doubt: "the schema usher belongs to neither the database's owner nor a superuser")
        } else if let marks = try row.optionalInteger("marks"), marks != 1 {
            self.init(doubt: "the database declares more than one environment")
        } else if let name = try row.optionalText("name") {
            let (isOfCluster, isOfDatabase) = (try holds("same_cluster"), try holds("same_database"))
            if !isOfCluster || !isOfDatabase {
                self.init(doubt: "the database is a copy, and its environment was declared for the original")
            } else if !Self.names.contains(name) {
                self.init(doubt: "\(name) is not an environment")
            } else {
                self.init(name: name, doubt: nil)
            }
        } else {
            self = .undeclared
        }
    }

    private init(doubt: String) { self.init(name: "production", doubt: doubt) }

    private init(name: String, doubt: String?) {
        self.name = name
        self.doubt = doubt
    }
}
