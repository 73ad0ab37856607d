internal import AppFile
internal import Catalog
package import PQ

/// What takes a statement so long, as far as the server tells.
package enum Slowness: Sendable, Hashable {
    case reading(LongReading)
    /// Somebody keeps others from reading, so that no index helps.
    case held([TableHolder])
}

/// A table that is read from one end to the other.
package struct LongReading: Sendable, Hashable {
    /// The table with its schema: of a part the whole.
    package let table: String
    /// The statements that make the indexes by which that would be spared; none where there are no such indexes.
    package let indexes: [String]

    /// A table, and what would spare reading it.
    package init(table: String, indexes: [String]) {
        self.table = table
        self.indexes = indexes
    }
}

/// A session that keeps others from a table.
package struct TableHolder: Sendable, Hashable {
    package let table: String
    package let process: Int
    package let role: String?
    /// The session for which it waits itself, where it does not have the table yet.
    package let behind: Int?

    /// Who holds a table, or waits for it.
    package init(table: String, process: Int, role: String?, behind: Int?) {
        self.table = table
        self.process = process
        self.role = role
        self.behind = behind
    }

    fileprivate init(_ row: Row) throws(DecodingFailure) {
        self.init(
            table: try row.text("schema") + "." + row.text("name"), process: try row.integer("pid"),
            role: try row.optionalText("role"), behind: try row.optionalInteger("behind"))
    }
}

extension ServerError {
    /// Whether what was asked was not answered in the time that it had.
    package var isLate: Bool { state == .queryCanceled && !wasCancelled || state == .lockNotAvailable }
}

extension ReadTransaction {
    /// What took some statements so long that one of them ended with an error; nil where it was not that, or nobody knows.
    package func slowness(of queries: [Query], after error: ServerError) -> Slowness? {
        guard error.isLate, !hasEnded else { return nil }
        if error.state == .lockNotAvailable { return holders(of: error.table) }
        // To plan takes a lock, too.
        let plans = (try? read(queries.map(ServerPlan.query), isLast: false, preparing: [Self.briefLocks])) ?? []
        for case .failure(let error) in plans where error.state == .lockNotAvailable {
            return holders(of: error.table)
        }
        return longestReading(in: plans.compactMap { try? ServerPlan($0.get()) }).map { .reading($0) }
    }

    /// The table of which plans read most, with the indexes that would spare that: first what takes longest, and all else that
    /// takes long.
    package func longestReading(in plans: [ServerPlan]) -> LongReading? {
        let scans = plans.flatMap(\.scans)
        let names = Array(Set(scans.map(\.table)))
        if names.isEmpty { return nil }
        let question = Query(
            file: "catalog/whole_tables.sql", [arrayLiteral(names.map(\.schema)), arrayLiteral(names.map(\.name))])
        guard let rows = try? read([question], isLast: false)[0].get() else { return nil }
        guard let wholes = try? WholeTable.all(rows, names) else { return nil }
        var parts: [Reading.Place: [ServerPlan.Scan]] = [:]
        for scan in scans {
            guard let table = wholes[scan.table] else { continue }
            parts[Reading.Place(table: table, column: scan.column), default: []].append(scan)
        }
        let readings = parts.map { Reading($0, $1) }.sorted { ($0.cost, $0.table) > ($1.cost, $1.table) }
        guard let longest = readings.first else { return nil }
        let indexes = longest.index == nil ? [] : readings.prefix(1) + readings.dropFirst().filter(\.isLong)
        return LongReading(table: longest.table, indexes: indexes.compactMap(\.index))
    }

    /// Who keeps others from a table, or from any where it is not known which.
    private func holders(of table: String?) -> Slowness? {
        let question = Query(file: "catalog/lock_holders.sql", [table])
        guard let rows = try? read([question], isLast: false)[0].get(), !rows.rows.isEmpty else { return nil }
        return (try? rows.rows.map(TableHolder.init)).map { .held($0) }
    }

    private static let briefLocks: Query = "set local lock_timeout = '100ms'"
}

/// A table that may have parts.
private struct WholeTable: Hashable {
    /// The name with its schema, and as SQL.
    let name, sql: String
    let isPartitioned: Bool
    /// Whether somebody may make an index on it.
    let isOwn: Bool

    private init(_ row: Row) throws(DecodingFailure) {
        let (schema, table) = (try row.text("schema"), try row.text("name"))
        name = schema + "." + table
        sql = Identifier(schema).quoted + "." + Identifier(table).quoted
        isPartitioned = try row.boolean("partitioned")
        isOwn = try row.boolean("own")
    }

    /// Those to which tables belong.
    static func all(_ rows: Rows, _ names: [TableName]) throws(DecodingFailure) -> [TableName: WholeTable] {
        var wholes: [TableName: WholeTable] = [:]
        for row in rows.rows { wholes[names[try row.integer("place") - 1]] = try WholeTable(row) }
        return wholes
    }
}

/// What the parts of a table take together.
private struct Reading {
    /// A table, and the column by which rows of it are wanted.
    struct Place: Hashable {
        let table: WholeTable
        let column: String?
    }

    let table: String
    let cost: Double
    /// The statement that makes an index by which they need not be read.
    let index: String?

    var isLong: Bool { cost > ServerPlan.mostCost }

    init(_ place: Place, _ scans: [ServerPlan.Scan]) {
        let whole = place.table
        table = whole.name
        let cost = scans.map(\.cost).reduce(0, +)
        self.cost = cost
        let rows = scans.map(\.rows).reduce(0, +)
        index = (whole.isOwn ? place.column : nil).flatMap { column in
            // Rows that an index finds cost a page each, by what planners count. Of what is computed they have no figures as
            // long as no index holds it.
            let isComputed = column.hasSuffix(")")
            guard isComputed || rows * Self.aPage < cost else { return nil }
            return IndexDraft(on: whole.sql, isPartitioned: whole.isPartitioned, keys: column).statement
        }
    }

    /// What it costs to fetch a page from anywhere, as planners count it.
    private static let aPage = 4.0
}
