package import PQ

/// The number of rows that a session has inserted, updated and deleted, for each table.
///
/// The counts can include earlier transactions, even rolled-back ones, so only the difference between two readings is
/// useful.
package struct ChangeCounters: Sendable, Hashable {
    package struct Count: Sendable, Hashable {
        package var inserted = 0
        package var updated = 0
        package var deleted = 0

        package init(inserted: Int = 0, updated: Int = 0, deleted: Int = 0) {
            self.inserted = inserted
            self.updated = updated
            self.deleted = deleted
        }

        package var total: Int { inserted + updated + deleted }

        package static func + (a: Count, b: Count) -> Count {
            Count(
                inserted: a.inserted + b.inserted, updated: a.updated + b.updated, deleted: a.deleted + b.deleted)
        }

        package static func - (a: Count, b: Count) -> Count {
            Count(
                inserted: a.inserted - b.inserted, updated: a.updated - b.updated, deleted: a.deleted - b.deleted)
        }
    }

    /// The counts by the oid of the table.
    package private(set) var counts: [String: Count] = [:]

    /// A digest of the table definitions: it changes when a table is created, altered, truncated or dropped.
    private var tables = ""
    /// True if a table was created, altered, truncated or dropped since the earlier reading; the counts are then unknown.
    package private(set) var hasRemade = false
    /// The counters of other servers, if Citus stores rows there; `tables` doesn't include these servers.
    private var servers: String?
    package private(set) var areKept = true
    /// Tables on other servers that the transaction writes through a trigger, a rule or a function.
    ///
    /// usher can't count changes of these tables.
    package private(set) var elsewhere: [String] = []

    private init() {}

    package static let query = Query(file: "catalog/change_counters.sql")
    /// Reads the counters, also of other servers if Citus stores rows there.
    package static let everywhere = Query(file: "catalog/change_counters_everywhere.sql")
    package static var unknown: ChangeCounters {
        var unknown = ChangeCounters()
        unknown.areKept = false
        return unknown
    }

    package init(_ rows: Rows) throws(PQError) {
        for row in rows.rows {
            guard let table = try row.optionalText("table") else {
                tables = try row.text("tables")
                servers = try row.optionalText("servers")
                areKept = try row.boolean("kept")
                elsewhere = try row.texts("elsewhere")
                continue
            }
            counts[table] = Count(
                inserted: try row.integer("inserted"), updated: try row.integer("updated"),
                deleted: try row.integer("deleted"))
        }
    }

    /// The counts since an earlier reading of the same transaction.
    package func since(_ earlier: ChangeCounters) -> ChangeCounters {
        var difference = self
        difference.areKept = areKept && earlier.areKept && servers == earlier.servers
        difference.hasRemade = areKept && earlier.areKept && !earlier.tables.isEmpty && tables != earlier.tables
        for (table, count) in counts {
            let rest = count - (earlier.counts[table] ?? Count())
            difference.counts[table] = rest.total == 0 ? nil : rest
        }
        return difference
    }
}

extension ChangeCounters {
    /// The counts by table; the rows of a partition count for the partitioned table.
    package func byTable(in graph: Graph) -> [UInt32: Count] {
        var sums: [UInt32: Count] = [:]
        for (text, count) in counts {
            guard let oid = UInt32(text), graph.tables[oid] != nil else { continue }
            let whole = graph.whole(oid)
            sums[whole] = (sums[whole] ?? .init()) + count
        }
        return sums
    }
}

/// The condition that this transaction or one of its savepoints wrote the row `t`.
///
/// Only this transaction can see a row whose writer is in progress. The condition tests the age first, because the server
/// doesn't keep the status of old transactions.
package let ownWrite = """
    case when pg_catalog.age(t.xmin) <= pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) \
    then pg_catalog.pg_xact_status((pg_catalog.pg_current_xact_id()::pg_catalog.text::pg_catalog.numeric \
    + pg_catalog.age(pg_catalog.pg_current_xact_id()::pg_catalog.xid) - pg_catalog.age(t.xmin)\
    )::pg_catalog.text::pg_catalog.xid8) operator(pg_catalog.=) 'in progress' else false end
    """
