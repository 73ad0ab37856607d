internal import AppFile
internal import Catalog

package struct Evidence: Sendable {
    package let sentence: String
    package let points: Int

    init(_ sentence: String, points: Int = 3) { (self.sentence, self.points) = (sentence, points) }

    /// The evidence from the number of sampled values that are keys of the table.
    static func hits(_ hits: Int, of values: Int) -> Evidence {
        if hits == 0 { return Evidence("none of \(values) sampled values is a key of the table", points: -4) }
        let count = hits == values ? "all \(values)" : "\(hits) of \(values)"
        return Evidence("\(count) sampled values are keys of the table", points: 4)
    }
}

/// The questions of a survey: undeclared columns that could refer to users or to rows that are deleted with users.
///
/// usher finds the referenced table by the column name, or by values that are keys of a table. If a proposal deletes
/// rows of another table, columns that refer to that table become questions, too.
struct SurveyQuestions {
    private(set) var all: [CatalogColumn.Name: Survey.Question] = [:]
    /// The tables whose rows are deleted with users, if the app file contains the proposed lines.
    private(set) var reached: Set<UInt32>
    private let model: AccountModel
    private let candidates: Candidates
    private let answers: [Survey.Answer]

    init(_ model: AccountModel, _ candidates: Candidates, _ answers: [Survey.Answer]) {
        (self.model, self.candidates, self.answers) = (model, candidates, answers)
        reached = model.reached
        askAboutKeys()
        for column in candidates.columns where column.isReadable && all[column.name] == nil { askAboutText(column) }
        askAboutKeys()
    }

    /// The columns that this role can't read, and that could contain a key or an email.
    var hidden: [CatalogColumn] { candidates.columns.filter { !$0.isReadable && couldHold($0) } }

    /// Adds questions about columns that refer to tables with deleted rows, until the set of these tables stops growing.
    private mutating func askAboutKeys() {
        var before: Int
        repeat {
            before = reached.count
            for column in candidates.columns where column.isReadable {
                if let type = candidates.types[column.name] {
                    // A new question replaces the old question, because the column may refer to more tables by now.
                    askAboutTypes(column, in: type)
                } else if all[column.name] != nil {
                    continue
                } else if let named = candidates.named[column.name], reached.contains(named.key.name.table) {
                    ask(about: column, named)
                } else {
                    askAboutValues(column)
                }
            }
        } while reached.count > before
    }

    private mutating func ask(about column: CatalogColumn, _ named: Candidates.Named) {
        let values = candidates.values(column, of: named.key.kind)
        let hits = values.filter { candidates.stored[named.key.name]?.contains($0) == true }.count
        let count = candidates.whole[column.name]?.count ?? 0
        let isOpen =
            switch named.proof {
            case .name: count > 0 && hits == 0
            case .values: hits == 0 || column.kind == .number && hits < count
            case .answer: true
            }
        let because = [named.because] + (count > 0 ? [.hits(hits, of: count)] : [])
        // The values may be keys of a table that usher doesn't know, so usher doesn't propose to ignore the column.
        let proposed = isOpen ? .ask : effect(column, on: named.key, isWhole: named.isWhole)
        add(column, because, to: named.key, answer(column) ?? proposed)
    }

    /// Adds a question about a uuid or text column whose values are keys.
    ///
    /// The values of a number column don't count. If the name suggests a table, only keys of users count. If the keys of
    /// users are numbers, usher only asks about a text column, and only if all its values are keys.
    private mutating func askAboutValues(_ column: CatalogColumn) {
        guard [.uuid, .text].contains(column.kind), !column.isGenerated, candidates.whole[column.name] != nil else {
            return
        }
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        if isOwnKey, reached.contains(column.name.table) { return }
        let uuids = Array(candidates.values(column, of: .uuid).prefix(Candidates.few))
        let isOpen = candidates.named[column.name] == nil && !uuids.isEmpty
        let others = isOpen ? reached.subtracting([model.root.oid]).sorted() : []
        for key in ([model.root.oid] + others).compactMap({ model.keyColumn(of: $0) }) {
            let isRoot = key.name.table == model.root.oid
            let isNumber = key.kind == .number
            guard key.name != column.name, isRoot && (!isNumber || column.kind == .text) || key.kind == .uuid,
                let stored = candidates.stored[key.name], isNumber || column.isComparable(with: key)
            else { continue }
            let values = isRoot ? candidates.values(column, of: key.kind) : uuids
            let hits = values.filter(stored.contains).count
            let isEnough = isNumber ? hits == candidates.whole[column.name]?.count : 2 * hits >= values.count
            if hits > 0, key.kind == .uuid || isEnough {
                let effect = answer(column) ?? (isNumber ? .ask : effect(column, on: key))
                return add(column, [.hits(hits, of: values.count)], to: key, effect)
            }
        }
    }

    /// Adds a question about a column whose `*_type` column contains names of tables whose rows are deleted.
    ///
    /// The question has a line for each of these tables.
    private mutating func askAboutTypes(_ column: CatalogColumn, in type: CatalogColumn) {
        guard let root = model.rootColumn, column.kind == root.kind || column.kind == .text else { return }
        let values = (candidates.typeNames[column.name] ?? []).map { ($0, candidates.names.table(named: $0)) }
        let keys = reached.intersection(values.compactMap(\.1)).sorted().compactMap { model.keyColumn(of: $0) }.filter {
            column.isComparable(with: $0) || column.kind == .text
        }
        guard let first = keys.first else {
            if column.kind != root.kind { return }
            let isOther = !values.isEmpty && values.allSatisfy { $0.1 != nil }
            let evidence =
                values.isEmpty
                ? "the column \(type.name.column) contains the name of the referenced table"
                : "the column \(type.name.column) contains \(values.prefix(5).map(\.0).joined(separator: ", ")), but none of these names is a table of the account"
            return add(column, [Evidence(evidence)], to: nil, answer(column) ?? (isOther ? .ignore : .ask))
        }
        let effect = answer(column) ?? self.effect(column, on: first, isWhole: true)
        var (because, lines): ([Evidence], [String]) = ([], [])
        for key in keys {
            let words = values.filter { $0.1 == key.name.table }.map(\.0)
            because.append(Evidence("the column \(type.name.column) contains \(words.joined(separator: ", "))"))
            let list = words.map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ")
            let condition = " where \(SQLName.path(of: [type.name.column]))::text in (\(list))"
            lines.append(line(column, to: model.path(key.name), where: condition, effect))
        }
        let unknown = values.filter { $0.1 == nil }.map(\.0).prefix(5).joined(separator: ", ")
        if !unknown.isEmpty {
            lines.append(
                "\(model.path(column.name)), ask: the column \(type.name.column) also contains \(unknown), and no table has such a name"
            )
        }
        add(column, because, to: first, effect, lines: lines)
    }

    private mutating func askAboutText(_ column: CatalogColumn) {
        guard [.text, .document].contains(column.kind), !model.isUser(column.name.table),
            candidates.types[column.name] == nil
        else { return }
        let isCalled = column.kind == .text && column.name.column.lowercased().contains("mail")
        let whole = (candidates.whole[column.name] ?? []).map { $0.lowercased() }
        let hits = whole.filter(candidates.emails.contains).count
        if let email = model.emails.first.flatMap({ model.columns[$0] }), isCalled || hits > 0 {
            var because = isCalled ? [Evidence("its name looks like an email")] : []
            if !whole.isEmpty { because.append(.hits(hits, of: whole.count)) }
            let isNone = !whole.isEmpty && !whole.contains { $0.contains("@") }
            var effect = isNone ? Survey.Effect.ignore : self.effect(column, on: email)
            if column.isUnique { because.append(Evidence("the rows may be accounts of their own", points: 0)) }
            // If the row belongs to a shared object, an email in the row doesn't make the user its owner.
            if column.isUnique || effect == .delete && isShared(column, except: email) { effect = .ask }
            return add(column, because, to: email, answer(column) ?? effect)
        }
        let keys = model.rootColumn.flatMap { candidates.stored[$0.name] } ?? []
        let words = (candidates.words[column.name] ?? []).filter { word in
            candidates.emails.contains(word.lowercased()) || keys.contains(word) || keys.contains(word.lowercased())
        }
        if words.isEmpty { return }
        let evidence = "a sample of its texts contains \(words.count) different emails or keys of users"
        add(
            column, [Evidence(evidence, points: 4)], to: nil, answer(column) ?? .ignore,
            reason: "It contains text about users; a deletion does not search this text.")
    }

    /// True if a column that this role can't read could contain a user's key, an email, or a key of a deleted row.
    private func couldHold(_ column: CatalogColumn) -> Bool {
        if let named = candidates.named[column.name], reached.contains(named.key.name.table) { return true }
        let isText = [.text, .document].contains(column.kind)
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        return !isOwnKey && !model.isUser(column.name.table) && (isText || column.kind == model.rootColumn?.kind)
    }

    private func answer(_ column: CatalogColumn) -> Survey.Effect? {
        guard let table = model.graph.tables[column.name.table] else { return nil }
        return answers.last { $0.isAbout([table.schema, table.name, column.name.column]) }?.effect
    }

    /// The most likely effect on a row when the row that it refers to is deleted.
    private func effect(_ column: CatalogColumn, on key: CatalogColumn, isWhole: Bool = false) -> Survey.Effect {
        // usher never proposes to delete a user who only refers to a deleted user.
        if model.isUser(column.name.table) { return column.isFillable ? .detach : .keep }
        if column.isList { return .detach }
        if !column.isFillable { return .delete }
        return isWhole && !isShared(column, except: key) ? .delete : .detach
    }

    /// True if the row also refers to an object that isn't a user, as a message refers to a chat.
    private func isShared(_ column: CatalogColumn, except key: CatalogColumn) -> Bool {
        func isOther(_ table: UInt32) -> Bool { table != key.name.table && !model.isUser(table) }
        let table = column.name.table
        return model.edges(from: table).contains { !$0.isAsked && isOther($0.parent) && $0.parent != table }
            || candidates.columns.contains { other in
                other.name.table == table && other.name != column.name
                    && candidates.named[other.name].map { $0.proof == .name && isOther($0.key.name.table) } ?? false
            }
    }

    private func line(
        _ column: CatalogColumn, to parent: String, where condition: String = "", _ effect: Survey.Effect
    ) -> String {
        let line = "@refers \(model.path(column.name)) -> \(parent)\(condition)"
        return switch effect {
        case .detach: "\(line) : detach : The row stays without the user."
        case .keep: "\(line) : keep : It records who did something."
        default: line
        }
    }

    private mutating func add(
        _ column: CatalogColumn, _ because: [Evidence], to key: CatalogColumn?, _ effect: Survey.Effect,
        lines: [String]? = nil, reason: String = "It does not refer to a user."
    ) {
        let isText = column.kind == .text && key?.kind == .number
        let parent = key.map {
            isText ? "\(model.path($0.name.table)) (\(SQLName.path(of: [$0.name.column]))::text)" : model.path($0.name)
        }
        let proposal: [String] =
            switch effect {
            case .ask: lines ?? []
            case .ignore: ["@ignore \(model.path(column.name)) : \(reason)"]
            default: lines ?? parent.map { [line(column, to: $0, effect)] } ?? []
            }
        let rows = model.graph.tables[column.name.table].flatMap { $0.rows > 0 ? $0.rows : nil }
        all[column.name] = Survey.Question(
            table: model.name(column.name.table), column: column.name.column, path: model.path(column.name),
            because: because, parent: key.map { model.path($0.name) }, effect: effect, proposal: proposal, rows: rows)
        if effect == .delete, !reached.contains(column.name.table) {
            reached.formUnion(model.tables(deletedWith: [column.name.table]))
        }
    }
}
