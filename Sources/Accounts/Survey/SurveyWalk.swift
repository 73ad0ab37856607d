internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Walks the tables that are deleted with users, by foreign keys, lines and proposals, and asks about undeclared
/// columns.
struct SurveyWalk {
    private(set) var questions: [Survey.Question] = []
    private(set) var hidden: [CatalogColumn.Name] = []
    /// The number of foreign keys to tables of the account.
    private(set) var keys = 0
    private let model: AccountModel
    private let candidates: Candidates
    private let answers: [Survey.Answer]
    private let samples: Samples
    /// The values of `*_type` columns, by key column.
    private var words: [CatalogColumn.Name: [String]] = [:]
    /// The values that name a table of the account, by column and table.
    private var typed: [CatalogColumn.Name: [UInt32: [String]]] = [:]
    /// The delete actions of all foreign keys of columns with a name.
    private let habits: [String: [Graph.Action]]
    private let root: CatalogColumn?
    private let email: CatalogColumn?
    private let weighsData: Bool
    private var reached: Set<UInt32>
    private var asked: Set<CatalogColumn.Name> = []
    private var open: [UInt32] = []

    init(
        _ model: AccountModel, _ answers: [Survey.Answer], weighingData: Bool, asking ask: Ask
    ) throws(Failure) {
        (self.model, self.answers, weighsData) = (model, answers, weighingData)
        candidates = Candidates(model)
        root = model.keyColumn(of: model.root.oid)
        email = model.emails.first.flatMap { model.columns[$0] }
        let simple = model.graph.references.filter { $0.columns.count == 1 }
        habits = Dictionary(grouping: simple, by: { $0.columns[0].name.lowercased() }).mapValues { $0.map(\.action) }
        reached = model.reached
        let sampled = weighingData ? candidates.columns.filter { $0.kind != .other } : []
        samples = try Samples(of: sampled, in: model, asking: ask)
        if weighingData { try readTypes(asking: ask) }
        try go(asking: ask)
    }

    /// Reads all values of `*_type` columns.
    private mutating func readTypes(asking ask: Ask) throws(Failure) {
        let pairs = candidates.types.filter { key, type in
            type.isReadable && model.graph.tables[key.table].map { !$0.asksElsewhere } ?? false
        }.map { (key: $0.key, type: $0.value) }
        let queries = pairs.map { pair in
            let type = pair.type
            let table = model.graph.tables[type.name.table]?.ownRows ?? ""
            return Query(
                unsafe:
                    "select distinct \(asText(type.name.column)) from \(table) t where \(type.cell) is not null order by 1"
            )
        }
        let answers = try queries.isEmpty ? [] : ask(queries)
        for (pair, answer) in zip(pairs, answers) {
            words[pair.key] = try decoding(try answer.texts())
        }
    }

    // MARK: The walk

    private mutating func go(asking ask: Ask) throws(Failure) {
        open = model.reached.sorted()
        var hasAskedAboutEmails = false
        repeat {
            while !open.isEmpty {
                let level = open
                open = []
                let standing = try lookUp(level, asking: ask)
                for table in level { visit(table, standing[table] ?? []) }
            }
            if !hasAskedAboutEmails { try askAboutEmails(asking: ask) }
            hasAskedAboutEmails = true
            for table in reached.sorted() { askOwned(table) }
        } while !open.isEmpty
        for column in candidates.columns where candidates.types[column.name] != nil { askTyped(column) }
        for column in candidates.columns where !column.isReadable && couldHold(column) { hide(column) }
    }

    private mutating func hide(_ column: CatalogColumn) {
        if asked.insert(column.name).inserted { hidden.append(column.name) }
    }

    private mutating func visit(_ table: UInt32, _ standing: Set<String>) {
        keys += model.edges(to: table).filter { $0.reference != nil }.count
        for edge in model.edges(to: table) where edge.effect == .delete { reach(edge.child) }
        guard let key = model.keyColumn(of: table) else { return }
        for column in candidates.columns where !asked.contains(column.name) {
            if let type = candidates.types[column.name] {
                meet(column, type, table)
            } else if let named = candidates.named[column.name], named.key.name.table == table {
                ask(about: column, named, standing)
            } else if column.name != key.name {
                // A name is better evidence than a number that is also a user's key.
                let isOpen = candidates.named[column.name] == nil || table == model.root.oid && key.kind != .number
                if isOpen { ask(about: column, key, standing) }
            }
        }
    }

    /// Adds a question about a column whose name suggests a table.
    private mutating func ask(about column: CatalogColumn, _ named: Candidates.Named, _ standing: Set<String>) {
        guard column.isReadable else { return hide(column) }
        var because = [named.because]
        let values = samples.keys(column, like: named.key)
        let hits = values.filter(standing.contains).count
        let count = samples.whole[column.name]?.count ?? 0
        if count > 0, named.key.name == model.keyColumn(of: named.key.name.table)?.name {
            because.append(.hits(hits, of: count))
        }
        let isNone = because.count > 1 && hits == 0 && (named.isGuess || values.isEmpty)
        let effect = answer(column) ?? (isNone ? .ignore : self.effect(column, on: named.key, isWhole: named.isWhole))
        add(column, because, to: named.key, effect)
    }

    /// Adds a question about a uuid or text column whose values are keys.
    ///
    /// For numbers only the name of the column counts.
    private mutating func ask(about column: CatalogColumn, _ key: CatalogColumn, _ standing: Set<String>) {
        let isRoot = key.name == root?.name
        guard weighsData, column.isReadable, [.uuid, .text].contains(column.kind), key.kind != .number,
            !column.isGenerated,
            isRoot || key.kind == .uuid, Candidates.fits(column, key)
        else { return }
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        if isOwnKey, reached.contains(column.name.table) { return }
        let values =
            isRoot ? samples.keys(column, like: key) : Array(samples.keys(column, like: key).prefix(Samples.few))
        let hits = values.filter(standing.contains).count
        if hits > 0, key.kind == .uuid || 2 * hits >= values.count {
            add(column, [.hits(hits, of: values.count)], to: key, answer(column) ?? effect(column, on: key))
        }
    }

    /// Looks up sampled values among the keys of some tables.
    private func lookUp(_ tables: [UInt32], asking ask: Ask) throws(Failure) -> [UInt32: Set<String>] {
        if !weighsData { return [:] }
        var questions: [(column: CatalogColumn, isEmail: Bool, values: Set<String>)] = []
        for key in tables.compactMap({ model.keyColumn(of: $0) }) where key.isReadable {
            var values: Set<String> = []
            let isRoot = key.name == root?.name
            for column in candidates.columns where column.name != key.name {
                let isNamed = candidates.named[column.name]?.key.name == key.name
                guard isNamed || isRoot || key.kind == .uuid else { continue }
                let own = samples.keys(column, like: key)
                values.formUnion(isNamed || isRoot ? own : Array(own.prefix(Samples.few)))
            }
            if !values.isEmpty, model.graph.tables[key.name.table]?.asksElsewhere == false {
                questions.append((key, false, values))
            }
        }
        let answers = try Samples.lookUp(questions, in: model.graph, asking: ask)
        return Dictionary(zip(questions.map { $0.column.name.table }, answers)) { $0.union($1) }
    }

    // MARK: Types

    /// Notes the values of a `*_type` column that name a table.
    private mutating func meet(_ column: CatalogColumn, _ type: CatalogColumn, _ table: UInt32) {
        let meant = (words[column.name] ?? []).filter { candidates.names.table(named: $0) == table }
        guard !meant.isEmpty, let key = model.keyColumn(of: table), Candidates.fits(column, key) || column.kind == .text
        else { return }
        typed[column.name, default: [:]][table] = meant
        if (answer(column) ?? effect(column, on: key, isWhole: true)) == .delete { reach(column.name.table) }
    }

    private mutating func askTyped(_ column: CatalogColumn) {
        guard let type = candidates.types[column.name], let root, column.kind == root.kind || column.kind == .text,
            column.isReadable
        else { return }
        let tables = typed[column.name] ?? [:]
        let words = self.words[column.name] ?? []
        guard let first = tables.keys.sorted().first, let key = model.keyColumn(of: first) else {
            if column.kind != root.kind { return }
            let isOther = !words.isEmpty && words.allSatisfy { candidates.names.table(named: $0) != nil }
            let effect = answer(column) ?? (isOther ? .ignore : .ask)
            let evidence =
                words.isEmpty
                ? "\(type.name.column) contains the name of the referenced table"
                : "\(type.name.column) contains \(words.prefix(5).joined(separator: ", ")), which is not a table of the account"
            return add(column, [Evidence(evidence)], to: nil, effect)
        }
        let effect = answer(column) ?? self.effect(column, on: key, isWhole: true)
        let all = tables.sorted { $0.key < $1.key }
        let lines = all.compactMap { table, words in
            model.keyColumn(of: table).map { key -> String in
                let list = words.map {
                    "'\($0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'"
                }
                let condition =
                    " where \(SQLName.path(of: [type.name.column]))::text in (\(list.joined(separator: ", ")))"
                return line(column, to: model.path(key.name), where: condition, effect)
            }
        }
        let because = all.map { Evidence("\(type.name.column) contains \($0.value.joined(separator: ", "))") }
        add(column, because, to: key, effect, lines: [.delete, .detach, .keep].contains(effect) ? lines : nil)
    }

    // MARK: Emails and texts

    private mutating func askAboutEmails(asking ask: Ask) throws(Failure) {
        let columns = candidates.columns.filter { column in
            [.text, .document].contains(column.kind) && !asked.contains(column.name)
                && !model.isUser(column.name.table) && candidates.types[column.name] == nil
        }
        var emails: Set<String> = []
        var keys: Set<String> = []
        for column in columns {
            let words = samples.words[column.name] ?? []
            let all = (samples.whole[column.name] ?? []) + words
            emails.formUnion(all.map { $0.lowercased() }.filter { $0.contains("@") })
            if let root, root.kind != .number { keys.formUnion(words.compactMap { Samples.key($0, root.kind) }) }
        }
        var lists: [(column: CatalogColumn, isEmail: Bool, values: Set<String>)] = []
        if weighsData {
            for email in model.emails.compactMap({ model.columns[$0] }) where !emails.isEmpty {
                lists.append((email, true, emails))
            }
            if let root, !keys.isEmpty { lists.append((root, false, keys)) }
        }
        let answers = try Samples.lookUp(lists, in: model.graph, asking: ask)
        var stored: Set<String> = []
        for (list, answer) in zip(lists, answers) where list.isEmail { stored.formUnion(answer) }
        let all = answers.reduce(into: Set<String>()) { $0.formUnion($1) }
        for column in columns { askAboutText(column, emails: stored, all) }
    }

    private mutating func askAboutText(_ column: CatalogColumn, emails: Set<String>, _ all: Set<String>) {
        let isCalled = Candidates.isCalledEmail(column)
        let whole = (samples.whole[column.name] ?? []).map { $0.lowercased() }
        let hits = whole.filter(emails.contains).count
        if let email, isCalled || hits > 0 {
            guard column.isReadable else { return hide(column) }
            var because = isCalled ? [Evidence("its name looks like an email")] : []
            if !whole.isEmpty { because.append(.hits(hits, of: whole.count)) }
            let isNone = !whole.isEmpty && !whole.contains { $0.contains("@") }
            var effect = isNone ? Survey.Effect.ignore : self.effect(column, on: email)
            // An email in a row of a shared object does not make it that user's row.
            if effect == .delete, isShared(column, besides: email) { effect = .ask }
            return add(column, because, to: email, answer(column) ?? effect)
        }
        let words = (samples.words[column.name] ?? []).filter { all.contains($0) || all.contains($0.lowercased()) }
            .count
        if words > 0 {
            let evidence = Evidence(
                "a sample of its texts contains \(words) different emails or keys of users", points: 4)
            add(
                column, [evidence], to: nil, answer(column) ?? .ignore,
                reason: "It contains text about users, which a deletion does not search.")
        }
    }

    /// True if the column could hold a user's key or an email.
    private func couldHold(_ column: CatalogColumn) -> Bool {
        let isText = [.text, .document].contains(column.kind)
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        return !isOwnKey && !model.isUser(column.name.table) && (isText || column.kind == root?.kind)
    }

    // MARK: What goes along

    /// Asks about rows that only one row refers to.
    private mutating func askOwned(_ table: UInt32) {
        for edge in model.edges(from: table) where !model.owned.contains(edge.id) {
            guard let reference = edge.reference, reference.isSingle, reference.columns.count == 1,
                !reached.contains(edge.parent), !model.isUser(edge.parent)
            else { continue }
            let name = CatalogColumn.Name(table: table, column: reference.columns[0].name)
            let others = model.edges(to: edge.parent).filter { $0.id != edge.id && !($0.reference?.action == .cascade) }
            guard others.allSatisfy(\.isAsked), !isSettled(name), let column = model.columns[name],
                asked.insert(name).inserted
            else { continue }
            let referenced = CatalogColumn.Name(table: edge.parent, column: reference.columns[0].referenced)
            guard let key = model.columns[referenced] else { continue }
            let said = answer(column)
            let effect: Survey.Effect = said == nil || said == .delete ? .owned : .keep
            let proposal =
                effect == .owned
                ? "@owns \(model.path(name)) -> \(model.path(key.name))"
                : "@ignore \(model.path(name)) : Other users need it."
            add(column, [Evidence("only one row refers to each referenced row")], to: key, effect, lines: [proposal])
        }
    }

    /// True if a line declares the column of a foreign key.
    private func isSettled(_ name: CatalogColumn.Name) -> Bool {
        model.graph.tables[name.table].map { model.rules.ignores($0, name.column) } ?? true
            || model.edges(from: name.table).contains { $0.columns.contains(name.column) && $0.why != nil }
    }

    // MARK: Proposals

    private func answer(_ column: CatalogColumn) -> Survey.Effect? {
        guard let table = model.graph.tables[column.name.table] else { return nil }
        return answers.last { $0.isAbout([table.schema, table.name, column.name.column]) }?.effect
    }

    /// The most likely effect for a row when the row it refers to is deleted.
    private func effect(_ column: CatalogColumn, on key: CatalogColumn, isWhole: Bool = false) -> Survey.Effect {
        // A user who only refers to a deleted user is never deleted.
        if model.isUser(column.name.table) { return column.isFillable ? .detach : .keep }
        if column.isList { return .detach }
        if !column.isFillable { return .delete }
        let habits = self.habits[column.name.column.lowercased()] ?? []
        if habits.count >= 2 {
            if 10 * habits.filter({ $0 == .cascade }).count >= 7 * habits.count { return .delete }
            if 10 * habits.filter({ $0 == .setNull }).count >= 7 * habits.count { return .detach }
        }
        return isWhole && !isShared(column, besides: key) ? .delete : .detach
    }

    /// True if the row also belongs to something else, as messages and events do.
    private func isShared(_ column: CatalogColumn, besides key: CatalogColumn) -> Bool {
        func isOther(_ table: UInt32) -> Bool { table != key.name.table && !model.isUser(table) }
        let table = column.name.table
        return model.edges(from: table).contains { !$0.isAsked && isOther($0.parent) && $0.parent != table }
            || candidates.columns.contains { other in
                other.name.table == table && other.name != column.name
                    && candidates.named[other.name].map { !$0.isGuess && isOther($0.key.name.table) } ?? false
            }
    }

    private mutating func reach(_ table: UInt32) {
        if reached.insert(table).inserted { open.append(table) }
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
        lines: [String]? = nil, reason: String = "It refers to no user."
    ) {
        asked.insert(column.name)
        let isText = column.kind == .text && key?.kind == .number
        let parent = key.map {
            isText ? "\(model.path($0.name.table)) (\(SQLName.path(of: [$0.name.column]))::text)" : model.path($0.name)
        }
        let proposal: [String] =
            switch effect {
            case _ where lines != nil: lines ?? []
            case .ask: []
            case .ignore: ["@ignore \(model.path(column.name)) : \(reason)"]
            default: parent.map { [line(column, to: $0, effect)] } ?? []
            }
        let rows = model.graph.tables[column.name.table].flatMap { $0.rows > 0 ? $0.rows : nil }
        questions.append(
            Survey.Question(
                table: model.name(column.name.table), column: column.name.column, path: model.path(column.name),
                because: because, parent: key.map { model.path($0.name) }, effect: effect, proposal: proposal,
                rows: rows))
        if effect == .delete { reach(column.name.table) }
        if effect == .owned, let key { reach(key.name.table) }
    }
}
