internal import AppFile
internal import Asking
internal import Catalog
package import Inquiries
internal import PQ

/// A right that this role lacks.
package struct MissingRight: Sendable, Hashable {
    package let right: Need.Privilege
    /// What it is on, as SQL reads it; a function with its arguments.
    package let path: String
    /// The columns that it is about; none where it is about the whole.
    package let columns: [String]

    package init(_ right: Need.Privilege, on path: String, columns: [String] = []) {
        (self.right, self.path, self.columns) = (right, path, columns)
    }
}

/// A right that work on an account needs.
enum NeededRight: Hashable {
    /// On all of some columns of a table; none where it is about rows as a whole, or any column will do.
    case on(Need.Privilege, UInt32, columns: Set<String>)
    case onAll(Need.Privilege, UInt32)
    /// On the sequences from which other columns of new rows are filled.
    case defaults(UInt32, besides: Set<String>)
    case call([String])
    case count([String])

    /// Those of some rights that a role lacks, by their places: this role, or whoever is given nothing of its own.
    static func missing(
        _ needed: [NeededRight], ofEverybody: Bool = false, asking ask: Ask
    ) throws(Failure) -> [Int: [Need]] {
        if needed.isEmpty { return [:] }
        let asked = needed.enumerated().flatMap { place, need in need.asked.map { (place: String(place), need: $0) } }
        let query = Query(
            file: "catalog/missing_rights.sql",
            [
                arrayLiteral(asked.map(\.place)), arrayLiteral(asked.map(\.need.privilege)),
                arrayLiteral(asked.map(\.need.table)), arrayLiteral(asked.map(\.need.name)),
                arrayLiteral(asked.map(\.need.column)), ofEverybody ? "public" : nil,
            ])
        let answer = try ask([query])[0]
        return try decoding { () throws(DecodingFailure) in
            var missing: [Int: [Need]] = [:]
            for row in answer.rows {
                let (schema, name) = (try row.text("schema"), try row.text("name"))
                guard let privilege = Need.Privilege(rawValue: try row.text("privilege")) else { continue }
                let columns = try row.texts("columns")
                let needs =
                    columns.isEmpty
                    ? [Need(privilege, schema, name)] : columns.map { Need(privilege, schema, name, $0) }
                missing[try row.integer("place"), default: []] += needs
            }
            return missing
        }
    }

    /// A right that a role lacks, and what of a trigger's work needs it; nil for the work of the role itself.
    typealias Lacking = (need: Need, use: TriggerWrites.Use?)

    /// Those of some rights that this role lacks, each with what needs it, by their places.
    static func lacking(
        _ needed: [(right: NeededRight, use: TriggerWrites.Use?)], _ missing: [Int: [Need]]
    ) -> [Lacking] {
        needed.enumerated().flatMap { place, needed in (missing[place] ?? []).map { ($0, needed.use) } }
    }

    /// The same, each right once, with the trigger that needs it first, and the columns of one table together.
    static func told(_ lacking: [Lacking]) -> [(missing: MissingRight, trigger: TriggerEffect?)] {
        var (triggers, told): ([TriggerEffect?], Set<Need>) = ([], [])
        for trigger in lacking.map(\.use?.trigger) where !triggers.contains(trigger) { triggers.append(trigger) }
        return triggers.flatMap { trigger in
            let needs = lacking.filter { $0.use?.trigger == trigger }.map(\.need).filter { told.insert($0).inserted }
            return needs.missing.map { ($0, trigger) }
        }
    }

    private var asked: [(privilege: String, table: String, name: String, column: String)] {
        switch self {
        case .on(let privilege, let table, let columns):
            (columns.isEmpty ? [""] : columns.sorted()).map { (privilege.rawValue, String(table), "", $0) }
        case .onAll(let privilege, let table): [(privilege.rawValue, String(table), "", "*")]
        case .defaults(let table, let columns): [("default", String(table), "", arrayLiteral(columns.sorted()))]
        case .call(let name): [("execute", "0", SQLName.path(of: name), "")]
        case .count(let name): [("usage", "0", SQLName.path(of: name), "")]
        }
    }
}

extension [Need] {
    /// The same with the columns of one table together.
    var missing: [MissingRight] {
        var (order, columns): ([MissingRight], [MissingRight: [String]]) = ([], [:])
        for need in self {
            let whole = MissingRight(need.privilege, on: need.path)
            if columns[whole] == nil { order.append(whole) }
            columns[whole, default: []] += [need.column].compactMap(\.self).filter {
                columns[whole]?.contains($0) != true
            }
        }
        return order.map { MissingRight($0.right, on: $0.path, columns: (columns[$0] ?? []).sorted()) }
    }
}
