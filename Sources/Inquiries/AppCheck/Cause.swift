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
            finding.meant = finding.meant ?? finding.cause.flatMap { known?.nearest(to: $0) }
            return finding
        }
    }
}

/// What there is by name, for whoever mistyped one.
private struct KnownNames {
    private var names: [Cause.Kind: [String]] = [:]

    init(_ app: App, _ facts: [String], _ transaction: ReadTransaction) throws(PQError) {
        let tables = app.namedTables
        let rows = try transaction.read(
            Query(
                file: "catalog/known_names.sql",
                [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))]))
        do throws(DecodingFailure) {
            for row in rows.rows {
                let kind: Cause.Kind =
                    switch try row.text("kind") {
                    case "column": .column
                    case "function": .function
                    case "type": .type
                    default: .table
                    }
                let path = [try row.optionalText("schema"), try row.text("name")].compactMap { $0 }
                names[kind, default: []].append(SQLName.path(of: path))
            }
        } catch {
            throw .decoding(error)
        }
        names[.type, default: []].append("secret")
        names[.column, default: []] += facts.map { SQLName.path(of: [$0]) }
    }

    /// Nil where nothing is near, and where there is exactly that: then something else is wrong with it.
    func nearest(to cause: Cause) -> String? {
        let written = SQLName.path(of: cause.name)
        guard let known = names[cause.kind], !known.contains(written) else { return nil }
        return AppFile.nearest(to: written, among: known)
    }
}

extension App {
    /// The tables that the file names anywhere.
    fileprivate var namedTables: [TableName] {
        let lines =
            (account.map { account in
                [account.root] + account.references.flatMap { [$0.from, $0.to] } + account.kept.map(\.name)
                    + account.owned.flatMap { [$0.from, $0.to] } + account.detached.map(\.column)
                    + account.anonymised.map(\.column) + account.mentions.map(\.column) + account.plain.map(\.pattern)
                    + account.secrets.map(\.column)
            } ?? []) + settings.map(\.table)
        let ofLines = lines.compactMap { line -> TableName? in
            let parts = SQLName.parts(ofPath: String(line.prefix { $0 != "(" })) ?? []
            return parts.count > 1 ? TableName(schema: parts[0], name: parts[1]) : nil
        }
        let required = requires.map { TableName(schema: $0.schema, name: $0.table) }
        return tables(readBy: fragments + changingFragments) + ofLines + required
    }
}
