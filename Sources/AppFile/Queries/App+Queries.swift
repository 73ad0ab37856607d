/// Composes the statements for all blocks except decisions and changes.
extension App {
    /// Two SQL expressions: a key as text, and the name of its type for a cast.
    static func keyed(_ key: String) -> String {
        "\(key)::text, pg_catalog.format_type(pg_catalog.pg_typeof(\(key)), -1)"
    }

    /// The largest number of users that usher lists if several users have the same email.
    package static let mostCandidates = 10

    /// Lists the users: all, those in a selection, or those with an outcome of a decision.
    package func list(
        where selection: Selection?, decided: (decision: Decision, outcome: String)?,
        order: (column: String, isDescending: Bool)? = nil, limit: Int?, bindings: [String: Binding]
    ) -> ComposedQuery {
        var pieces: [Composer.Piece] = [
            .text("select facts.* from "), .definition("users"), .text(" facts where true"),
        ]
        if let selection { pieces += [.text(" and (\n"), .fragment(selection.condition), .text(")")] }
        if let (decision, outcome) = decided {
            pieces.append(.text(" and facts.\(Composer.quoted(users.key)) in ("))
            pieces += decision.keys(withOutcome: outcome, keyedBy: users.key) + [.text(")")]
        }
        let direction = order?.isDescending == true ? " desc nulls last" : ""
        let column = order.map { "facts.\(Composer.quoted($0.column))\(direction), " } ?? ""
        pieces.append(.text(" order by \(column)facts.\(Composer.quoted(users.key))"))
        if let limit { pieces.append(.text(" limit \(limit)")) }
        let defaults = decided?.decision.defaults ?? [:]
        return compose(pieces, bindings.merging(defaults) { given, _ in given })
    }

    /// Selects the outcomes of a decision for all users: the key, the value that distinguishes several answers, and the
    /// outcome.
    package func outcomes(ofAll decision: Decision, bindings: [String: Binding]) -> ComposedQuery {
        let per = decision.per.map { "facts.\(Composer.quoted($0))::text" } ?? "null::text"
        let judged: [Composer.Piece] =
            [
                .text("select facts.\(Composer.quoted(users.key))::text as key, "),
                .text("\(Composer.literal(decision.name))::text as decision, \(per) as per, "),
            ] + decision.outcome + [.text(" as outcome from (\n")] + decision.facts + [.text(") facts")]
        let pieces = decision.withDefaults(
            around: judged, includesDefaults: false)
        return compose(pieces, bindings.merging(decision.defaults) { given, _ in given })
    }

    /// Selects the keys of all users.
    package var everyKey: ComposedQuery {
        compose([.text("select u.\(Composer.quoted(users.key)) from "), .definition("users"), .text(" u")], [:])
    }

    /// Finds a key that occurs in several rows of the users.
    package var repeatedKey: ComposedQuery {
        let key = "u.\(Composer.quoted(users.key))"
        return compose(
            [
                .text("select \(key)::text from "), .definition("users"),
                .text(" u group by \(key) having pg_catalog.count(*) > 1 limit 1"),
            ], [:])
    }

    /// Selects the rows of a panel, and one more than its limit, to show that there are more rows.
    package func rows(of panel: Panel, bindings: [String: Binding]) -> ComposedQuery {
        compose(
            [.text("select * from (\n"), .fragment(panel.select), .text(") panel limit \(panel.limit + 1)")], bindings)
    }

    /// Selects the events of a timeline, the latest first.
    package func events(
        of timeline: Timeline, since: String?, until: String? = nil, limit: Int, bindings: [String: Binding]
    ) -> ComposedQuery {
        var pieces: [Composer.Piece] = [
            .text("select event.at::timestamptz, event.kind, event.title, event.detail from (\n"),
            .fragment(timeline.select), .text(") as event (at, kind, title, detail) where true"),
        ]
        pieces += Self.span(of: "event.at", since, until)
        // Events at the same time need a fixed order, too.
        pieces.append(
            .text(" order by event.at desc nulls last, event.kind, event.title, event.detail limit \(limit)"))
        return compose(pieces, bindings)
    }

    /// Selects how much of a quota a user has used.
    package func usage(of quota: Quota, by user: UserKey, bindings: [String: Binding]) -> ComposedQuery {
        compose(
            [
                .text("select quota.* from (\n"), .fragment(quota.select),
                .text(quota.columns + " where quota.key = "), .key(user),
                .text(quota.per == nil ? "" : " order by quota.per"),
            ], bindings)
    }

    /// Selects the usage of a user over time: the latest steps, in chronological order.
    package func rows(of history: Quota.History, limit: Int, bindings: [String: Binding]) -> ComposedQuery {
        compose(
            [
                .text("select latest.* from (\nselect history.* from (\n"), .fragment(history.select),
                .text(") history (at, used) order by 1 desc limit \(limit)) latest order by 1"),
            ], bindings)
    }

    /// Summarizes a quota over all users, in one row for each limit and period.
    ///
    /// Each row contains the number of users for whom the quota returned several rows.
    package func summary(of quota: Quota, bindings: [String: Binding]) -> ComposedQuery {
        // With `@per`, a user has several rows and counts only once.
        let users = "pg_catalog.count(\(quota.per == nil ? "*" : "distinct person.key"))"
        let tier = quota.tier.map { "owner.\(Composer.quoted($0))::text as tier, " } ?? ""
        let hasKey = quota.per != nil || quota.tier != nil
        let join: [Composer.Piece] =
            quota.tier == nil
            ? []
            : [
                .text("left join "), .definition("users"),
                .text(" owner on owner.\(Composer.quoted(self.users.key)) = person.key "),
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
                ], bindings)
    }

    /// Selects the numbers of a stat.
    package func rows(of stat: Stat, limit: Int, bindings: [String: Binding]) -> ComposedQuery {
        compose(
            [
                .text("select stat.* from (\n"), .fragment(stat.select), .text(") stat (label, value) limit \(limit)"),
            ], bindings)
    }

    /// Counts the users for each outcome of a decision, in the order of its rules.
    ///
    /// A user with several outcomes counts for each of them.
    package func outcomes(of decision: Decision, bindings: [String: Binding]) -> ComposedQuery {
        let count = decision.per == nil ? "*" : "distinct decided.person"
        var pieces: [Composer.Piece] = [
            .text("select decided.outcome, pg_catalog.count(\(count)) as users from (\n")
        ]
        let person = "facts.\(Composer.quoted(users.key))"
        let judged: [Composer.Piece] =
            [.text("select \(person) as person, ")] + decision.outcome + [.text(" as outcome from (\n")]
            + decision.facts + [.text(") facts")]
        pieces += decision.withDefaults(around: judged, includesDefaults: false)
        // With the `offset 0`, Postgres doesn't flatten the subquery, assumes few different outcomes, and so doesn't
        // sort all users by outcome.
        pieces += [
            .text(" offset 0) decided group by 1 order by pg_catalog.array_position("),
            .bound(Binding(constant: Self.array(decision.outcomes), type: "text[]")),
        ]
        pieces.append(.text(", decided.outcome)"))
        return compose(pieces, bindings.merging(decision.defaults) { given, _ in given })
    }

    /// Counts the rows of the users, the different users, and the users in each of some selections.
    package func count(
        _ selections: [Selection], areKnownOnce: Bool, bindings: [String: Binding]
    ) -> ComposedQuery {
        let each = areKnownOnce ? "*" : "distinct facts.\(Composer.quoted(users.key))"
        var pieces: [Composer.Piece] = [
            .text("select pg_catalog.count(*) as rows, pg_catalog.count(\(each)) as users")
        ]
        for (index, selection) in selections.enumerated() {
            pieces += [.text(", pg_catalog.count(*) filter (where (\n"), .fragment(selection.condition)]
            pieces.append(.text(")) as \"selection \(index)\""))
        }
        return compose(pieces + [.text(" from "), .definition("users"), .text(" facts")], bindings)
    }

    // MARK: Objects, lists, invariants

    /// Selects the object with a key; run the query only for a text that is valid for the key's type.
    package func object(_ object: ObjectKind, key: String, bindings: [String: Binding]) -> ComposedQuery {
        compose(
            [
                .text("select facts.* from "), .definition(object.noun),
                .text(" facts where facts.\(Composer.quoted(object.key)) = "),
                .value(key, type: nil),
            ], bindings)
    }

    /// Selects the rows of a list, in the order of the list unless the operator chose another.
    package func rows(of list: List, _ part: ListPart = ListPart(), bindings: [String: Binding]) -> ComposedQuery {
        guard !part.isWhole else { return compose([.fragment(list.select)], bindings) }
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
        return compose(pieces, bindings)
    }

    /// Selects the violations of an invariant, and one more than the limit, to show that there are more.
    package func violations(of check: Check, limit: Int, bindings: [String: Binding]) -> ComposedQuery {
        compose(
            [.text("select * from (\n"), .fragment(check.select), .text(") violation limit \(limit + 1)")], bindings)
    }

    /// The conditions that limit a time to a span, each with a leading AND.
    static func span(of column: String, _ since: String?, _ until: String?) -> [Composer.Piece] {
        (since.map { [.text(" and \(column) >= "), .value($0, type: "timestamptz")] } ?? [])
            + (until.map { [.text(" and \(column) < "), .value($0, type: "timestamptz")] } ?? [])
    }

    /// Keys as the text of a Postgres array.
    ///
    /// The text is built from bytes, because in Swift a quote and a combining accent are one character, but Postgres
    /// reads the quote separately.
    static func array(_ elements: [String]) -> String {
        var bytes: [UInt8] = []
        for element in elements {
            bytes += bytes.isEmpty ? "{\"".utf8 : ",\"".utf8
            for byte in element.utf8 {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        return elements.isEmpty ? "{}" : String(decoding: bytes, as: UTF8.self) + "}"
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
