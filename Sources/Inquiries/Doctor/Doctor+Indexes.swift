internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Finds missing indexes, the most useful first.
extension Doctor {
    /// A missing index that would find users without a full scan, and the statements that create it.
    typealias MissingLookUp = (index: MissingIndex, remedy: String?)

    /// The missing indexes for finding users; the extension for parts of texts is checked if that matters.
    func missingLookUps(_ users: UserDirectory, _ transaction: ReadTransaction) throws -> [MissingLookUp] {
        let missing = users.missing([.address, .beginning, .anywhere])
        guard !missing.isEmpty else { return [] }
        let trigrams = try Trigrams(try transaction.read([Trigrams.query], isLast: false)[0].get())
        return missing.map { index in
            let statements = index.statements(trigrams)
            return (index, statements.isEmpty ? nil : statements.joined(separator: "; "))
        }
    }

    /// Checks that users are found without a full scan.
    mutating func checkLookUps(_ users: UserDirectory, _ missing: [MissingLookUp]) {
        for (index, remedy) in missing {
            guard let remedy else { continue }
            let purpose =
                switch index.purpose {
                case .address: "finding a user by email"
                case .beginning: "`user find` by the beginning of a text"
                case .anywhere: "`user find` by any part of a text"
                }
            let name = index.column.name
            report(
                .doubtful(
                    "look-ups",
                    "\(purpose) reads all \(index.column.rows) rows, because no index covers "
                        + "\(name.schema).\(name.table).\(name.expression)", remedy: remedy))
        }
        if users.computesAddresses {
            report(
                .doubtful(
                    "look-ups", "finding a user by email reads all users, because the email is computed",
                    remedy: "use table columns, or coalesce() of table columns, in @email"))
        } else if users.knowsAddresses, missing.isEmpty {
            report(.well("look-ups", "every search for a user uses an index"))
        }
    }

    /// Checks that rows can be deleted without full scans of the tables that refer to them.
    mutating func checkIndexes(_ all: [UnindexedReference]) {
        let references = all.filter { $0.rows >= TableSize.many }
        if references.isEmpty { report(.well("indexes", "every foreign key of a large table has an index")) }
        for reference in references.prefix(Self.mostIndexes) {
            report(
                .doubtful(
                    "indexes",
                    "\(reference.table) (\(reference.columns)) refers to \(reference.referenced) without an index, "
                        + "\(reference.rows) rows", remedy: reference.index))
        }
        let more = references.count - Self.mostIndexes
        if more > 0 { report(.doubtful("indexes", "\(more) more foreign keys of large tables have no index")) }
    }

    private static let mostIndexes = 10
}
