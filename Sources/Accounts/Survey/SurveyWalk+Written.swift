internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension SurveyWalk {
    /// Asks about the tables into which triggers may copy what goes, and about triggers of which nobody can read where they write.
    mutating func addWritten(asking ask: Ask) throws(Failure) {
        let writes = try TriggerWrites(of: map, asking: ask)
        written = Set(writes.all.map(\.table.oid))
        for (table, all) in Dictionary(grouping: writes.all, by: \.table.oid) where !settlesWritten(table) {
            add(table, by: all.filter { mayCopy($0) })
        }
        for (function, triggers) in Dictionary(grouping: writes.unread, by: \.function) {
            let tables = Set(triggers.map { map.name($0.table) }).sorted()
            questions.append(
                Survey.Question(
                    matter: .function, table: tables[0], column: nil, path: function,
                    because: [Evidence(.unread(on: tables), points: Evidence.asking)], parent: nil, effect: .ask,
                    proposal: [], rows: nil))
        }
    }

    /// Whether lines say what becomes of all that triggers write into a table.
    private func settlesWritten(_ table: UInt32) -> Bool {
        map.lines.written[table] != nil || map.removesWritten(table) || map.hasPolicy(table)
            || map.graph.tables[table]?.isCopy == true
    }

    /// Whether a copy may stand in what is written; numbers and words of a list are none, its own key is made up, and a counter holds nobody.
    private func mayCopy(_ write: TriggerWrites.Write) -> Bool {
        guard write.right != .delete else { return false }
        return candidates.columns.contains { column in
            column.table == write.table.oid && ![.number, .word].contains(column.kind) && !column.isOwnKey
                && !map.lines.stays(column.key)
                && (write.right == .insert || write.columns?.contains(column.name) ?? true)
        }
    }

    /// They tell others what went; what is added to a table of the account is of the account, too.
    private mutating func add(_ table: UInt32, by writes: [TriggerWrites.Write]) {
        if writes.isEmpty { return }
        let adds = writes.contains { $0.right == .insert }
        let effect = answer(of: table) ?? (reached.contains(table) && adds ? .delete : .keep)
        let path = map.path(table)
        let line: Survey.Proposal =
            effect == .delete
            ? .init("@written \(path) : remove", .namesWhoWent) : .init("@written \(path) : keep", .tellsWhatWent)
        let functions = Set(writes.map(\.trigger.function)).sorted()
        questions.append(
            Survey.Question(
                matter: .written, table: map.name(table), column: nil, path: path,
                because: [Evidence(.written(by: functions, adds: adds), points: Evidence.asking)], parent: nil,
                effect: effect, proposal: [line], rows: nil))
    }
}

/// What an engineer said instead of what would be proposed.
extension SurveyWalk {
    /// What somebody said instead, about the one column rather than about all that are called so.
    func answer(_ key: Reading.Key) -> Survey.Effect? {
        guard let table = map.graph.tables[key.table] else { return nil }
        let whole = answers.last { $0.column == [table.schema, table.name, key.column] }
        return (whole ?? answers.last { $0.column == [key.column] })?.effect
    }

    /// What somebody said of the rows that triggers write into a table, or that users share.
    func answer(of table: UInt32) -> Survey.Effect? {
        answers.last { map.isTable(table, at: $0.column) }?.effect
    }

    /// An answer about a column that there is not, or about a table that no trigger writes to and of which users share nothing.
    var idleAnswer: Survey.Answer? {
        let referring = map.graph.references.flatMap { reference in
            reference.columns.map { Reading.Key(table: reference.table, column: $0.name) }
        }
        let known = Set(columns.keys).union(referring)
        let names = Set(known.map(\.column))
        return answers.first { answer in
            if answer.column.count == 2 {
                return !written.union(shared).contains { map.isTable($0, at: answer.column) }
            }
            if let name = answer.column.first, answer.column.count == 1 { return !names.contains(name) }
            return !known.contains { key in
                map.graph.tables[key.table].map { [$0.schema, $0.name, key.column] } == answer.column
            }
        }
    }
}

extension AccountMap {
    fileprivate func isTable(_ table: UInt32, at path: [String]) -> Bool {
        graph.tables[table].map { [$0.schema, $0.name] } == path
    }
}

extension Candidates {
    /// Columns that triggers fill from the row they fire for, as their functions say, be there such a row yet or not.
    ///
    /// What they write as rows go is asked about by table, and is not among these.
    struct FilledColumns {
        /// By column, the functions that fill it by the columns from which they do.
        private var sources: [Reading.Key: [Reading.Key: Set<String>]] = [:]
        private let map: AccountMap
        private let columns: [Reading.Key: OpenColumn]

        init(of map: AccountMap, asking ask: Ask) throws(Failure) {
            self.map = map
            columns = Dictionary(map.openColumns.map { ($0.key, $0) }) { first, _ in first }
            let tables = map.graph.tables.values.filter { $0.partitionOf == nil }.map(\.oid).sorted()
            let answer = try ask([TriggerEffect.query(of: tables)])[0]
            let triggers = try decoding { () throws(DecodingFailure) in try TriggerEffect.all(answer) }
            // Many triggers have one function.
            var bodies: [String: FunctionBody] = [:]
            for trigger in triggers where trigger.firesOnInsert || trigger.firesOnUpdate {
                let events = Set((trigger.firesOnInsert ? ["insert"] : []) + (trigger.firesOnUpdate ? ["update"] : []))
                for source in trigger.sources {
                    let body = bodies[source.text] ?? FunctionBody(source.text)
                    bodies[source.text] = body
                    if trigger.isBefore { note(body.ownFills, in: trigger.table, by: trigger) }
                    for writing in body.writings where !writing.events.isDisjoint(with: events) {
                        guard let table = map.graph.table(writing.table, beside: trigger.table) else { continue }
                        note(writing.fills, in: table.oid, by: trigger)
                    }
                }
            }
        }

        private mutating func note(_ fills: [String: Set<String>], in table: UInt32, by trigger: TriggerEffect) {
            for (column, names) in fills {
                for name in names {
                    let from = Reading.Key(table: trigger.table, column: name)
                    sources[Reading.Key(table: table, column: column), default: [:]][from, default: []].insert(
                        trigger.function)
                }
            }
        }

        /// What speaks for a column, by the keys that stand where it is filled from.
        func evidence(for column: OpenColumn) -> [Reading.Key: Evidence] {
            guard [.number, .uuid, .text, .bytes, .same].contains(column.kind), let sources = sources[column.key] else {
                return [:]
            }
            let all = sources.compactMap { source in parent(of: source.key).map { (parent: $0, source: source) } }
            // Where it says of several things which one, nobody knows it of a row.
            let isOfOne = Set(all.map(\.parent)).count == 1
            // What is said of several at once is the same of each.
            let together = isOfOne ? nil : evidence(all.map(\.source), isOfOne: false)
            return Dictionary(grouping: all, by: \.parent).filter { $0.key != column.key }.mapValues { found in
                together ?? evidence(found.map(\.source), isOfOne: true)
            }
        }

        /// What speaks for addresses of users in a column.
        func addresses(in column: OpenColumn) -> Evidence? {
            let found = (sources[column.key] ?? [:]).filter { from, _ in
                map.userTables.contains(from.table) && columns[from]?.isAddress == true
            }
            return column.kind == .text && !found.isEmpty ? evidence(Array(found), isOfOne: true) : nil
        }

        private func evidence(_ sources: [(key: Reading.Key, value: Set<String>)], isOfOne: Bool) -> Evidence {
            let from = Set(sources.map { map.path($0.key.table, $0.key.column) }).sorted()
            return Evidence(
                .filled(by: Set(sources.flatMap(\.value)).sorted(), from: from, isOfOne: isOfOne),
                points: Evidence.asking)
        }

        /// The key that stands in a column: its own, or the one that a foreign key of it refers to.
        private func parent(of column: Reading.Key) -> Reading.Key? {
            if columns[column]?.isOwnKey == true { return column }
            let reference = map.graph.references.first {
                $0.table == column.table && $0.columns.map(\.name) == [column.column]
            }
            return reference.map { Reading.Key(table: $0.referenced, column: $0.columns[0].referenced) }
        }
    }
}
