package import AppFile
package import Asking
package import PQ

/// The filters, sort order and limit of a list command; each list uses some of them.
package struct ListOptions: Sendable {
    package var selections: [String] = []
    package var decision: (name: String, outcome: String)?
    /// The column that sorts the rows; a dash before its name reverses the order.
    package var sort: String?
    package var limit: Int?
    package var user: String?
    package var since: String?
    package var until: String?
    package var `operator`: String?

    package init() {}
}

extension Listing {
    /// Lists the objects of a kind, in the order of the app file or in a requested order.
    package static func objects(
        _ noun: String, _ wanted: ListOptions, in inquiry: Inquiry
    ) throws(Failure) -> Listing {
        var filter = App.ListFilter()
        let user = try wanted.user.map { name throws(Failure) in try inquiry.user(named: name) }
        filter.user = user.map { .known($0.key, type: $0.keyType) }
        let object = try inquiry.kind(noun)
        if filter.user != nil, !object.hasOwner { throw Failure(noOwnerOf: noun) }
        filter.selections = object.selections.filter { wanted.selections.contains($0.name) }
        try inquiry.requireWhole([object.select] + filter.selections.map(\.condition))
        filter.limit = wanted.limit
        if wanted.sort != nil || wanted.since != nil || wanted.until != nil {
            var none = App.ListFilter()
            none.limit = 0
            let columns = try inquiry.columns(of: inquiry.queries.list(of: object, none))
            (filter.span, filter.order) = try inquiry.arrangement(
                wanted, among: columns.filter { $0.name != App.ownerColumn }, shown: object.columns, of: noun)
        }
        let query = inquiry.queries.list(of: object, filter)
        filter.limit = nil
        let all = inquiry.queries.list(of: object, filter)
        var shown = object.columns
        if inquiry.app.namesOwners(of: object), !shown.isEmpty { shown.insert(App.ownerColumn, at: 1) }
        if let order = filter.order, !shown.isEmpty, !shown.contains(order.column) { shown.insert(order.column, at: 1) }
        return Listing(
            query: query, inquiry: inquiry, key: object.key, shown: shown, limited: wanted.limit.map { ($0, all) })
    }
}

extension Inquiry {
    /// Finds the object with a typed name, and its problems if `checking` is true.
    package func object(
        _ noun: String, key: String, checking: Bool = false
    ) throws(Failure) -> (row: Row, inbox: Inbox) {
        let object = try kind(noun)
        try requireWhole([object.select])
        let isChecked = checking && app.checks.contains { $0.subject == .object(noun) }
        let row = try self.object(object, named: key, isLast: !isChecked)
        if !isChecked { return (row, Inbox()) }
        return (row, try InboxQuestion.inbox(of: object, key: row.shown(object.key)?.text ?? key, in: self))
    }

    /// Finds an object by its key, an identifier, or a prefix of its key.
    package func object(_ object: App.ObjectKind, named text: String, isLast: Bool) throws(Failure) -> Row {
        let type = try keyType(of: .object(object.noun))
        if let row = try row(of: object, key: text, type, isLast) { return row }
        let named = try key(of: object, called: text, type)
        if let named, let row = try row(of: object, key: named, type, isLast) { return row }
        throw app.missing(object, text)
    }

    private func row(
        of object: App.ObjectKind, key: String, _ type: String, _ isLast: Bool
    ) throws(Failure) -> Row? {
        guard try transaction.accepts(key, as: type) else { return nil }
        reopen()
        return try read([app.queries(bindings).object(object, key: key)], isLast: isLast)[0].get().first
    }

    private func key(of object: App.ObjectKind, called text: String, _ type: String) throws(Failure) -> String? {
        let identifiers = app.identifiers.filter { $0.object.noun == object.noun }
        let names = identifiers.filter { !$0.isKey }.map { ($0, App.Likeness.same) }
        let range = text.utf8.count >= 8 ? KeyText.beginning(with: text, type) : nil
        let keys = identifiers.filter(\.isKey).compactMap { key in range.map { (key, App.Likeness.keys($0)) } }
        let queries = (names + keys).map { identifier, likeness in
            app.queries(bindings).objects(
                with: text, as: identifier, likeness, limit: App.mostCandidates + 1)
        }
        if queries.isEmpty { return nil }
        reopen()
        let answers = try read(queries, isLast: false)
        for stage in [answers.prefix(names.count), answers.dropFirst(names.count)] {
            let rows = stage.flatMap { answer in (try? answer.reading.get())?.rows ?? [] }
            let found = Dictionary(
                rows.compactMap { row in row.values[1].text.map { ($0, row.values[2].text ?? "") } }
            ) { first, _ in first }
            if found.count == 1 { return found.keys.first }
            guard found.count > 1 else { continue }
            let lines = found.sorted { $0.key < $1.key }.prefix(App.mostCandidates).map { "\($0.key)  \($0.value)" }
            throw Failure(
                .conflict, "\(text) is the name of \(App.candidates(found.count)) \(object.noun) objects",
                hint: "write the \(object.key) of one of these objects",
                details: lines)
        }
        for answer in answers {
            if case .failure(let failure) = answer.reading, failure.isLate { throw failure }
        }
        return nil
    }

    /// The requested time range and sort order of a list, with their columns.
    ///
    /// The time range applies to the first visible column with times. For a webhook, this is the time of arrival,
    /// not a time in its content.
    func arrangement(
        _ wanted: ListOptions, among columns: [Column], shown: [String] = [], of name: String
    ) throws(Failure) -> (span: (column: String, since: String?, until: String?)?, order: App.SortColumn?) {
        let order = try wanted.sort.map { sort throws(Failure) in
            try Listing.order(sort, among: columns.map(\.name))
        }
        if wanted.since == nil, wanted.until == nil { return (nil, order) }
        let times = columns.filter { [.timestamptz, .timestamp, .date].contains($0.type) }.map(\.name)
        guard let clock = shown.first(where: times.contains) ?? times.first else {
            throw Failure(
                .usage, "the list of \(name) has no column with a time, so `--since` and `--until` don't apply",
                hint: "remove `--since` and `--until`")
        }
        let since = try wanted.since.map { text throws(Failure) in try instant(text, named: "--since") }
        let until = try wanted.until.map { text throws(Failure) in try instant(text, named: "--until") }
        return ((clock, since, until), order)
    }

    /// The kind of object with a name; throws if the app has no such kind.
    package func kind(_ noun: String) throws(Failure) -> App.ObjectKind {
        guard let object = app.objects.first(where: { $0.noun == noun }) else {
            throw Failure(unknown: "\(app.name) has no kind of object \(noun)", known: app.objects.map(\.noun))
        }
        return object
    }
}
