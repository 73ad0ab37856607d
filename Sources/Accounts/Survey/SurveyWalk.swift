internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// Finds tables with rows to delete by foreign keys, app file lines and proposals, and asks about undeclared columns.
struct SurveyWalk {
    private(set) var questions: [Survey.Question] = []
    private(set) var hidden: [CatalogColumn.Name] = []
    /// The number of foreign keys to tables of the account.
    private(set) var keys = 0
    private let model: AccountModel
    private let candidates: Candidates
    private let answers: [Survey.Answer]
    private let samples: Samples
    /// The values of `*_type` columns and the tables that they name, by key column.
    private var typed: [CatalogColumn.Name: [(word: String, table: UInt32?)]] = [:]
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
        reached = model.reached
        let sampled = weighingData ? candidates.columns.filter { $0.kind != .other } : []
        samples = try Samples(of: sampled, in: model, asking: ask)
        if weighingData { try readTypes(asking: ask) }
        try askAll(asking: ask)
    }

    /// Reads all values of `*_type` columns.
    private mutating func readTypes(asking ask: Ask) throws(Failure) {
        for (key, type) in candidates.types where type.isReadable {
            guard let table = model.graph.tables[key.table], !table.asksElsewhere else { continue }
            let text = asText(type.name.column)
            let query = Query(
                unsafe: "select distinct \(text) from \(table.ownRows) t where \(type.cell) is not null order by 1")
            let answer = try ask([query])[0]
            let words = try decoding(try answer.texts())
            typed[key] = words.map { ($0, candidates.names.table(named: $0)) }
        }
    }

    // MARK: Search

    private mutating func askAll(asking ask: Ask) throws(Failure) {
        open = model.reached.sorted()
        try visitAll(asking: ask)
        try askAboutEmails(asking: ask)
        try visitAll(asking: ask)
        for column in candidates.columns where candidates.types[column.name] != nil { askTyped(column) }
        for column in candidates.columns where !column.isReadable && couldHold(column) { hide(column) }
    }

    private mutating func visitAll(asking ask: Ask) throws(Failure) {
        while !open.isEmpty {
            let level = open
            open = []
            let standing = try lookUp(level, asking: ask)
            for table in level { visit(table, standing[table] ?? []) }
        }
    }

    private mutating func hide(_ column: CatalogColumn) {
        if asked.insert(column.name).inserted { hidden.append(column.name) }
    }

    private mutating func visit(_ table: UInt32, _ standing: Set<String>) {
        keys += model.edges(to: table).filter { $0.reference != nil }.count
        for edge in model.edges(to: table) where edge.effect == .delete { reach(edge.child) }
        guard let key = model.keyColumn(of: table) else { return }
        for column in candidates.columns where !asked.contains(column.name) {
            if candidates.types[column.name] != nil {
                guard let key = typedKey(column, of: table) else { continue }
                if (answer(column) ?? effect(column, on: key, isWhole: true)) == .delete { reach(column.name.table) }
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

    /// The key of a table, if values of a `*_type` column name the table.
    private func typedKey(_ column: CatalogColumn, of table: UInt32) -> CatalogColumn? {
        guard typed[column.name]?.contains(where: { $0.table == table }) == true,
            let key = model.keyColumn(of: table), Candidates.fits(column, key) || column.kind == .text
        else { return nil }
        return key
    }

    /// Adds a question about a column whose `*_type` column names the tables, with a line for each table.
    private mutating func askTyped(_ column: CatalogColumn) {
        guard let type = candidates.types[column.name], let root, column.kind == root.kind || column.kind == .text,
            column.isReadable
        else { return }
        let values = typed[column.name] ?? []
        let keys = reached.sorted().compactMap { typedKey(column, of: $0) }
        guard let first = keys.first else {
            if column.kind != root.kind { return }
            let isOther = !values.isEmpty && values.allSatisfy { $0.table != nil }
            let evidence =
                values.isEmpty
                ? "\(type.name.column) contains the name of the referenced table"
                : "\(type.name.column) contains \(values.prefix(5).map(\.word).joined(separator: ", ")), which is not a table of the account"
            return add(column, [Evidence(evidence)], to: nil, answer(column) ?? (isOther ? .ignore : .ask))
        }
        let effect = answer(column) ?? self.effect(column, on: first, isWhole: true)
        var (because, lines): ([Evidence], [String]) = ([], [])
        for key in keys {
            let words = values.filter { $0.table == key.name.table }.map(\.word)
            because.append(Evidence("\(type.name.column) contains \(words.joined(separator: ", "))"))
            let list = words.map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ", ")
            let condition = " where \(SQLName.path(of: [type.name.column]))::text in (\(list))"
            lines.append(line(column, to: model.path(key.name), where: condition, effect))
        }
        add(column, because, to: first, effect, lines: effect == .ignore ? nil : lines)
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
            // An email in a row of a shared object doesn't make that user the owner of the row.
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

    /// True if the column could contain a user's key or an email.
    private func couldHold(_ column: CatalogColumn) -> Bool {
        let isText = [.text, .document].contains(column.kind)
        let isOwnKey = model.keyColumn(of: column.name.table)?.name == column.name
        return !isOwnKey && !model.isUser(column.name.table) && (isText || column.kind == root?.kind)
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
        return isWhole && !isShared(column, besides: key) ? .delete : .detach
    }

    /// True if the row also belongs to another object, as messages and events do.
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
    }
}
