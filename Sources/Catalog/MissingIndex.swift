internal import PQ

/// An index that would make finding users independent of their number.
package struct MissingIndex: Sendable, Hashable {
    /// What it would be for.
    package enum Purpose: Sendable, Hashable, CaseIterable { case address, beginning, anywhere }

    package let purpose: Purpose
    package let column: AddressColumn

    /// An index on a column.
    package init(purpose: Purpose, column: AddressColumn) {
        self.purpose = purpose
        self.column = column
    }

    /// The table as SQL.
    package var table: String { Identifier(column.name.schema).quoted + "." + Identifier(column.name.table).quoted }

    /// The statement that makes it; nil where the server could not.
    package func statement(_ trigrams: Trigrams) -> String? {
        let name = column.name
        let plain = Identifier(name.column).quoted
        // What stands behind the column is a path into its JSON, as it was written.
        let lowered = "lower(" + (name.expression == name.column ? plain + "::text" : plain + name.path) + ")"
        let head = "create index concurrently on \(table) "
        switch purpose {
        case .address: return head + "(\(lowered))"
        case .beginning: return head + "(\(lowered) text_pattern_ops)"
        case .anywhere:
            switch trigrams {
            case .installed(let schema): return head + "using gin (\(lowered) \(schema).gin_trgm_ops)"
            case .available:
                return "create extension if not exists pg_trgm schema public; "
                    + "\(head)using gin (\(lowered) public.gin_trgm_ops)"
            case .unknown: return nil
            }
        }
    }
}

extension AddressColumn.Name {
    /// What stands behind the column in the expression.
    fileprivate var path: String { String(expression.dropFirst(column.count)) }
}

extension AddressColumn {
    /// Whether an index finds an address in any letter case.
    package var findsAddresses: Bool { indexes.contains { $0.isLowered && $0.finds } }

    /// Whether an index finds an address in the letters in which it stands, and the app takes them for somebody's own.
    package var findsLetters: Bool { indexes.contains { !$0.isLowered && $0.finds && $0.isUnique && $0.lead == nil } }

    /// Whether there is an index for a purpose.
    package func serves(_ purpose: MissingIndex.Purpose) -> Bool {
        switch purpose {
        case .address: findsAddresses
        case .beginning: indexes.contains { $0.isLowered && $0.sorts }
        case .anywhere: indexes.contains { $0.isLowered && $0.isTrigram && $0.isComplete && $0.lead == nil }
        }
    }
}
