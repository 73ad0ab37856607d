internal import PQ

/// An index that would make a lookup of users fast for any number of users.
package struct MissingIndex: Sendable {
    package enum Purpose: Sendable, CaseIterable { case address, beginning, anywhere }

    package let purpose: Purpose
    package let column: AddressColumn

    /// Creates the index for a purpose; nil if the table is small, or if an index of the column serves the purpose.
    package init?(_ purpose: Purpose, of column: AddressColumn) {
        let isServed =
            switch purpose {
            case .address: !column.scansForAddresses
            case .beginning: column.lowered.contains { $0.prefix != nil }
            case .anywhere: column.lowered.contains { $0.trigrams != nil }
            }
        if isServed || !column.isOfMany { return nil }
        self.purpose = purpose
        self.column = column
    }

    /// The statements that create the index, and the extension that it needs.
    ///
    /// `trigrams` is the schema of the extension pg_trgm; nil if the server doesn't have it, and then no statement helps.
    package func statements(trigrams: String?) -> [String] {
        let name = column.name
        let plain = Identifier(name.column).quoted
        // The text after the column is a path into its JSON.
        let path = name.expression.dropFirst(name.column.count)
        let lowered = "lower(" + plain + (path.isEmpty ? "::text" : path) + ")"
        func index(_ operators: String = "", method: String? = nil) -> String {
            indexStatement(
                on: Identifier(name.schema).quoted + "." + Identifier(name.table).quoted,
                isPartitioned: column.isPartitioned, keys: lowered + operators, method: method)
        }
        switch purpose {
        case .address: return [index()]
        case .beginning: return [index(" text_pattern_ops")]
        case .anywhere:
            guard let trigrams else { return [] }
            return [
                "create extension if not exists pg_trgm schema \(trigrams)",
                index(" \(trigrams).gin_trgm_ops", method: "gin"),
            ]
        }
    }
}

/// The statement that creates an index; `table` and `keys` must be quoted SQL.
///
/// Postgres can't create an index of a partitioned table concurrently.
package func indexStatement(on table: String, isPartitioned: Bool, keys: String, method: String? = nil) -> String {
    "create index\(isPartitioned ? "" : " concurrently") on \(table) \(method.map { "using \($0) " } ?? "")(\(keys))"
}
