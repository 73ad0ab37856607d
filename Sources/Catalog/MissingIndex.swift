internal import PQ

/// An index that would make a lookup of users fast for any number of users.
package struct MissingIndex: Sendable, Hashable {
    package enum Purpose: Sendable, Hashable, CaseIterable { case address, beginning, anywhere }

    package let purpose: Purpose
    package let column: AddressColumn

    package init(purpose: Purpose, column: AddressColumn) {
        self.purpose = purpose
        self.column = column
    }

    /// The statements that create the index and the extension that it needs; empty if the extension is not available.
    package func statements(_ trigrams: Trigrams) -> [String] {
        let name = column.name
        let plain = Identifier(name.column).quoted
        // The text after the column is a path into its JSON.
        let lowered = "lower(" + (name.expression == name.column ? plain + "::text" : plain + name.path) + ")"
        func index(_ operators: String = "", method: String? = nil) -> String {
            indexStatement(
                on: Identifier(name.schema).quoted + "." + Identifier(name.table).quoted,
                isPartitioned: column.isPartitioned, keys: lowered + operators, method: method)
        }
        switch purpose {
        case .address: return [index()]
        case .beginning: return [index(" text_pattern_ops")]
        case .anywhere:
            switch trigrams {
            case .installed(let schema): return [index(" \(schema).gin_trgm_ops", method: "gin")]
            case .available:
                return [
                    "create extension if not exists pg_trgm schema public",
                    index(" public.gin_trgm_ops", method: "gin"),
                ]
            case .unknown: return []
            }
        }
    }
}

extension AddressColumn.Name {
    fileprivate var path: String { String(expression.dropFirst(column.count)) }
}

extension AddressColumn {
    /// True if an index finds an email in any letter case.
    package var findsAddresses: Bool { indexes.contains { $0.isLowered && $0.finds } }

    /// True if an index finds an email exactly as stored.
    ///
    /// Only a unique index counts, because it shows that the app distinguishes upper and lower case.
    package var findsLetters: Bool { indexes.contains { !$0.isLowered && $0.finds && $0.isUnique && $0.lead == nil } }

    package func serves(_ purpose: MissingIndex.Purpose) -> Bool {
        switch purpose {
        case .address: findsAddresses
        case .beginning: indexes.contains { $0.isLowered && $0.sorts }
        case .anywhere: indexes.contains { $0.isLowered && $0.isTrigram && $0.isComplete && $0.lead == nil }
        }
    }
}
