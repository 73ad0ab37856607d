internal import AppFile
internal import Catalog
internal import EmbeddedSQL
internal import PQ

/// Taking an operation back: its changes with before and after exchanged, run like any other change.
struct Undo {
    let operation: String
    let command: String
    /// The users it was about.
    let users: [String]
    /// Tables that others refer to come first.
    let groups: [UndoGroup]
    /// What is left as it is, and why.
    let remarks: [String]

    /// In which order rows are removed, inserted and put back; constraints may allow only some of them.
    static let orders: [[RowChange.Kind]] = [
        [.insert, .delete, .update], [.delete, .update, .insert], [.update, .insert, .delete],
        [.insert, .update, .delete], [.update, .delete, .insert], [.delete, .insert, .update],
    ]

    /// The change that it comes to, in one of the orders.
    func work(_ order: [RowChange.Kind]) -> ChangeWork {
        let groups = groups
        let sorted = order.flatMap { kind in
            let own = groups.filter { $0.kind == kind }
            return kind == .insert ? own.reversed() : own
        }
        var work = ChangeWork(
            command: "audit undo", subject: users.isEmpty ? .nothing : .users, grade: .moderate,
            undoes: operation
        ) { _ in sorted.map(\.step) + (sorted.count > 1 ? sorted.compactMap(\.correction) : []) }
        work.users = users
        work.obstacles = groups.map(\.obstacles)
        work.verifications = groups.map(\.unrestored)
        work.remarks = remarks
        work.confines = groups.map(\.keys)
        return work
    }
}

extension Inquiry {
    /// What taking an operation back means, or why it cannot be.
    func undo(of operation: String) throws(Failure) -> Undo {
        let answers = try read(
            [
                ComposedQuery(engine: Ledger.undoOperation.sql, values: [operation]),
                ComposedQuery(engine: Ledger.undoGroups.sql, values: [operation]),
            ], isLast: false)
        guard case .success(let operations) = answers[0].result, let row = operations.first else {
            if case .failure(let error) = answers[0].result { throw Failure(error) }
            throw Failure(.notFound, "there is no operation \(operation)", hint: "`usher audit list` lists them")
        }
        try requireUndoable(row, operation)
        guard case .success(let rows) = answers[1].result else { throw Failure(.failed, "its changes cannot be read") }
        let recorded = try decoding(try rows.rows.map { row throws(DecodingFailure) in try RecordedChanges(row) })
        let shapes = try shapes(of: Set(recorded.compactMap(\.oid)))
        var groups: [UndoGroup] = []
        var remarks: [String] = []
        for changes in recorded {
            if changes.areErased {
                throw Failure(.refused, "what it changed was erased together with the person it was about")
            }
            let (table, kind) = (changes.table, changes.kind)
            if changes.areKeyless {
                remarks.append("rows that were added to \(table), which has no key, stay")
                continue
            }
            guard let shape = changes.oid.flatMap({ shapes[$0] }), !shape.key.isEmpty else {
                throw Failure(.refused, "\(table) is no longer what it was when the operation ran")
            }
            if kind == .delete, let secret = app.secret(in: shape) {
                throw Failure(
                    .refused, "\(table) holds \(secret), which is never recorded, so its rows cannot be made again")
            }
            if let secret = changes.secret {
                throw Failure(
                    .refused, "it changed \(secret) of \(table), which is never recorded, so nobody knows what it was")
            }
            let isReturning = kind == .delete && shape.isTriggeredByInsert
            if let names = changes.rewritten {
                remarks.append("\(names) of \(table) is left to the triggers that write it")
            } else if isReturning {
                remarks.append("columns that triggers of \(table) write are left to them")
            }
            if kind == .update, changes.columns.isEmpty { continue }
            groups.append(
                UndoGroup(
                    operation: operation, kind: kind, table: shape, columns: changes.columns, count: changes.count))
        }
        guard !groups.isEmpty else {
            throw Failure(
                .refused,
                (["nothing of what it did can be taken back"] + remarks.prefix(1)).joined(separator: ": "))
        }
        var seen: Set<String> = []
        let (command, users) = try decoding((try row.text("command"), try row.texts("users")))
        return Undo(
            operation: operation, command: command, users: users, groups: try sorted(groups),
            remarks: remarks.filter { seen.insert($0).inserted })
    }

    /// Groups in the order of their tables: those that others refer to first.
    private func sorted(_ groups: [UndoGroup]) throws(Failure) -> [UndoGroup] {
        let tables = Set(groups.map(\.table.oid)).sorted()
        let question = ComposedQuery(
            engine: EmbeddedSQL.text(of: "catalog/references_among.sql"), values: [arrayLiteral(tables)])
        let rows: Rows
        switch try read([question], isLast: false)[0].result {
        case .success(let found): rows = found
        case .failure(let error): throw Failure(error)
        }
        var referring: [String: [String]] = [:]
        for row in rows.rows {
            let (parent, child) = try decoding((try row.text("referenced"), try row.text("referring")))
            referring[parent, default: []].append(child)
        }
        let order = Components(from: tables) { referring[$0] ?? [] }.ordered.joined()
        return order.flatMap { table in groups.filter { $0.table.oid == table } }
    }

    private func requireUndoable(_ row: Row, _ operation: String) throws(Failure) {
        let (undone, isErased, isFinal) = try decoding(
            (try row.optionalText("undone_by"), try row.boolean("erased"), try row.boolean("final")))
        let (command, outcome, kind) = try decoding(
            (try row.text("command"), try row.text("outcome"), try row.text("kind")))
        if let undone {
            throw Failure(
                .refused, "it is undone already, by \(undone)", hint: "`usher audit undo \(undone)` does it again")
        }
        if isErased {
            throw Failure(.refused, "what it changed was erased together with the person it was about")
        }
        if isFinal { throw Failure(.refused, "\(command) cannot be undone") }
        guard ["committed", "partial", "running"].contains(outcome) else {
            throw Failure(.refused, "it was \(outcome); there is nothing to undo")
        }
        guard ["change", "undo", "batch"].contains(kind) else {
            throw Failure(.refused, "an operation of the kind \(kind) cannot be undone")
        }
    }

    private func shapes(of tables: Set<String>) throws(Failure) -> [String: TableShape] {
        let question = TableShape.query(of: tables.sorted())
        let answer = try read([ComposedQuery(engine: question.sql, values: question.parameters)], isLast: false)[0]
        switch answer.result {
        case .success(let rows):
            return try decoding { () throws(DecodingFailure) in try TableShape.shapes(rows) }
        case .failure(let error): throw Failure(error)
        }
    }
}

extension App {
    /// A column of a table that is never recorded.
    fileprivate func secret(in table: TableShape) -> String? {
        let secrets = Set((account?.secrets ?? []).map(\.column))
        return table.columns.first { secrets.contains("\(table.qualifiedName).\($0.name)") }?.name
    }
}

extension Ledger {
    static let undoOperation = Query(file: "catalog/undo_operation.sql")
    static let undoGroups = Query(file: "catalog/undo_groups.sql")
}

/// Changes of one kind that an operation made to the same columns of a table, as the ledger has them.
private struct RecordedChanges {
    let table: String
    /// The table that is called so now.
    let oid: String?
    let kind: RowChange.Kind
    let columns: [String]
    let areKeyless: Bool
    let count: Int
    let areErased: Bool
    let rewritten: String?
    let secret: String?

    init(_ row: Row) throws(DecodingFailure) {
        guard let kind = RowChange.Kind(rawValue: try row.text("kind")) else {
            throw .notA("kind of change", column: "kind")
        }
        self.kind = kind
        areErased = try row.integer("erased") > 0
        // Of what was erased nothing else is known.
        table = try areErased ? "" : row.text("table")
        oid = try row.optionalText("oid")
        columns = try row.texts("columns")
        areKeyless = try row.optionalBoolean("keyless") ?? false
        count = try row.integer("changes")
        rewritten = try row.optionalText("rewritten")
        secret = try row.optionalText("secret")
    }
}
