internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
package import PQ

/// A query for the completions of a word on the command line.
package enum Lookup: Sendable, Hashable {
    /// The emails of users that begin with a text.
    case addresses(beginning: String)
    /// The keys of the settings table with a name; without a name, of the only settings table.
    case settings(String?)
    /// The objects of a kind whose key or identifier begins with a text; objects in some selections are preferred.
    case objects(String, beginning: String, among: [String])
    /// The latest operations: all operations, or only operations whose rows an undo can restore.
    case operations(undoable: Bool)
    case requests
    /// The names of the databases of a fleet, or of the schemas of tenants.
    case members
    case labels

    /// True if the results are the same for all schemas of a database.
    package var isOfDatabase: Bool {
        switch self {
        case .operations, .requests, .members, .labels: true
        case .addresses, .settings, .objects: false
        }
    }

    package struct Found: Sendable, Hashable {
        package let name: String
        package let summary: String
    }

    package struct Answer: Sendable, Hashable {
        package let found: [Found]
        /// True if the list contains every match, so that the console can insert the common prefix.
        package let isWhole: Bool

        /// The answer if the database can't be asked.
        package static let unknown = Answer(found: [], isWhole: false)
    }

    private static let most = 20

    /// Looks up completions within a time limit; the list is incomplete if a query fails.
    package func found(in place: ConnectionSummary, within seconds: Double, on connection: Connection) -> Answer {
        guard let inquiry = place.inquiry else { return .unknown }
        inquiry.reopen(on: connection, timeout: seconds)
        defer { try? inquiry.close() }
        let (app, options) = (inquiry.app, InquiryOptions(timeout: seconds))
        switch self {
        case .addresses(let text):
            let found = try? UserSearch.emails(beginning: text, limit: Self.most * 2, in: inquiry)
            guard let (emails, isWhole) = found else { return .unknown }
            let names = Set(emails.map { $0.lowercased() }.filter { $0.hasPrefix(text.lowercased()) }).sorted()
            return Answer(
                found: names.prefix(Self.most).map { Found(name: $0, summary: "") },
                isWhole: isWhole && names.count <= Self.most)
        case .settings(let name):
            guard let settings = try? app.settings(name) else { return .unknown }
            let (rows, isComplete) = Self.rows(of: [app.queries().rows(of: settings)], in: inquiry, isLast: true)
            return Answer(
                found: rows.prefix(Self.mostSettings).compactMap { $0.values.first?.text }.map {
                    Found(name: $0, summary: settings.summary)
                }, isWhole: isComplete && rows.count <= Self.mostSettings)
        case .objects(let noun, let text, let names):
            guard let object = app.objects.first(where: { $0.noun == noun }) else { return .unknown }
            return Self.completions(of: object, text, among: names, in: inquiry)
        case .operations(let undoable):
            var filter = ListOptions()
            filter.limit = undoable ? Self.most * 5 : Self.most
            let rows = try? Audit.list(filter, on: connection, candidates: [], options: options)
            let kept = (rows?.rows ?? []).filter { !undoable || Audit.isUndoable($0) }.prefix(Self.most)
            return Self.completions(of: Array(kept), ["command", "target", "outcome", "operator"], areAll: rows != nil)
        case .requests:
            let rows = try? FiledRequest.list(all: false, limit: Self.most, on: connection, options: options)
            return Self.completions(of: rows?.rows ?? [], ["command", "target", "operator"], areAll: rows != nil)
        case .members, .labels: return Answer(names: [])
        }
    }

    /// The ids of operations or requests, with other columns as description.
    private static func completions(of rows: [Row], _ columns: [String], areAll: Bool) -> Answer {
        let found = rows.compactMap { row in
            row.shown("id")?.text.map { id in
                Found(name: id, summary: columns.compactMap { row.shown($0)?.text }.joined(separator: ", "))
            }
        }
        return Answer(found: found, isWhole: areAll && found.count < most)
    }

    private static func completions(
        of object: App.ObjectKind, _ text: String, among names: [String], in inquiry: Inquiry
    ) -> Answer {
        let selections = object.selections.filter { names.contains($0.name) }
        var (rows, isComplete): ([Row], Bool) = ([], false)
        let ways = Self.likenesses(of: object, text, in: inquiry)
        // For an action with selections, usher offers the objects in these selections; without a match, it offers all
        // objects.
        for selections in selections.isEmpty ? [[]] : [selections, []] where rows.isEmpty {
            // Each column has its own query, because one column may have an index and another may need a scan.
            let queries = ways.map { identifier, likeness in
                inquiry.app.queries().offers(of: text, by: identifier, likeness, among: selections, limit: most + 1)
            }
            (rows, isComplete) = Self.rows(of: queries, in: inquiry, isLast: selections.isEmpty)
        }
        let found = rows.prefix(most).compactMap { row -> Found? in
            guard let key = row.values.first?.text else { return nil }
            return Found(name: key, summary: row.values.dropFirst().compactMap(\.text).joined(separator: ", "))
        }
        return Answer(found: found, isWhole: isComplete && rows.count <= most)
    }

    private static let mostSettings = 100

    /// The columns of objects to search for a prefix, each with its comparison; with nil, every object matches.
    private static func likenesses(
        of object: App.ObjectKind, _ text: String, in inquiry: Inquiry
    ) -> [(App.Identifier, App.Likeness?)] {
        let identifiers = inquiry.app.identifiers.filter { $0.object.noun == object.noun }
        guard !text.isEmpty else { return identifiers.filter(\.isKey).map { ($0, nil) } }
        let type = (try? inquiry.keyType(of: .object(object.noun))) ?? "text"
        return identifiers.compactMap { identifier in
            guard identifier.isKey, type == "uuid" else { return (identifier, .beginning) }
            return KeyText.beginning(with: text, type).map { (identifier, .keys($0)) }
        }
    }

    private static func rows(
        of queries: [ComposedQuery], in inquiry: Inquiry, isLast: Bool
    ) -> (rows: [Row], isComplete: Bool) {
        guard let answers = try? inquiry.read(queries, isLast: isLast) else { return ([], false) }
        let rows = answers.map { try? $0.get().rows }
        return (rows.flatMap { $0 ?? [] }, !rows.contains { $0 == nil })
    }
}

extension Lookup.Answer {
    package init(names: [String]) {
        self.init(found: names.map { Lookup.Found(name: $0, summary: "") }, isWhole: true)
    }
}
