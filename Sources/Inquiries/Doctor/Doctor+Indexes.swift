internal import Catalog

/// What slows a database down for want of an index, the most useful first.
extension Doctor {
    /// Whether users are found without reading all of them.
    mutating func checkLookUps(_ users: UserDirectory, _ trigrams: Trigrams) {
        let missing = users.missing([.address, .beginning, .anywhere])
        for index in missing {
            guard let statement = index.statement(trigrams) else { continue }
            report(
                "look-ups", .doubtful,
                "\(Self.purpose(index.purpose)) reads all \(index.column.rows) rows of \(index.column.name.qualified)",
                statement)
        }
        if !users.knowsAddresses {
            report(
                "look-ups", .doubtful, "the addresses are computed, so that finding a user by one reads all users",
                "let @email name columns of tables, or coalesce() of such")
        } else if missing.isEmpty {
            report("look-ups", .well, "users are found without reading all of them")
        }
    }

    private static func purpose(_ purpose: MissingIndex.Purpose) -> String {
        switch purpose {
        case .address: "finding a user by an address"
        case .beginning: "`user find` by a beginning"
        case .anywhere: "`user find` anywhere"
        }
    }

    /// Whether rows can be deleted without reading the tables that refer to them.
    mutating func checkIndexes(_ all: [UnindexedReference]) {
        let references = all.filter { $0.rows >= TableSize.many }
        guard !references.isEmpty else {
            report("indexes", .well, "every foreign key of a large table has one")
            return
        }
        for reference in references.prefix(10) {
            report(
                "indexes", .doubtful,
                "\(reference.table) (\(reference.columns)) refers to \(reference.referenced) without an index, \(reference.rows) rows",
                "create index concurrently on \(reference.table) (\(reference.columns))")
        }
        if references.count > 10 {
            report("indexes", .doubtful, "\(references.count - 10) more foreign keys of large tables have no index")
        }
    }
}

extension AddressColumn.Name {
    /// The column with its table and schema.
    fileprivate var qualified: String { "\(schema).\(table).\(expression)" }
}
