package import PQ

/// What the catalog said of the indexes of some tables, and when that is still true: to ask takes a server that was just
/// connected to longer than to find somebody.
package struct KnownIndexes: Sendable {
    /// A table, with what tells whether its indexes are still the same.
    private struct Mark: Hashable {
        let table: RelationName
        let id: String
        let indexes: String
    }

    private let marks: Set<Mark>
    /// The answers to the questions of `AddressColumn.indexes`.
    let places: Rows
    let leads: Rows

    /// What was answered about the tables of some columns.
    package init(of names: [AddressColumn.Name], in tables: NamedTables, _ answers: [Rows]) throws(DecodingFailure) {
        guard answers.count == 2 else { throw .notA("answer", column: "table") }
        marks = Set(names.compactMap { Self.mark($0.relation.table, in: tables) })
        (places, leads) = (answers[0], answers[1])
    }

    private static func mark(_ name: RelationName, in tables: NamedTables) -> Mark? {
        tables.table(name).map { table in
            // How many values a column has may be another matter once a table is twice as big.
            let size = Int.bitWidth - table.rows.leadingZeroBitCount
            let indexes = arrayElements(table.indexes).compactMap(\.self).sorted()
            return Mark(table: name, id: table.id, indexes: "\(size) " + indexes.joined(separator: " "))
        }
    }

    /// The columns that stand in front in them, and that have to be readable.
    package var fronts: [RelationName] {
        leads.rows.compactMap { row in
            guard let table = row.shown("table")?.text, let mark = marks.first(where: { $0.id == table }) else {
                return nil
            }
            return RelationName(schema: mark.table.schema, name: mark.table.name, column: row.shown("name")?.text)
        }
    }

    /// Whether it still holds of the tables of some columns, as they are now.
    package func hold(of names: [AddressColumn.Name], in tables: NamedTables) -> Bool {
        names.allSatisfy { name in
            Self.mark(name.relation.table, in: tables).map(marks.contains) ?? true
        } && fronts.allSatisfy { tables.column($0)?.isReadable ?? false }
    }
}

extension KnownIndexes {
    /// The questions, which another version of the program may ask in another way.
    private static let questions = AddressColumn.indexes(about: []).map(\.sql).joined()

    /// All of it as a text.
    package var text: String {
        var parts: [String?] = [Self.questions, String(marks.count)]
        for mark in marks { parts += [mark.table.schema, mark.table.name, mark.id, mark.indexes] }
        for answer in [places, leads] {
            parts += [String(answer.columns.count), String(answer.rows.count)] + answer.columns.map(\.name)
            parts += answer.rows.flatMap { $0.values.map(\.text) }
        }
        return arrayLiteral(parts)
    }

    /// Reads such a text; nil for any other.
    package init?(text: String) {
        var parts = arrayElements(text)[...]
        func next() -> String? { parts.popFirst() ?? nil }
        func several(_ count: Int) -> [String?]? {
            guard count >= 0, parts.count >= count else { return nil }
            defer { parts = parts.dropFirst(count) }
            return Array(parts.prefix(count))
        }
        func rows() -> Rows? {
            guard let width = next().flatMap({ Int($0) }), let height = next().flatMap({ Int($0) }), width > 0,
                let names = several(width)?.compactMap(\.self), names.count == width
            else { return nil }
            let columns = names.map { Column(name: $0, type: .text) }
            var rows: [Row] = []
            for _ in 0..<max(0, height) {
                guard let values = several(width) else { return nil }
                rows.append(Row(columns: columns, values: values.map { Value($0) }))
            }
            return Rows(columns: columns, rows: rows, affected: rows.count)
        }
        guard next() == Self.questions, let count = next().flatMap({ Int($0) }), count >= 0 else { return nil }
        var marks: Set<Mark> = []
        for _ in 0..<count {
            guard let schema = next(), let name = next(), let id = next(), let indexes = next() else { return nil }
            marks.insert(Mark(table: RelationName(schema: schema, name: name), id: id, indexes: indexes))
        }
        guard let places = rows(), let leads = rows(), parts.isEmpty else { return nil }
        (self.marks, self.places, self.leads) = (marks, places, leads)
    }
}
