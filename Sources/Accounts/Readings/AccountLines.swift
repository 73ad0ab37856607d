package import AppFile
package import Asking
internal import Catalog
package import Inquiries
package import PQ

/// What the lines of an app file say of single columns, of rows that others share and of what triggers write; and so which
/// columns are settled.
struct AccountLines {
    let detached: Set<Reading.Key>
    /// Columns that are emptied, or from which the person is taken out, whatever leads to their rows.
    let emptied: Set<Reading.Key>
    /// Columns that hold the person for good, and why.
    let kept: [Reading.Key: String]
    /// Columns whose rows take along what they refer to, where nobody else refers to it.
    let owned: Set<Reading.Key>
    let shared: [UInt32: App.Account.Collateral]
    let written: [UInt32: App.Account.Written]
    /// The tables to which functions write, of which that cannot be read.
    let writers: [[String]: [UInt32]]
    /// The tables to which the account adds something before it goes, and what for.
    let added: [UInt32: String]
    private let mentioned: Set<Reading.Key>
    /// Columns that a line names, whatever it says of them; and those that it says refer to something, by themselves or in an
    /// expression over their table.
    private let named: Set<Reading.Key>
    private let referring: Set<Reading.Key>
    /// The columns that expressions speak of which lead somewhere.
    private let expressed: Set<Reading.Key>
    /// Texts and documents from which the person is taken out, and the rest of which stays.
    private let rewritten: Set<Reading.Key>
    /// Rows of a table that stay and are not all of it.
    let partly: [UInt32: [Partly]]
    private let plain: [App.Account.Plain]

    init(_ account: App.Account?, _ graph: Graph) {
        func keys(_ names: [String]) -> Set<Reading.Key> { Set(names.compactMap { Reading.Key($0, graph) }) }
        detached = keys(account?.detached.map(\.column) ?? [])
        let kept = (account?.kept ?? []).compactMap { line in
            line.column.flatMap { Reading.Key($0, graph) }.map { ($0, line.why) }
        }
        self.kept = Dictionary(kept) { first, _ in first }
        owned = keys(account?.owned.map(\.from) ?? [])
        emptied = detached.union(keys(account?.mentions.filter { $0.answer != .keep }.map(\.column) ?? []))
        plain = account?.plain ?? []
        mentioned = keys(account?.mentions.filter { $0.answer == .keep }.map(\.column) ?? [])
        func tables<Line>(_ lines: [Line], _ name: (Line) -> String) -> [UInt32: Line] {
            let found = lines.compactMap { line in graph.table(at: name(line)).map { ($0.oid, line) } }
            return Dictionary(found) { first, _ in first }
        }
        shared = tables(account?.collateral ?? []) { $0.table }
        written = tables(account?.fates ?? []) { $0.table }
        let writers = (account?.writers ?? []).map { line in
            (
                SQLName.parts(ofPath: line.function) ?? [],
                [line.table.flatMap { graph.table(at: $0)?.oid }].compactMap(\.self)
            )
        }
        self.writers = Dictionary(writers, uniquingKeysWith: +)
        let additions = (account?.additions ?? []).compactMap { target, statement in
            graph.table("\(target.table.schema).\(target.table.name)").map { ($0.oid, statement.summary) }
        }
        added = Dictionary(additions) { first, _ in first }
        let anonymised = keys(account?.anonymised.map(\.column) ?? [])
        let texts = keys((account?.mentions.map(\.column) ?? []) + (account?.secrets.map(\.column) ?? []))
        named = Set(self.kept.keys).union(detached).union(owned).union(anonymised).union(texts)
        var (referring, expressed): (Set<Reading.Key>, Set<Reading.Key>) = ([], [])
        // What leads to nothing that is there settles nothing.
        for reference in account?.references ?? []
        where AccountMap.DeclaredSide.table(of: reference.to, in: graph) != nil {
            let side = reference.from
            if let open = side.firstIndex(of: "(") {
                guard let table = AccountMap.DeclaredSide.table(of: side, in: graph) else { continue }
                for name in SQLName.all(in: String(side[open...])) {
                    expressed.insert(Reading.Key(table: table, column: name))
                }
            } else if let column = Reading.Key(side, graph) {
                referring.insert(column)
            }
        }
        (self.referring, self.expressed) = (referring.subtracting(self.kept.keys), expressed)
        rewritten = keys(account?.mentions.filter { $0.answer == .anonymise }.map(\.column) ?? [])
        var partly: [UInt32: [Partly]] = [:]
        for line in account?.kept ?? [] where !line.way.isAll {
            guard let table = graph.table(at: line.name)?.oid else { continue }
            partly[table, default: []].append(Partly(way: line.way, why: line.why, isOverwritten: false))
        }
        for line in account?.anonymised ?? [] {
            guard let via = line.via, let table = Reading.Key(line.column, graph)?.table else { continue }
            let way = App.Account.Way(via: via)
            if partly[table]?.contains(where: { $0.way == way && $0.isOverwritten }) == true { continue }
            partly[table, default: []].append(Partly(way: way, why: line.why, isOverwritten: true))
        }
        self.partly = partly
    }

    /// Rows of a table that stay: those that come by a column, those that meet a condition.
    struct Partly {
        let way: App.Account.Way
        let why: String
        /// Whether columns of theirs are overwritten.
        let isOverwritten: Bool

        /// Whether rows that come by a link come by the way that it names.
        func isBy(_ link: AccountLink) -> Bool { way.column.map(link.holds) ?? false }
    }

    /// Whether a column refers to nothing, whatever it looks like.
    func isPlain(_ column: [String]) -> Bool { plain.contains { $0.covers(column) } }

    /// Whether a line says what a column refers to.
    func refers(_ column: Reading.Key) -> Bool {
        referring.contains(column) || expressed.contains(column)
    }

    /// Whether a line names a column.
    func names(_ column: Reading.Key) -> Bool { named.contains(column) || refers(column) }

    /// How many columns they name.
    var count: Int { named.union(referring).union(expressed).count + plain.count }

    /// Whether what triggers write into a table stays by a line.
    func keepsWritten(_ table: UInt32) -> Bool { written[table]?.answer == .keep }

    /// Why a line has whoever stands in a column stay there, of these columns; nil where none does.
    func reason(_ column: Reading.Key, of columns: [String] = []) -> AccountPlan.Reason? {
        kept[column].map { .declared($0) } ?? (mentioned.contains(column) ? .mentioned(columns: columns) : nil)
    }

    /// Whether what stands in a column was meant to stay, as all does that triggers write and a line keeps.
    func stays(_ column: Reading.Key) -> Bool {
        kept[column] != nil || mentioned.contains(column) || keepsWritten(column.table)
    }

    /// Whether rows take along what a link leads to.
    func owns(_ link: AccountLink) -> Bool {
        link.reference?.columns.contains { owned.contains(Reading.Key(table: link.child, column: $0.name)) } ?? false
    }

    /// The columns of a table of which lines say that what stands there stays.
    func stayingColumns(of table: UInt32) -> [String] {
        mentioned.union(kept.keys).filter { $0.table == table }.map(\.column).sorted()
    }

    /// Whether the person is taken out of what a column says, and the rest of it stays.
    func rewrites(_ reading: Reading) -> Bool {
        let isText = reading.column.kind == .text || ["json", "jsonb"].contains(reading.column.type)
        return isText && !reading.column.isList && rewritten.contains(reading.column.key)
    }

    /// Whether a line takes the person out of a column, which nobody who deletes is asked about then.
    func empties(_ reading: Reading) -> Bool { emptied.contains(reading.column.key) }

    /// Whether a row is to lose what it refers with, rather than go.
    func detaches(_ link: AccountLink) -> Bool {
        let names = link.column.map { [$0] } ?? link.reference.map { $0.columns.map(\.name) } ?? []
        return names.contains { detached.contains(Reading.Key(table: link.child, column: $0)) }
    }
}

extension App.Account.Collateral {
    /// What becomes of the rows; those that go over to somebody lose whom they were of.
    var fate: AccountAnswer {
        switch answer {
        case .delete: .delete
        case .keep: .keep
        case .detach, .reassign: .detach
        }
    }

    /// Whom they go over to, as SQL.
    var heir: String? { if case .reassign(let expression) = answer { expression } else { nil } }
}

extension App.Account.Anonymised {
    /// The column without its table.
    var name: String { SQLName.parts(ofPath: column)?.last ?? column }
}

extension App.Account.Way {
    /// The column by which rows come that a line is about; nil where it is about all of them.
    var column: String? { via.map { SQLName.parts(ofPath: $0)?.first ?? $0 } }
}

extension App {
    /// The lines about what triggers write that speak of nothing any of them does.
    package func idleLines(on connection: Connection, options: InquiryOptions) throws(Failure) -> [AppFinding] {
        guard let account, !account.written.isEmpty || !account.writers.isEmpty else { return [] }
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: options.timeout))
        defer { try? transaction.end() }
        let ask: Ask = { queries throws(Failure) in try transaction.ask(queries) }
        let map: AccountMap
        do throws(Failure) {
            map = try AccountMap(
                of: try AccountStart.find(try AccountRoot.Name(account.root), account: account, of: self, asking: ask),
                asking: ask)
        } catch {
            // A root that is not there, or is none, is said already.
            guard [.notFound, .usage].contains(error.kind) else { throw error }
            return []
        }
        let writes = try TriggerWrites(of: map, asking: ask)
        // A rule may do something else than a statement says.
        let rules = map.events.keys.compactMap { map.graph.tables[$0] }.filter(\.isRuled).map(\.path)
        let unread = Set(writes.unread.map(\.function) + rules).sorted()
        let functions = Set(writes.known.compactMap { SQLName.parts(ofPath: $0.function) })
        let nowhere = account.writers.filter { !functions.contains(SQLName.parts(ofPath: $0.function) ?? []) }
        // Where the one that is meant writes, its line would say.
        if !nowhere.isEmpty {
            return nowhere.map {
                AppFinding(.noTrigger(function: $0.function), at: $0.place.narrowed(to: $0.function))
            }
        }
        return account.written.compactMap { line in
            guard let table = map.graph.table(at: line.table) else { return nil }
            let own = writes.all.filter { $0.table == table }
            let rights = Set(own.map(\.right)).subtracting([.delete])
            let place = line.place.narrowed(to: line.table)
            if rights.isEmpty { return AppFinding(.nobodyWrites(table: line.table, unread: unread), at: place) }
            guard line.answer == .remove else { return nil }
            if !rights.contains(.insert) { return AppFinding(.onlyChanges(table: line.table), at: place) }
            let isChanged = own.contains { $0.right == .update && !$0.isDeclared }
            return isChanged && table.key.isEmpty ? AppFinding(.changesToo(table: line.table), at: place) : nil
        }
    }
}
