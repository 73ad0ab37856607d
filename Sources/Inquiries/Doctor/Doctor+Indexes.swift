internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The missing indexes, the most useful first.
extension Doctor {
    /// An index that finds users without reading all of them, and is missing; and what makes it.
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

    /// True if users are found without reading all of them.
    mutating func checkLookUps(_ users: UserDirectory, _ missing: [MissingLookUp]) {
        for (index, remedy) in missing {
            if let remedy { report(.slowLookUp(index, remedy: remedy)) }
        }
        if users.computesAddresses {
            report(.computedAddresses)
        } else if users.knowsAddresses, missing.isEmpty {
            report(.lookUps)
        }
    }

    /// True if rows can be deleted without reading the tables that refer to them.
    mutating func checkIndexes(_ all: [UnindexedReference]) {
        let references = all.filter { $0.rows >= TableSize.many }
        if references.isEmpty { report(.indexes) }
        for reference in references.prefix(Self.mostIndexes) { report(.unindexed(reference)) }
        if references.count > Self.mostIndexes { report(.moreUnindexed(references.count - Self.mostIndexes)) }
    }

    private static let mostIndexes = 10
}
