package import AppFile
package import Asking
package import PQ

extension Listing {
    /// The objects of a kind.
    package static func objects(
        _ noun: String, where names: [String], limit: Int?, on connection: Connection, candidates: [App],
        options: InquiryOptions
    ) throws(Failure) -> Listing {
        let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
        let object = try inquiry.kind(noun)
        let selections = object.selections.filter { names.contains($0.name) }
        try inquiry.requireWhole([object.select] + selections.map(\.condition))
        var filter = App.ObjectFilter()
        filter.selections = selections
        filter.limit = limit
        let query = inquiry.app.list(of: object, filter, bindings: inquiry.bindings)
        return Listing(query, of: inquiry, key: object.key, shown: object.columns)
    }

    /// The rows of a listing verb; the values are those of its parameters, by name.
    package static func list(
        _ noun: String, _ verb: String, values: [String: String], user: String?, on connection: Connection,
        candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Listing {
        let opened: (inquiry: Inquiry, bindings: [String: Binding])
        if let user {
            let (inquiry, found, _) = try Inquiry.open(
                for: user, on: connection, candidates: candidates, options: options)
            opened = (inquiry, inquiry.bindings(for: found))
        } else {
            let inquiry = try Inquiry.open(on: connection, candidates: candidates, options: options)
            opened = (inquiry, inquiry.bindings)
        }
        let app = opened.inquiry.app
        guard let list = app.lists.first(where: { $0.noun == noun && $0.verb == verb }) else {
            throw Failure(.usage, "\(app.name) has no list \(noun) \(verb)")
        }
        try opened.inquiry.requireWhole([list.select])
        var bindings = opened.bindings
        let typed = try opened.inquiry.typed(values, as: list.parameters.all)
        bindings.merge(opened.inquiry.parameters(list.parameters.all, values: typed)) { _, own in own }
        return Listing(app.rows(of: list, bindings: bindings), of: opened.inquiry, columns: list.columns)
    }
}

extension Inquiry {
    /// The one object with a key.
    package static func object(
        _ noun: String, key: String, on connection: Connection, candidates: [App], options: InquiryOptions
    ) throws(Failure) -> Row {
        let inquiry = try open(on: connection, candidates: candidates, options: options)
        let object = try inquiry.kind(noun)
        let type = try inquiry.keyType(of: .object(noun))
        try inquiry.requireWhole([object.select])
        if try inquiry.transaction.misfits(among: [key], of: type).isEmpty {
            let answer = try inquiry.read(
                [inquiry.app.object(object, key: key, bindings: inquiry.bindings)], isLast: true)[0]
            switch answer.reading {
            case .success(let rows):
                if let row = rows.first { return row }
            case .failure(let unreadable): throw unreadable.failure
            }
        }
        throw Failure(.notFound, "there is no \(noun) \(key)", hint: "`usher \(noun) list` lists them")
    }

    /// The kind of object by that name.
    fileprivate func kind(_ noun: String) throws(Failure) -> App.ObjectKind {
        guard let object = app.objects.first(where: { $0.noun == noun }) else {
            throw Failure(.usage, "\(app.name) knows no \(noun)")
        }
        return object
    }

    /// Refuses to show a part as the whole.
    package func requireWhole(_ fragments: [Fragment]) throws(Failure) {
        try learnAllRelations()
        if let reason = hiding(fragments) { throw Failure(.forbidden, reason, hint: remedyForHiding) }
    }
}
