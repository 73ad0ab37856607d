package import PQ

/// What the database says it is; whatever cannot be believed counts as production.
package struct Environment: Sendable, Hashable {
    /// production, staging, development or test.
    package let name: String
    /// Why the database counts as production although it does not say so, nil when it is what it says.
    package let doubt: String?

    /// What a database may say that it is.
    package static let names = ["production", "staging", "development", "test"]

    /// What a database is of which nobody asked.
    package static let unasked = Environment(doubt: "it was not asked for")

    package static let query = Query(file: "catalog/environment.sql")

    /// Judges the answer to `query`.
    package init(_ answer: Result<Rows, ServerError>) {
        switch answer {
        case .failure(let error):
            self.init(doubt: "the declaration cannot be read: \(error.message)")
        case .success(let rows):
            do throws(DecodingFailure) { try self.init(rows) } catch {
                self.init(doubt: "the declaration cannot be read: \(error)")
            }
        }
    }

    private init(_ rows: Rows) throws(DecodingFailure) {
        guard let row = rows.first else {
            self.init(doubt: "no environment is declared")
            return
        }
        // Nothing is asked of a stranger's table, and nothing known of it.
        func holds(_ column: String) throws(DecodingFailure) -> Bool { try row.optionalBoolean(column) ?? false }
        if try !holds("is_table") {
            self.init(doubt: "usher.environment is not a table")
        } else if try !holds("trusted_owner") {
            self.init(doubt: "the schema usher belongs to neither the database's owner nor a superuser")
        } else if let marks = try row.optionalInteger("marks"), marks != 1 {
            self.init(doubt: "more than one environment is declared")
        } else if let name = try row.optionalText("name") {
            let (isOfCluster, isOfDatabase) = (try holds("same_cluster"), try holds("same_database"))
            if !isOfCluster || !isOfDatabase {
                self.init(doubt: "the declaration was made for another database and travelled here with a copy")
            } else if !Self.names.contains(name) {
                self.init(doubt: "there is no environment of the name \(name)")
            } else {
                self.init(name: name, doubt: nil)
            }
        } else {
            self.init(doubt: "no environment is declared")
        }
    }

    private init(doubt: String) { self.init(name: "production", doubt: doubt) }

    private init(name: String, doubt: String?) {
        self.name = name
        self.doubt = doubt
    }
}
