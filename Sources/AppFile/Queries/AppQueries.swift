extension App {
    /// The statements that read the app, with values for their parameters.
    package func queries(_ bindings: [String: Binding] = [:]) -> AppQueries {
        AppQueries(app: self, bindings: bindings)
    }
}

/// Composes the statements that read an app: its users, objects and blocks.
package struct AppQueries: Sendable {
    let app: App
    let bindings: [String: Binding]

    private func compose(_ pieces: [Composer.Piece], with defaults: [String: Binding] = [:]) -> ComposedQuery {
        app.compose(pieces, bindings.merging(defaults) { given, _ in given })
    }

    /// Lists all users, the users in a selection, or the users with an outcome of a decision.
    package func list(
        where selection: App.Selection?, decided: (decision: App.Decision, outcome: String)?,
        order: (column: String, isDescending: Bool)? = nil, limit: Int?
    ) -> ComposedQuery {
        var pieces: [Composer.Piece] = [
            .text("select facts.* from "), .definition("users"), .text(" facts where true"),
        ]
        if let selection { pieces += [.text(" and (\n"), .fragment(selection.condition), .text(")")] }
        if let (decision, outcome) = decided {
            pieces.append(.text(" and facts.\(Composer.quoted(app.users.key)) in ("))
            pieces += decision.keys(withOutcome: outcome, keyedBy: app.users.key) + [.text(")")]
        }
        let direction = order?.isDescending == true ? " desc nulls last" : ""
        let column = order.map { "facts.\(Composer.quoted($0.column))\(direction), " } ?? ""
        pieces.append(.text(" order by \(column)facts.\(Composer.quoted(app.users.key))"))
        if let limit { pieces.append(.text(" limit \(limit)")) }
        let defaults = decided?.decision.defaults ?? [:]
        return compose(pieces, with: defaults)
    }

    /// Selects the outcomes of a decision for all users: the key, the value that distinguishes several answers, and the
    /// outcome.
    package func outcomes(ofAll decision: App.Decision) -> ComposedQuery {
        let per = decision.per.map { "facts.\(Composer.quoted($0))::text" } ?? "null::text"
        let judged: [Composer.Piece] =
            [
                .text("select facts.\(Composer.quoted(app.users.key))::text as key, "),
                .text("\(Composer.literal(decision.name))::text as decision, \(per) as per, "),
            ] + decision.outcome + [.text(" as outcome from (\n")] + decision.facts + [.text(") facts")]
        let pieces = decision.withDefaults(
            around: judged, includesDefaults: false)
        return compose(pieces, with: decision.defaults)
    }

    /// Selects the keys of all users.
    package var everyKey: ComposedQuery {
        compose([.text("select u.\(Composer.quoted(app.users.key)) from "), .definition("users"), .text(" u")])
    }

    /// Finds a key that occurs in several rows of the users.
    package var repeatedKey: ComposedQuery {
        let key = "u.\(Composer.quoted(app.users.key))"
        return compose(
            [
                .text("select \(key)::text from "), .definition("users"),
                .text(" u group by \(key) having pg_catalog.count(*) > 1 limit 1"),
            ])
    }

    /// Selects the rows of a panel, and one more than its limit, to show that there are more rows.
    package func rows(of panel: App.Panel) -> ComposedQuery {
        compose(
            [.text("select * from (\n"), .fragment(panel.select), .text(") panel limit \(panel.limit + 1)")])
    }

    /// Selects the events of a timeline, the latest first.
    package func events(
        of timeline: App.Timeline, since: String?, until: String? = nil, limit: Int
    ) -> ComposedQuery {
        var pieces: [Composer.Piece] = [
            .text("select event.at::timestamptz, event.kind, event.title, event.detail from (\n"),
            .fragment(timeline.select), .text(") as event (at, kind, title, detail) where true"),
        ]
        pieces += Self.span(of: "event.at", since, until)
        // Events at the same time need a fixed order, too.
        pieces.append(
            .text(" order by event.at desc nulls last, event.kind, event.title, event.detail limit \(limit)"))
        return compose(pieces)
    }

    /// Selects how much of a quota a user has used.
    package func usage(of quota: App.Quota, by user: UserKey) -> ComposedQuery {
        compose(
            [
                .text("select quota.* from (\n"), .fragment(quota.select),
                .text(quota.columns + " where quota.key = "), .key(user),
                .text(quota.per == nil ? "" : " order by quota.per"),
            ])
    }

    /// Selects the usage of a user over time: the latest steps, in chronological order.
    package func rows(of history: App.Quota.History, limit: Int) -> ComposedQuery {
        compose(
            [
                .text("select latest.* from (\nselect history.* from (\n"), .fragment(history.select),
                .text(") history (at, used) order by 1 desc limit \(limit)) latest order by 1"),
            ])
    }

    /// Summarizes a quota over all users, in one row for each limit and period.
    ///
    /// Each row contains the number of users for whom the quota returned several rows.
    package func summary(of quota: App.Quota) -> ComposedQuery {
        // With `@per`, a user has several rows and counts only once.
        let users = "pg_catalog.count(\(quota.per == nil ? "*" : "distinct person.key"))"
        let tier = quota.tier.map { "owner.\(Composer.quoted($0))::text as tier, " } ?? ""
        let hasKey = quota.per != nil || quota.tier != nil
        let join: [Composer.Piece] =
            quota.tier == nil
            ? []
            : [
                .text("left join "), .definition("users"),
                .text(" owner on owner.\(Composer.quoted(app.users.key)) = person.key "),
            ]
        return compose(
            [
                .text("select \(tier)person.\"limit\", person.period, \(users) as users, "),
                .text("pg_catalog.sum(person.used) as used, "),
                .text("\(users) filter (where person.used >= person.\"limit\") as exhausted, "),
                .text("pg_catalog.count(*) filter (where person.answers > 1) as several from ("),
                // If a user has only one row, the minimum of a column is the value of that row.
                .text(hasKey ? "select quota.key, " : "select "),
                .text("pg_catalog.min(quota.used) as used, pg_catalog.min(quota.\"limit\") as \"limit\", "),
                .text("pg_catalog.min(quota.period::text) as period, pg_catalog.count(*) as answers from (\n"),
                .fragment(quota.select),
                .text("\(quota.columns) group by quota.key\(quota.per == nil ? "" : ", quota.per")) person "),
            ] + join
                + [
                    .text(tier.isEmpty ? "group by 1, 2 " : "group by 1, 2, 3 "),
                    .text("order by person.\"limit\" nulls last, person.period"), .text(tier.isEmpty ? "" : ", 1"),
                ])
    }

    /// Selects the numbers of a stat.
    package func rows(of stat: App.Stat, limit: Int) -> ComposedQuery {
        compose(
            [
                .text("select stat.* from (\n"), .fragment(stat.select), .text(") stat (label, value) limit \(limit)"),
            ])
    }

    /// Counts the users for each outcome of a decision, in the order of its rules.
    ///
    /// A user with several outcomes counts for each of them.
    package func outcomes(of decision: App.Decision) -> ComposedQuery {
        let count = decision.per == nil ? "*" : "distinct decided.person"
        var pieces: [Composer.Piece] = [
            .text("select decided.outcome, pg_catalog.count(\(count)) as users from (\n")
        ]
        let person = "facts.\(Composer.quoted(app.users.key))"
        let judged: [Composer.Piece] =
            [.text("select \(person) as person, ")] + decision.outcome + [.text(" as outcome from (\n")]
            + decision.facts + [.text(") facts")]
        pieces += decision.withDefaults(around: judged, includesDefaults: false)
        // `offset 0` stops Postgres from flattening the subquery. Postgres then expects few different outcomes, and
        // doesn't sort all users by outcome.
        pieces += [
            .text(" offset 0) decided group by 1 order by pg_catalog.array_position("),
            .bound(Binding(constant: Composer.array(decision.outcomes), type: "text[]")),
        ]
        pieces.append(.text(", decided.outcome)"))
        return compose(pieces, with: decision.defaults)
    }

    /// Counts the rows of the `@users` select, the different users, and the users in each of some selections.
    package func count(
        _ selections: [App.Selection], areKnownOnce: Bool
    ) -> ComposedQuery {
        let each = areKnownOnce ? "*" : "distinct facts.\(Composer.quoted(app.users.key))"
        var pieces: [Composer.Piece] = [
            .text("select pg_catalog.count(*) as rows, pg_catalog.count(\(each)) as users")
        ]
        for (index, selection) in selections.enumerated() {
            pieces += [.text(", pg_catalog.count(*) filter (where (\n"), .fragment(selection.condition)]
            pieces.append(.text(")) as \"selection \(index)\""))
        }
        return compose(pieces + [.text(" from "), .definition("users"), .text(" facts")])
    }

    // MARK: Objects, lists, invariants

    /// Selects the object with a key; run the query only for a text that is valid for the key's type.
    package func object(_ object: App.ObjectKind, key: String) -> ComposedQuery {
        compose(
            [
                .text("select facts.* from "), .definition(object.noun),
                .text(" facts where facts.\(Composer.quoted(object.key)) = "),
                .value(key, type: nil),
            ])
    }

    /// Selects the rows of a list, in the order of the list unless the operator chose another.
    package func rows(of list: App.List, _ part: ListPart = ListPart()) -> ComposedQuery {
        guard !part.isWhole else { return compose([.fragment(list.select)]) }
        var pieces: [Composer.Piece] = [
            .text("select list.* from (\n"), .fragment(list.select), .text(") list where true"),
        ]
        if let (column, text) = part.whose {
            pieces += [.text(" and pg_catalog.lower(list.\(Composer.quoted(column))::text) = pg_catalog.lower(")]
            pieces += [.value(text, type: "text"), .text(")")]
        }
        if let (column, since, until) = part.span {
            pieces += Self.span(of: "list.\(Composer.quoted(column))", since, until)
        }
        if let (column, isDescending) = part.order {
            pieces.append(.text(" order by list.\(Composer.quoted(column))\(isDescending ? " desc nulls last" : "")"))
        }
        if let limit = part.limit { pieces.append(.text(" limit \(limit)")) }
        return compose(pieces)
    }

    /// Selects the violations of an invariant, and one more than the limit, to show that there are more.
    package func violations(of check: App.Check, limit: Int) -> ComposedQuery {
        compose(
            [.text("select * from (\n"), .fragment(check.select), .text(") violation limit \(limit + 1)")])
    }

    /// The conditions that limit a time to a span, each with a leading AND.
    static func span(of column: String, _ since: String?, _ until: String?) -> [Composer.Piece] {
        (since.map { [.text(" and \(column) >= "), .value($0, type: "timestamptz")] } ?? [])
            + (until.map { [.text(" and \(column) < "), .value($0, type: "timestamptz")] } ?? [])
    }

    // MARK: Objects of users

    /// Lists the objects of a kind that pass a filter.
    package func list(of object: App.ObjectKind, _ filter: App.ObjectFilter) -> ComposedQuery {
        // If an object has members, its owner can be another user than the member.
        let user = object.members == nil ? filter.user : nil
        let owner = filter.namesOwner ? naming(object, of: user) : (column: "", join: [])
        var condition = filter.user.map { belonging(object, to: $0) } ?? [.text("true")]
        for selection in filter.selections {
            condition += [.text(" and (\n"), .fragment(selection.condition), .text(")")]
        }
        if let span = filter.span {
            condition += Self.span(of: "facts.\(Composer.quoted(span.column))", span.since, span.until)
        }
        let order = order(of: object, by: filter.order)
        if let limit = filter.limit { condition += order + [.text(" limit \(limit)")] }
        let head: [Composer.Piece] = [.text("select facts.*\(owner.column) from ")]
        // Without a limit, the rows are streamed, so Postgres doesn't need to buffer them.
        let pieces =
            filter.limit == nil
            ? head + [.definition(object.noun), .text(" facts")] + owner.join + [.text(" where ")] + condition + order
            : head + Composer.some(of: object.noun, where: condition) + owner.join + order
        return compose(pieces)
    }

    /// Sorts by a chosen column or the order of the app file, and then by key.
    private func order(of object: App.ObjectKind, by sorted: (column: String, isDescending: Bool)?) -> [Composer.Piece]
    {
        let key = "facts.\(Composer.quoted(object.key))"
        if let sorted {
            let direction = sorted.isDescending ? " desc nulls last" : ""
            return [.text(" order by facts.\(Composer.quoted(sorted.column))\(direction), \(key)")]
        }
        return [.text(" order by " + (object.order.map(\.sql) + [key]).joined(separator: ", "))]
    }

    private func naming(_ object: App.ObjectKind, of user: UserKey?) -> (column: String, join: [Composer.Piece]) {
        guard app.namesOwners(of: object), let column = object.userColumn else { return ("", []) }
        let addresses = app.users.emails.map { "\(Composer.quoted($0))::pg_catalog.text" }
        let (key, address) = ("\"usher owner\"", "\"usher address\"")
        // The columns of the user have special names here, because names in conditions stand for columns of the object.
        return (
            ", owner.\(address) as \(Composer.quoted(App.ownerColumn))",
            [
                .text(
                    " left join (select \(Composer.quoted(app.users.key)), coalesce(\(addresses.joined(separator: ", "))) from "
                ),
                .definition("users"),
            ] + (user.map { [.text(" where \(Composer.quoted(app.users.key)) = "), .key($0)] } ?? []) + [
                .text(") owner (\(key), \(address)) on owner.\(key) = facts.\(Composer.quoted(column))")
            ]
        )
    }

    /// Finds the rows of a user, or of the user's objects, that violate an invariant.
    ///
    /// The query returns one more row than the limit, to show that there are more rows. There is no query if the
    /// invariant is about objects without a user. The first column gets a reserved name, so that the condition can
    /// refer to it in any select.
    package func violations(
        of check: App.Check, by user: UserKey, limit: Int
    ) -> ComposedQuery? {
        let subject = "violation.\(Composer.quoted(Self.subjectColumn))"
        let condition: [Composer.Piece]
        switch check.subject {
        case .users:
            condition = [.text("\(subject) = "), .key(user)]
        case .object(let noun):
            guard let object = app.objects.first(where: { $0.noun == noun }), object.hasOwner else { return nil }
            // Postgres computes the array once, and can then use an index of the invariant's table.
            condition =
                [.text("\(subject) = any(array(select facts.\(Composer.quoted(object.key)) from ")]
                + Composer.some(of: noun, where: belonging(object, to: user)) + [.text("))")]
        case .nothing: return nil
        }
        return violations(of: check, where: condition, limit: limit)
    }

    /// Finds the rows of one object that violate an invariant, whatever user the object belongs to.
    package func violations(
        of check: App.Check, byObject key: String, limit: Int
    ) -> ComposedQuery {
        let subject = "violation.\(Composer.quoted(Self.subjectColumn))"
        return violations(
            of: check, where: [.text("\(subject) = "), .value(key, type: nil)], limit: limit)
    }

    /// Finds the rows that violate an invariant and meet a condition on the key in their first column.
    private func violations(
        of check: App.Check, where condition: [Composer.Piece], limit: Int
    ) -> ComposedQuery {
        let head: [Composer.Piece] = [
            .text("select violation.* from (\n"), .fragment(check.select),
            .text(") violation (\(Composer.quoted(Self.subjectColumn))) where "),
        ]
        return compose(head + condition + [.text(" limit \(limit + 1)")])
    }

    private static let subjectColumn = "usher subject"

    /// The condition that an object belongs to a user.
    private func belonging(_ object: App.ObjectKind, to user: UserKey) -> [Composer.Piece] {
        if let members = object.members {
            return [
                .text("facts.\(Composer.quoted(object.key)) = any(array(select member.key from (\n"),
                .fragment(members), .text(") member (key, person) where member.person = "), .key(user), .text("))"),
            ]
        }
        return object.userColumn.map { [.text("facts.\(Composer.quoted($0)) = "), .key(user)] } ?? [.text("false")]
    }

    // MARK: Identifiers

    /// The objects that a query finds: objects of users, objects without a user, or both.
    package enum Ownership: Sendable { case owned, ownerless, any }

    /// Finds objects by an identifier.
    ///
    /// The columns are the key of the user, the key of the object, and the value of the identifier. With `.any`, the
    /// query doesn't determine the user.
    package func objects(
        _ ownership: Ownership = .any, with text: String, as identifier: App.Identifier, _ likeness: App.Likeness,
        limit: Int
    ) -> ComposedQuery {
        let object = identifier.object
        let key = "named.\(Composer.quoted(object.key))"
        let value = "named.\(Composer.quoted(identifier.column))"
        let (owner, join) = ownership == .any ? ("null", []) : owner(of: object)
        let condition =
            switch ownership {
            case .owned: "\(owner) is not null and "
            case .ownerless: "\(owner) is null and "
            case .any: ""
            }
        return compose(
            [
                .text("select \(owner)::pg_catalog.text, \(key)::pg_catalog.text, \(value)::pg_catalog.text from "),
                .definition(object.noun), .text(" named"),
            ] + join + [.text(" where \(condition)")] + test(value, text, likeness) + [.text(" limit \(limit)")])
    }

    /// The expression for the key of an object's user, and the join that the expression needs.
    private func owner(of object: App.ObjectKind) -> (expression: String, join: [Composer.Piece]) {
        let owner = object.userColumn.map { "named.\(Composer.quoted($0))" }
        guard let members = object.members else { return (owner ?? "null", []) }
        // An object whose user column is NULL belongs to its members.
        let isMember = "m.key = named.\(Composer.quoted(object.key))\(owner.map { " and \($0) is null" } ?? "")"
        let join: [Composer.Piece] = [
            .text(" left join lateral (select m.person from (\n"), .fragment(members),
            .text(") m (key, person) where \(isMember)) member on true"),
        ]
        guard let owner else { return ("member.person", join) }
        return ("coalesce(\(owner)::pg_catalog.text, member.person::pg_catalog.text)", join)
    }

    /// Finds objects to offer as completions, with the identifier first and then the columns that distinguish the
    /// objects.
    ///
    /// A nil likeness matches every object. With `selections`, only objects in one of them are found.
    package func offers(
        of text: String, by identifier: App.Identifier, _ likeness: App.Likeness?, among selections: [App.Selection],
        limit: Int
    ) -> ComposedQuery {
        let object = identifier.object
        // usher offers emails only after the operator has typed their first letters.
        let others = object.columns.filter {
            $0 != object.key && $0 != object.userColumn && !app.users.emails.contains($0)
        }
        let shown = ([identifier.column] + others).map { "facts.\(Composer.quoted($0))::pg_catalog.text" }
        var selected: [Composer.Piece] = []
        for (index, selection) in selections.enumerated() {
            selected += [.text(index == 0 ? " and ((\n" : " or (\n"), .fragment(selection.condition), .text(")")]
        }
        if !selections.isEmpty { selected.append(.text(")")) }
        let pieces: [Composer.Piece] = [
            .text("select " + shown.joined(separator: ", ") + " from "), .definition(object.noun),
            .text(" facts where "),
        ]
        let matches = likeness.map { test("facts.\(Composer.quoted(identifier.column))", text, $0) } ?? [.text("true")]
        return compose(pieces + matches + selected + [.text(" limit \(limit)")])
    }

    /// The condition that a column matches a text.
    private func test(_ column: String, _ text: String, _ likeness: App.Likeness) -> [Composer.Piece] {
        let needle: Composer.Piece = .value(text, type: "text")
        let value = "\(column)::pg_catalog.text"
        switch likeness {
        case .key: return [.text("\(column) = "), .value(text, type: nil)]
        case .keys(let range):
            return [
                .text("\(column) between "), .value(range.lowerBound, type: nil), .text(" and "),
                .value(range.upperBound, type: nil),
            ]
        case .letters: return [.text("\(value) = "), needle]
        case .same:
            return [.text("pg_catalog.lower(\(value)) = pg_catalog.lower("), needle, .text(")")]
        case .beginning:
            // Postgres can use an index in a language's sort order for the range, and an index in byte order for the
            // pattern.
            return [
                .text("\(value) >= "), needle, .text(" and \(value) <= greatest("),
                .value(text + "zzzzzzzz", type: "text"), .text(", "), .value(text + "\u{FFFF}", type: "text"),
                .text(") and \(value) like "), .value(Directory.pattern(text) + "%", type: "text"),
            ]
        case .inside:
            // Postgres can use a trigram index for this pattern.
            return [
                .text("pg_catalog.lower(\(value)) like pg_catalog.lower("),
                .value("%" + Directory.pattern(text) + "%", type: "text"), .text(")"),
            ]
        }
    }

    /// Selects the key and the editable columns of a settings table; nil if the app file doesn't name a valid table.
    package func rows(of settings: App.Settings) -> ComposedQuery? {
        guard let table = TableName(path: settings.table) else { return nil }
        let names = [settings.key] + settings.columns.map(\.name)
        let list = names.map { "t.\(Composer.quoted($0))" }.joined(separator: ", ")
        return compose([.text("select \(list) from \(table.quoted) t order by 1")])
    }

    /// Finds the objects with a key; the columns are the key as text, the name of the key's type, and the facts.
    package func resolution(ofObject object: App.ObjectKind, key text: String) -> ComposedQuery {
        let key = "facts.\(Composer.quoted(object.key))"
        return compose(
            [
                .text("select \(Composer.keyed(key)), facts.* from "),
                .definition(object.noun), .text(" facts where \(key) = "), .value(text, type: nil), .text(" limit 2"),
            ])
    }
}

extension App.Quota {
    /// The alias of the quota's select, with names for its columns.
    var columns: String {
        ") as quota (key, used, \"limit\", period, resets_at\(per == nil ? "" : ", per"))"
    }

    /// The columns that the quota's select must return.
    var shape: [ShapedColumn] {
        let columns: [ShapedColumn] = [
            .init("key"), .init("used", kind: .number),
            .init("limit", kind: .number, isOptional: true), .init("period"),
            .init("resets_at", kind: .time, isOptional: true),
        ]
        return columns + [per].compactMap { $0 }.map { ShapedColumn($0) }
    }
}
