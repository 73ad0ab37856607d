internal import Catalog

/// What slows a database down for want of an index, the most useful first.
extension Doctor {
    /// Whether users are found without reading all of them.
    mutating func checkLookUps(_ users: UserDirectory, _ trigrams: Trigrams) {
        let missing = users.missing([.address, .beginning, .anywhere])
        for index in missing {
            guard let statement = index.statement(trigrams) else { continue }
            report(.slowLookUp(index, remedy: statement))
        }
        if !users.knowsAddresses {
            report(.computedAddresses)
        } else if missing.isEmpty {
            report(.lookUps)
        }
    }

    /// Whether rows can be deleted without reading the tables that refer to them.
    mutating func checkIndexes(_ all: [UnindexedReference]) {
        let references = all.filter { $0.rows >= TableSize.many }
        if references.isEmpty { report(.indexes) }
        for reference in references.prefix(Self.mostIndexes) { report(.unindexed(reference)) }
        if references.count > Self.mostIndexes { report(.moreUnindexed(references.count - Self.mostIndexes)) }
    }

    private static let mostIndexes = 10
}
