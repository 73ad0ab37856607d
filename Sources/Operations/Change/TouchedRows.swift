internal import AppFile
internal import Catalog
internal import PQ

/// What one pass over the statements of a change came to.
struct ChangePass {
    var versions = RowVersions()
    /// The columns that the statements assign, by table; nothing for a table that triggers alone write.
    var assigned: [TableName: Set<String>] = [:]
    /// How many rows the statements say they wrote, by what they wrote.
    private(set) var told: [WrittenRelation: Int] = [:]

    mutating func add(_ step: ChangeStep, _ rows: Rows) throws(DecodingFailure) {
        if step.tellsVersions { versions.add(rows) }
        for target in step.targets { assigned[target.table, default: []].formUnion(target.assigned ?? []) }
        if let target = step.counted { told[target.relation, default: 0] += try rows.written() }
    }
}

/// Finds every row that the statements of a change touch, triggers and cascades included: learn, roll back, snapshot,
/// run, compare.
///
/// The tables are those whose counters moved. The rows come from what the statements return; where that is not all the
/// server counted, from the row versions themselves. What is counted and not found stops the change.
struct TouchedRows {
    let transaction: ChangeTransaction
    /// What the statements write.
    let relations: WrittenRelations
    /// Columns that are never recorded, as `schema.table.column`.
    let secrets: Set<String>
    /// Tells whether a secret changed, and means nothing to the next one who asks.
    private let salt = OperationID.make()

    init(transaction: ChangeTransaction, writing relations: WrittenRelations, secrets: Set<String>) {
        self.transaction = transaction
        self.relations = relations
        self.secrets = secrets
    }

    private typealias Keys = Set<[String]>
    private typealias Image = (key: [String], image: String)
    /// Where the statements begin, to come back to.
    static let start = Identifier("learn")

    /// Runs the statements for good and returns what they changed, to the last row that the server counted.
    ///
    /// The pass is called twice and has to do the same both times.
    func changes(of pass: () throws(Failure) -> ChangePass) throws(Failure) -> (
        changes: [RowChange], tables: [TableShape]
    ) {
        try transaction.mark(Self.start)
        let (images, learned) = try learn(pass)
        let (done, counters) = try counted(pass)
        let shapes = try shapes(of: counters)
        // Temporary ones may be made anew each time, and concern nobody.
        guard Set(shapes.keys) == learned else {
            throw Failure(.failed, "the statements touch other tables each time they run")
        }
        let written = try written(done, counters, shapes)
        var changes: [RowChange] = []
        for shape in shapes.values.sorted(by: { $0.qualifiedName < $1.qualifiedName }) {
            guard let count = counters.counts[shape.oid] else { continue }
            if shape.key.isEmpty {
                changes += try newRows(of: shape, done, count)
                continue
            }
            let before = images[shape.oid] ?? []
            let keys = Set(before.map(\.key)).union(written[shape.oid] ?? [])
            let found = try differences(of: shape, from: before, keys: Array(keys), done, count)
            try check(found, explain: count, of: shape, touched: keys.count)
            changes += found
        }
        return (changes, Array(shapes.values))
    }

    /// Runs the statements to see what they touch, takes them back, and reads the rows as they are before.
    private func learn(
        _ pass: () throws(Failure) -> ChangePass
    ) throws(Failure) -> (images: [String: [Image]], tables: Set<String>) {
        let (done, counters) = try counted(pass)
        let shapes = try shapes(of: counters)
        var keys = try written(done, counters, shapes)
        try transaction.rollBack(to: Self.start)
        for (table, count) in counters.counts where count.deleted > 0 {
            guard let shape = shapes[table], !shape.key.isEmpty else { continue }
            keys[table, default: []].formUnion(
                try self.keys(
                    done.versions.areAll(of: count, in: table)
                        ? shape.keys(at: done.versions.places[table] ?? []) : shape.keysRolledBack))
        }
        var images: [String: [Image]] = [:]
        for (table, keys) in keys where !keys.isEmpty {
            guard let shape = shapes[table], let count = counters.counts[table] else { continue }
            images[table] = try self.images(of: shape, keys)
            // A row that was not there before may be one whose key was written over.
            if count.updated > 0, images[table, default: []].count < keys.count {
                images[table] = try self.images(of: shape, keys.union(try self.keys(shape.keysRolledBack)))
            }
        }
        return (images, Set(shapes.keys))
    }

    private func images(of shape: TableShape, _ keys: Keys) throws(Failure) -> [Image] {
        let width = shape.key.count
        return try transaction.run(shape.images(of: Array(keys), hiding: secrets, salt: salt)).rows.map { row in
            (row.values.prefix(width).map { $0.text ?? "" }, row.values[width].text ?? "null")
        }
    }

    private func counted(
        _ pass: () throws(Failure) -> ChangePass
    ) throws(Failure) -> (pass: ChangePass, counters: ChangeCounters) {
        let before = try transaction.counters()
        let done = try pass()
        // Deferred triggers and constraints have their say now, and what they write is counted.
        try transaction.run("set constraints all immediate")
        let counters = try transaction.counters()
        if counters.tables != before.tables { throw try unaccountable() }
        let difference = counters.since(before)
        try requireCounted(done, difference)
        if let table = counters.elsewhere.first { throw Failure(.foreign(table)) }
        return (done, difference)
    }

    /// Refuses where the statements say that they wrote more rows than the server counted where those lie: what it does
    /// not count can be neither shown nor undone.
    ///
    /// It may count more, since triggers write too, and an update can be a row that goes and one that comes.
    private func requireCounted(_ pass: ChangePass, _ counters: ChangeCounters) throws(Failure) {
        for relation in pass.told.keys.sorted(by: { $0.qualifiedName < $1.qualifiedName }) {
            guard let tables = relations.tables(of: relation) else { continue }
            let rows = pass.told.reduce(0) { sum, other in
                relations.tables(of: other.key)?.isSubset(of: tables) == true ? sum + other.value : sum
            }
            let count = tables.reduce(0) { $0 + (counters.counts[$1]?.total ?? 0) }
            if count >= rows { continue }
            throw Failure(
                .refused,
                "this server does not count what it changes in \(relation.qualifiedName) "
                    + "(\(rows) written, \(count) counted)", nothing: .changed,
                hint: "what is not counted can be neither shown nor undone; change it where its rows lie")
        }
    }

    /// Why a change is refused that empties, alters or drops tables: nothing of that is counted, or could be taken back.
    private func unaccountable() throws(Failure) -> Failure {
        let tables = try transaction.run(ChangeCounters.remade)
        let names = try decoding(try tables.texts())
        let what = names.isEmpty ? "drops a table" : "empties or alters \(names.joined(separator: ", "))"
        return Failure(
            .refused, "this \(what) as a whole, which can neither be shown row by row nor undone",
            hint: "TRUNCATE is not counted; a DELETE is")
    }

    private func shapes(of counters: ChangeCounters) throws(Failure) -> [String: TableShape] {
        let shapes = try transaction.shapes(of: Array(counters.counts.keys)).filter { !$0.value.isTemporary }
        for shape in shapes.values {
            guard let secret = Set(shape.key.map(\.name)).intersection(shape.hidden(secrets)).first else { continue }
            throw Failure(
                .refused,
                "this changes rows of \(shape.qualifiedName), which \(secret) tells apart, and that is never recorded")
        }
        return shapes
    }

    /// The keys of the row versions that are there now because of the statements.
    private func written(
        _ pass: ChangePass, _ counters: ChangeCounters, _ shapes: [String: TableShape]
    ) throws(Failure) -> [String: Keys] {
        var keys: [String: Keys] = [:]
        for (table, count) in counters.counts {
            guard let shape = shapes[table], !shape.key.isEmpty else { continue }
            let told = pass.versions.areAll(of: count, in: table)
            keys[table] = try self.keys(told ? shape.keys(at: pass.versions.places[table] ?? []) : shape.keysWritten)
        }
        return keys
    }

    private func keys(_ query: Query) throws(Failure) -> Keys {
        Keys(try transaction.run(query).rows.map { row in row.values.map { $0.text ?? "" } })
    }

    // MARK: Differences

    private func differences(
        of shape: TableShape, from images: [Image], keys: [[String]], _ pass: ChangePass, _ count: ChangeCounters.Count
    ) throws(Failure) -> [RowChange] {
        let sets = shape.ancestors.compactMap { pass.assigned[TableName(schema: $0.schema, name: $0.name)] }
        // What is written into a row that takes another one's place is no doing of the triggers on updates.
        let replaces = count.inserted > 0 && count.deleted > 0
        let query = shape.differences(
            from: images, keys: keys,
            assigned: sets.isEmpty || replaces ? nil : sets.reduce(into: []) { $0.formUnion($1) },
            areReplaced: replaces && count.updated == 0, hiding: secrets, salt: salt)
        let rows = try transaction.run(query).rows
        return try decoding { () throws(DecodingFailure) in
            try rows.map { row throws(DecodingFailure) in try RowChange(row, of: shape) }
        }
    }

    /// Rows without a key can be told apart only when they are new.
    private func newRows(
        of shape: TableShape, _ pass: ChangePass, _ count: ChangeCounters.Count
    ) throws(Failure) -> [RowChange] {
        guard count.updated == 0, count.deleted == 0 else {
            throw Failure(
                .refused, "this changes rows of \(shape.qualifiedName), which has no key to tell them apart",
                hint: "give the table a primary key; without one no change of it can be shown or undone")
        }
        let told = pass.versions.areAll(of: count, in: shape.oid)
        let rows = try transaction.run(
            shape.newRows(at: told ? pass.versions.places[shape.oid] : nil, hiding: secrets)
        ).rows
        let found = try decoding { () throws(DecodingFailure) in
            try rows.map { row throws(DecodingFailure) in try RowChange(row, of: shape) }
        }
        try check(found, explain: count, of: shape, touched: rows.count)
        return found
    }

    /// Holds what was found against what the server counted; rows that came and went meanwhile cancel out.
    private func check(
        _ changes: [RowChange], explain count: ChangeCounters.Count, of shape: TableShape, touched: Int
    ) throws(Failure) {
        let inserted = changes.lazy.filter { $0.kind == .insert }.count
        let deleted = changes.lazy.filter { $0.kind == .delete }.count
        guard inserted - deleted == count.inserted - count.deleted, count.updated == 0 || touched > 0 else {
            throw Failure(
                .refused, "not every change of \(shape.qualifiedName) can be accounted for",
                hint: "the server counted \(count.inserted) inserted, \(count.updated) updated and \(count.deleted) "
                    + "deleted rows; \(inserted) new and \(deleted) missing ones were found")
        }
    }
}

extension RowChange {
    fileprivate init(_ row: Row, of shape: TableShape) throws(DecodingFailure) {
        let kind = try row.text("kind")
        guard let known = Kind(rawValue: kind) else { throw .notA("kind of change", column: "kind") }
        self.kind = known
        table = shape.qualifiedName
        key = try row.value("key")
        let images = (before: try row.value("before"), after: try row.value("after"))
        before = images.before.isNull ? nil : images.before
        after = images.after.isNull ? nil : images.after
        let names = arrayElements(try row.text("names")).map { $0 ?? "" }
        let befores = arrayElements(try row.text("befores"))
        let afters = arrayElements(try row.text("afters"))
        let rewritten = Set(arrayElements(try row.text("rewritten")).compactMap { $0 })
        let types = Dictionary(shape.columns.map { ($0.name, $0.typeID) }) { first, _ in first }
        columns = names.indices.map { index in
            Column(
                name: names[index], type: types[names[index]] ?? .text, before: befores[index], after: afters[index],
                isRewritten: rewritten.contains(names[index]))
        }
        secrets = arrayElements(try row.text("secrets")).compactMap { $0 }
        payload = try row.text("payload")
    }
}
