internal import AppFile
package import Asking
internal import PQ

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
        let object = try inquiry.app.kind(noun)
        if filter.user != nil, !object.hasOwner { throw Failure(noOwnerOf: noun) }
        filter.selections = object.selections.filter { wanted.selections.contains($0.name) }
        try inquiry.requireWhole([object.select] + filter.selections.map(\.condition))
        filter.limit = wanted.limit
        if wanted.sort != nil || wanted.since != nil || wanted.until != nil {
            var none = App.ListFilter()
            none.limit = 0
            let columns = try inquiry.columns(of: inquiry.queries.list(of: object, none))
            (filter.span, filter.order) = try arrangement(
                wanted, among: columns.filter { $0.name != App.ownerColumn }, shown: object.columns, of: noun,
                in: inquiry)
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

    /// The requested time range and sort order of a list, with their columns.
    ///
    /// The time range applies to the first visible column with times. For a webhook, this is the time of arrival,
    /// not a time in its content.
    static func arrangement(
        _ wanted: ListOptions, among columns: [Column], shown: [String] = [], of name: String, in inquiry: Inquiry
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
        let since = try wanted.since.map { text throws(Failure) in try inquiry.instant(text, named: "--since") }
        let until = try wanted.until.map { text throws(Failure) in try inquiry.instant(text, named: "--until") }
        return ((clock, since, until), order)
    }
}
