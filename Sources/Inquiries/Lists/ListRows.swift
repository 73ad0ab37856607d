internal import AppFile
package import Asking
internal import PQ

extension Listing {
    /// Lists the rows of a list command.
    ///
    /// `values` contains the parameters of the list by name, and `user` is the user that the list is about.
    package static func list(
        _ noun: String, _ verb: String, _ wanted: ListOptions = ListOptions(), values: [String: String],
        user: String?, in inquiry: Inquiry
    ) throws(Failure) -> Listing {
        let found = try (user ?? wanted.user).map { name throws(Failure) in try inquiry.user(named: name) }
        guard let list = inquiry.app.lists.first(where: { $0.noun == noun && $0.verb == verb }) else {
            throw Failure(
                unknown: "\(inquiry.app.name) has no list \(noun) \(verb)",
                known: inquiry.app.lists.map { "\($0.noun) \($0.verb)" })
        }
        try inquiry.requireWhole([list.select])
        var bindings = inquiry.bindings
        if user != nil, let found { bindings = inquiry.bindings(for: found) }
        let typed = try inquiry.typed(values, as: list.parameters.all)
        bindings.merge(try inquiry.parameters(list.parameters.all, values: typed)) { _, own in own }
        var filter = try inquiry.filter(of: list, wanted, whose: wanted.user == nil ? nil : found, bindings)
        let query = inquiry.app.queries(bindings).rows(of: list, filter)
        filter.limit = nil
        let all = inquiry.app.queries(bindings).rows(of: list, filter)
        return Listing(
            query: query, inquiry: inquiry, columns: list.columns, limited: wanted.limit.map { ($0, all) })
    }
}

extension Inquiry {
    /// The requested filter and order of a list; throws if the list lacks a column for them.
    fileprivate func filter(
        of list: App.List, _ wanted: ListOptions, whose user: User?, _ bindings: [String: Binding]
    ) throws(Failure) -> App.ListFilter {
        var filter = App.ListFilter()
        filter.limit = wanted.limit
        guard user != nil || wanted.since != nil || wanted.until != nil || wanted.sort != nil else { return filter }
        let columns = try self.columns(of: app.queries(bindings).rows(of: list))
        let name = "\(list.noun) \(list.verb)"
        if let user {
            // A column with the name of the users' key may contain other keys, unless the list also has an email
            // column.
            let address = app.users.emails.first { email in columns.contains { $0.name == email } }
            guard let address else { throw Failure(noOwnerOf: name) }
            if columns.contains(where: { $0.name == app.users.key }) {
                filter.whose = (app.users.key, user.key)
            } else {
                filter.whose = (address, user.facts.shown(address)?.text ?? user.key)
            }
        }
        (filter.span, filter.order) = try Listing.arrangement(wanted, among: columns, of: name, in: self)
        return filter
    }
}
