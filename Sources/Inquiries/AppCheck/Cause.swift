internal import AppFile
internal import Catalog
internal import PQ

/// Something that is not there: what findings have in common that come of one mistake.
struct Cause: Hashable {
    enum Kind: Hashable {
        case table, column, function, type

        /// What Postgres misses, by the state of its error.
        init?(_ state: SQLState) {
            switch state {
            case .undefinedTable, .undefinedSchema: self = .table
            case .undefinedColumn: self = .column
            case .undefinedFunction: self = .function
            case .undefinedObject: self = .type
            default: return nil
            }
        }
    }

    let kind: Kind
    /// The name as it is written, with what stands before its dots.
    let path: [String]

    /// Nil where nothing is named.
    init?(_ kind: Kind, _ path: [String]) {
        if path.isEmpty { return nil }
        (self.kind, self.path) = (kind, path)
    }

    /// What is the same wherever the mistake shows: a column goes by many aliases.
    var name: [String] { kind == .column ? path.suffix(1) : path }
}

/// One finding a mistake, with the name that was probably meant.
extension AppCheck {
    /// Puts together what comes of one mistake, at the first of its places, and looks for what was meant.
    mutating func settleFindings() throws(PQError) {
        // One mistake in a definition shows in every statement that uses it.
        var seen: Set<AppFinding> = []
        let distinct = findings.filter { finding in
            let place = finding.place
            return !broken.contains { $0.file == place.file && $0.range.contains(place.offset) }
                && seen.insert(finding).inserted
        }.sorted { ($0.place.file.name, $0.place.offset) < ($1.place.file.name, $1.place.offset) }
        var first: [Cause.Kind: [[String]: Int]] = [:]
        var kept: [AppFinding] = []
        for finding in distinct {
            if let cause = finding.cause, let known = first[cause.kind]?[cause.name] {
                kept[known].others.append(finding.place)
                continue
            }
            if let cause = finding.cause { first[cause.kind, default: [:]][cause.name] = kept.count }
            kept.append(finding)
        }
        let known = kept.contains { $0.cause != nil } ? try KnownNames(app, facts, transaction) : nil
        findings = kept.map { finding in
            var finding = finding
            finding.meant =
                finding.meant ?? finding.cause.flatMap { known?.nearest(to: $0, of: table(of: $0, at: finding.place)) }
            return finding
        }
    }

    /// The table that a column was looked for in, nil where that is not written beside it.
    private func table(of cause: Cause, at place: App.Place) -> TableName? {
        guard cause.kind == .column, cause.path.count > 1 else { return nil }
        if cause.path.count > 2 { return TableName(schema: cause.path[0], name: cause.path[1]) }
        let fragments = app.fragments + app.changingFragments
        return fragments.first { $0.file == place.file && !$0.tokens.isEmpty && $0.range.contains(place.offset) }?
            .tablesByAlias[cause.path[0]]
    }
}

/// What there is by name, for whoever mistyped one.
private struct KnownNames {
    private var names: [Cause.Kind: [[String]]] = [:]
    private var columns: [TableName: [String]] = [:]

    init(_ app: App, _ facts: [String], _ transaction: ReadTransaction) throws(PQError) {
        let tables = app.namedTables
        let rows = try transaction.read(
            Query(
                file: "catalog/known_names.sql",
                [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))]))
        do throws(DecodingFailure) {
            for row in rows.rows {
                let (schema, name) = (try row.optionalText("schema"), try row.text("name"))
                switch try row.text("kind") {
                case "column":
                    let column = try row.text("column")
                    names[.column, default: []].append([column])
                    columns[TableName(schema: schema ?? "", name: name), default: []].append(column)
                case "function": names[.function, default: []].append([schema, name].compactMap { $0 })
                case "type": names[.type, default: []].append([schema, name].compactMap { $0 })
                default: names[.table, default: []].append([schema, name].compactMap { $0 })
                }
            }
        } catch {
            throw .decoding(error)
        }
        names[.type, default: []].append(["secret"])
        names[.column, default: []] += facts.map { [$0] }
    }

    /// What was probably meant, of a column in its table where that is known.
    ///
    /// Nil where nothing is near, and where there is exactly that: then something else is wrong with it.
    func nearest(to cause: Cause, of table: TableName?) -> String? {
        let ofTable = table.flatMap { columns[$0] }.map { $0.map { [$0] } }
        guard let known = ofTable ?? names[cause.kind], !known.contains(cause.name) else { return nil }
        // What is written in quotes is no longer for them.
        let texts = known.map { $0.joined(separator: ".") }
        let near = AppFile.nearest(to: cause.name.joined(separator: "."), among: texts)
        return near.flatMap { texts.firstIndex(of: $0) }.map { SQLName.path(of: known[$0]) }
    }
}

extension App {
    /// The tables that the file names anywhere.
    fileprivate var namedTables: [TableName] {
        let required = requires.map { TableName(schema: $0.schema, name: $0.table) }
        return tables(readBy: fragments + changingFragments) + linePaths.compactMap(Self.table) + required
            + optional.map(\.table)
    }

    private static func table(of path: [String]) -> TableName? {
        path.count > 1 ? TableName(schema: path[0], name: path[1]) : nil
    }

    /// The tables, some with a column, that lines of settings and of the account speak of.
    private var linePaths: [[String]] {
        let lines = account.map { account in
            [account.root] + account.refers.flatMap { [$0.from] + ($0.to.map { [$0] } ?? []) }
                + account.ignored.map(\.pattern) + account.kept.map(\.table) + account.assignments.map(\.column)
                + account.shared.map(\.table) + account.owned.flatMap { [$0.from, $0.to] }
                + account.written.map(\.table)
                + account.secrets.map(\.column)
        }
        let paths = (lines ?? []).map { SQLName.parts(ofPath: String($0.prefix { $0 != "(" })) ?? [] }
        return paths
            + settings.flatMap { settings in
                let table = SQLName.parts(ofPath: settings.table) ?? []
                return [table] + settings.columns.map { table + [$0.name] }
            }
    }

    /// Whether anything of the file speaks of what may be missing; of a column by its name, since its table may be misspelt.
    func names(_ optional: Optional) -> Bool {
        let read = fragments + changingFragments
        guard let column = optional.column else {
            return linePaths.contains { Self.table(of: $0) == optional.table }
                || read.flatMap(\.relations).contains {
                    $0.schema == optional.table.schema && $0.name == optional.table.name
                }
        }
        return linePaths.contains { $0.dropFirst(2).first == column } || read.contains { $0.names(column) }
    }
}
