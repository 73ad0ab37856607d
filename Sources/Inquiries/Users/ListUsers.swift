internal import AppFile
package import Asking
internal import PQ

extension Listing {
    package static func users(_ filter: ListOptions, in inquiry: Inquiry) throws(Failure) -> Listing {
        try inquiry.requireWholeDirectory()
        let app = inquiry.app
        let selection = try filter.selections.first.map { name throws(Failure) in
            try named(name, among: app.users.selections, as: "selection", \.name)
        }
        let decided = try filter.decision.map { wanted throws(Failure) in
            let decision = try named(wanted.name, among: app.decisions, as: "decision", \.name)
            _ = try named(wanted.outcome, among: decision.rules, as: "outcome", \.outcome)
            return (decision: decision, outcome: wanted.outcome)
        }
        try inquiry.requireWhole(
            (selection.map { [$0.condition] } ?? [])
                + (decided.map { [$0.decision.select].compactMap { $0 } + $0.decision.rules.map(\.condition) } ?? []))
        let order = try filter.sort.map { sort throws(Failure) in
            let columns = try inquiry.columns(of: inquiry.queries.list(where: nil, decided: nil, limit: 0))
            return try Listing.order(sort, among: columns.map(\.name))
        }
        func query(_ limit: Int?) -> ComposedQuery {
            inquiry.queries.list(where: selection, decided: decided, order: order, limit: limit)
        }
        var shown = app.users.columns
        if let order, !shown.isEmpty, !shown.contains(order.column) { shown.insert(order.column, at: 1) }
        return Listing(
            query: query(filter.limit), inquiry: inquiry, key: app.users.key, shown: shown, whole: app.users.emails,
            once: order == nil ? .neighbors : .rows, limited: filter.limit.map { ($0, query(nil)) })
    }

    /// Lists the outcomes of every decision for every user, in one listing per decision.
    ///
    /// The columns are the key, the value of `@per`, and the outcome.
    package static func outcomes(in inquiry: Inquiry) throws(Failure) -> [Listing] {
        try inquiry.requireWholeDirectory()
        let app = inquiry.app
        try inquiry.requireWhole(app.decisions.flatMap { [$0.select].compactMap { $0 } + $0.rules.map(\.condition) })
        return app.decisions.enumerated().map { place, decision in
            Listing(
                query: inquiry.queries.outcomes(of: decision, keys: nil), inquiry: inquiry, key: "key",
                once: place == app.decisions.count - 1 ? .directory : .unasked)
        }
    }

    /// Parses a typed sort order: a column, with a dash before it for descending order.
    static func order(_ typed: String, among columns: [String]) throws(Failure) -> App.SortColumn {
        let name = typed.hasPrefix("-") ? String(typed.dropFirst()) : typed
        guard columns.contains(name) else {
            throw Failure(unknown: "there is no column \(name) to sort by", known: columns)
        }
        return App.SortColumn(name, isDescending: typed.hasPrefix("-"))
    }

    /// The element with a name; throws with a list of all names if there is none.
    static func named<T>(
        _ name: String, among things: [T], as noun: String, _ path: (T) -> String
    ) throws(Failure) -> T {
        if let thing = things.first(where: { path($0) == name }) { return thing }
        var names: [String] = []
        for thing in things where !names.contains(path(thing)) { names.append(path(thing)) }
        throw Failure(unknown: "there is no \(noun) \(name)", known: names)
    }
}
