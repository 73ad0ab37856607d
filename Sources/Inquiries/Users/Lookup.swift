internal import AppFile
internal import Asking
internal import Catalog
internal import Ledger
package import PQ

/// A query whose answer completes a word.
package enum Lookup: Sendable, Hashable {
    /// Emails of users that begin with a text.
    case addresses(beginning: String)
    /// The rows of an editable table with a name; without a name, of the only one.
    case settings(String?)
    /// Objects of a kind whose keys begin with a text, in some selections if given.
    case objects(String, beginning: String, among: [String])
    /// The latest operations, or only those that an undo can restore.
    case operations(undoable: Bool)
    /// The latest open requests.
    case requests
    /// The databases of a fleet, or the schemas of tenants.
    case members
    /// The labels of the databases of a fleet.
    case labels

    /// True if the answer is the same for all schemas of a database.
    package var isOfDatabase: Bool {
        switch self {
        case .operations, .requests, .members, .labels: true
        case .addresses, .settings, .objects: false
        }
    }

    /// A possible completion, with its meaning.
    package struct Found: Sendable, Hashable {
        package let name: String
        package let summary: String
    }

    /// The found completions.
    package struct Answer: Sendable, Hashable {
        package let found: [Found]
        /// True if the list is complete, so that its common prefix is right.
        package let isWhole: Bool

        /// Creates a complete list of words without meanings.
        package init(names: [String]) { self.init(found: names.map { Found(name: $0, summary: "") }, isWhole: true) }

        /// The found completions, complete or not.
        package init(found: [Found], isWhole: Bool) {
            self.found = found
            self.isWhole = isWhole
        }
    }

    private static let most = 20

    /// Looks up completions within the time limit; failed queries make the answer incomplete.
    package func found(
        in place: ConnectionSummary, within seconds: Double, on connection: Connection
    ) -> Answer {
        guard let app = place.app else { return Answer(found: [], isWhole: false) }
        switch self {
        case .addresses(let text):
            let options = InquiryOptions(timeout: seconds)
            let inquiry = try? Inquiry.open(
                on: connection, candidates: [app.searchingEmails], options: options, for: .search)
            let users = try? inquiry?.users(beginning: text, limit: Self.most * 2)
            let emails = (users ?? []).flatMap { $0.emails(in: app) }.map { $0.lowercased() }
            let names = Set(emails.filter { $0.hasPrefix(text.lowercased()) }).sorted()
            return Answer(
                found: names.prefix(Self.most).map { Found(name: $0, summary: "") },
                isWhole: users.map { $0.count < Self.most * 2 } == true && names.count <= Self.most)
        case .settings(let name):
            guard let settings = try? app.settings(name), let query = app.rows(of: settings) else {
                return Answer(found: [], isWhole: false)
            }
            let (rows, isComplete) = Self.rows(of: [Query(query)], within: seconds, on: connection)
            return Answer(
                found: rows.prefix(Self.mostSettings).compactMap { $0.values.first?.text }.map {
                    Found(name: $0, summary: settings.summary)
                }, isWhole: isComplete && rows.count <= Self.mostSettings)
        case .objects(let noun, let text, let names):
            guard let object = app.objects.first(where: { $0.noun == noun }) else {
                return Answer(found: [], isWhole: false)
            }
            let selections = object.selections.filter { names.contains($0.name) }
            var (rows, isComplete): ([Row], Bool) = ([], false)
            let ways = Self.ways(to: object, text, app, within: seconds, on: connection)
            // An action for waiting objects completes only those.
            for selections in selections.isEmpty ? [[]] : [selections, []] where rows.isEmpty {
                // Each column has its own query, because one may have an index and another may need a scan.
                let queries = ways.map { identifier, ways in
                    Query(app.offers(of: text, by: identifier, ways, among: selections, limit: Self.most + 1))
                }
                (rows, isComplete) = Self.rows(of: queries, within: seconds, on: connection)
            }
            let found = rows.prefix(Self.most).compactMap { row -> Found? in
                guard let key = row.values.first?.text else { return nil }
                return Found(name: key, summary: row.values.dropFirst().compactMap(\.text).joined(separator: ", "))
            }
            return Answer(found: found, isWhole: isComplete && rows.count <= Self.most)
        case .operations(let undoable):
            let rows = try? Audit.list(
                AuditFilter(limit: undoable ? Self.most * 5 : Self.most), on: connection, candidates: [],
                options: InquiryOptions(timeout: seconds))
            let found = (rows?.rows ?? []).filter { !undoable || Audit.isUndoable($0) }.prefix(Self.most).compactMap {
                row -> Found? in
                guard let id = row.shown("id")?.text else { return nil }
                let parts = ["command", "target", "outcome", "operator"].compactMap { row.shown($0)?.text }
                return Found(name: id, summary: parts.joined(separator: ", "))
            }
            return Answer(found: found, isWhole: found.count < Self.most)
        case .requests:
            let rows = try? FiledRequest.list(
                all: false, limit: Self.most, on: connection, options: InquiryOptions(timeout: seconds))
            let found = (rows?.rows ?? []).compactMap { row in
                row.shown("id")?.text.map { id in
                    let parts = ["command", "target", "operator"].compactMap { row.shown($0)?.text }
                    return Found(name: id, summary: parts.joined(separator: ", "))
                }
            }
            return Answer(found: found, isWhole: rows != nil && found.count < Self.most)
        case .members, .labels: return Answer(names: [])
        }
    }

    private static let mostSettings = 100

    /// The queries that find objects by a prefix of their names, as far as indexes help.
    private static func ways(
        to object: App.ObjectKind, _ text: String, _ app: App, within seconds: Double, on connection: Connection
    ) -> [(App.Identifier, [App.Likeness?])] {
        let identifiers = app.identifiers.filter { $0.object.noun == object.noun }
        guard !text.isEmpty else { return identifiers.filter(\.isKey).map { ($0, [nil]) } }
        let question = app.keyType(of: .object(object.noun), bindings: [:]).map { Query($0) }
        let (rows, _) = rows(of: question.map { [$0] } ?? [], within: seconds, on: connection)
        let type = rows.first?.values.first?.text
        return identifiers.compactMap { identifier in
            guard identifier.isKey, let type, !KeyText.isAnyText(type) else { return (identifier, [.beginning]) }
            let ranges = KeyText.ranges(beginning: text, type)
            // For other types, keys with the same prefix may be anywhere.
            let isKnown = KeyText.fits("", type) == false
            return ranges.isEmpty ? isKnown ? nil : (identifier, [.beginning]) : (identifier, ranges.map { .keys($0) })
        }
    }

    /// The rows, and whether all queries succeeded.
    private static func rows(
        of queries: [Query], within seconds: Double, on connection: Connection
    ) -> (rows: [Row], isComplete: Bool) {
        let transaction = ReadTransaction(on: connection, settings: .init(timeout: seconds))
        guard let answers = try? transaction.read(queries, isLast: true) else { return ([], false) }
        let rows = answers.map { try? $0.get().rows }
        return (rows.flatMap { $0 ?? [] }, !rows.contains { $0 == nil })
    }
}
