import Asking
package import PQ
package import Terminal

extension Context {
    /// Writes one report in the chosen format: document, records, key, or lines for people.
    ///
    /// Without `records`, each element of the field `list` is a record; without `list`, the document is the only
    /// record. `columns` are the columns of an empty list. After a change, a closed pipe is not a failure.
    func writePage(
        json: @autoclosure () -> JSON.Members, records: @autoclosure () -> [Row]? = nil, list: String? = nil,
        columns: [Column] = [], key: String, screen lines: @autoclosure () -> [SafeText]
    ) throws(Failure) {
        try report { () throws(Failure) in
            switch options.format {
            case .table where options.fields.isEmpty: screen.write(lines())
            case .name:
                if let record = (records() ?? Row.records(of: json(), list)).first {
                    _ = try Fields.indices(of: options.fields, in: record.columns.map(\.name))
                }
                // `key` may contain several keys, one per line.
                screen.write(key.split(separator: "\n").map { SafeText(String($0)) })
            case .json, .ndjson:
                let place: JSON.Members = options.member.map { [(Member.column, $0)] } ?? []
                let written = json()
                let members = place + written + (notes.lag.map { [("standby", $0)] } ?? [])
                write(document: try Fields.document(members, options))
            case .table, .csv, .tsv:
                try RecordWriter(self).write(records() ?? Row.records(of: json(), list), columns: columns)
            }
        }
    }

    /// True if the output is a screen for people, without columns chosen by --fields.
    var showsScreen: Bool { options.format == .table && options.fields.isEmpty }

    /// Writes one document, indented on a terminal; in a fleet, the document contains the name of its database.
    func write(document: JSON) {
        let isPretty = options.format == .json && screen.isTerminal
        screen.data(Array((placed(document).text(pretty: isPretty) + "\n").utf8))
    }

    /// Adds the name of the database to a document or to each document of a list, if the command runs in a fleet.
    func placed(_ document: JSON) -> JSON {
        guard let name = options.member else { return document }
        switch document {
        case .object(let members) where members.first?.key != Member.column:
            return .object([JSON.Member(Member.column, .string(name))] + members)
        case .array(let documents): return .array(documents.map(placed))
        default: return document
        }
    }
}

extension Row {
    fileprivate static func records(of document: JSON.Members, _ list: String?) -> [Row] {
        guard let list else { return [Row(document)] }
        guard case .array(let elements)? = document.first(where: { $0.0 == list })?.1.json else { return [] }
        return elements.compactMap { element in
            if case .object(let members) = element { Row(members.map { ($0.key, $0.value) }) } else { nil }
        }
    }

    /// A record with the fields of a document; lists and objects become JSON text.
    fileprivate init(_ members: JSON.Members) {
        self.init(
            columns: members.map { Column(name: $0.0, type: .text) },
            values: members.map(\.1.json).map { Value($0 == .null ? nil : $0.scalar ?? $0.text()) })
    }
}

extension Lag: JSONConvertible {
    package var json: JSON {
        JSON([("replayed", replayed.map(MachineText.time)), ("seconds", seconds.map { JSON.number("\($0)") })])
    }
}
