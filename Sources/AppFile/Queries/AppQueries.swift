extension App {
    /// The statements of the app, with values for their parameters.
    package func queries(_ bindings: [String: Binding] = [:]) -> AppQueries {
        AppQueries(app: self, bindings: bindings)
    }
}

/// Composes the statements of an app; this file has the statements that read its users, objects and blocks.
package struct AppQueries: Sendable {
    let app: App
    let bindings: [String: Binding]

    func compose(_ sql: SQL, with defaults: [String: Binding] = [:]) -> ComposedQuery {
        app.compose(sql, bindings.merging(defaults) { given, _ in given })
    }

    /// The column of the users' keys; the users have the alias `facts`.
    var key: SQL { "facts.\(name: app.users.key)" }

    /// Lists all users, the users in a selection, or the users with an outcome of a decision.
    package func list(
        where selection: App.Selection?, decided: (decision: App.Decision, outcome: String)?,
        order: App.SortColumn? = nil, limit: Int?
    ) -> ComposedQuery {
        var sql: SQL = "select facts.* from \(definition: "users") facts where true"
        if let selection { sql += .all(of: [selection]) }
        if let (decision, outcome) = decided {
            sql += " and \(key) in (\(decision.keys(withOutcome: outcome, keyedBy: app.users.key)))"
        }
        sql += " order by \(order.map { "\($0.sql(of: "facts")), " })\(key)"
        if let limit { sql += " limit \(limit)" }
        return compose(sql, with: decided?.decision.defaults ?? [:])
    }

    /// Selects the outcomes of a decision: the key, the value that distinguishes several answers, and the outcome.
    ///
    /// Without keys, the query is about all users, and the name of the decision follows the key.
    package func outcomes(of decision: App.Decision, keys: Binding?) -> ComposedQuery {
        let name: SQL? = keys == nil ? "\(unsafe: Composer.literal(decision.name))::text as decision, " : nil
        let condition: SQL? = keys.map { " where \(key) = any(\($0))" }
        return compose(
            decision.judged("\(key)::text as key, \(name)\(decision.answer) as per", where: condition),
            with: decision.defaults)
    }

    /// Finds a key that occurs in several rows of the users.
    package var repeatedKey: ComposedQuery {
        compose(
            """
            select \(key)::text from \(definition: "users") facts \
            group by \(key) having pg_catalog.count(*) > 1 limit 1
            """)
    }

    /// Selects the rows of a panel, and one more than its limit, to show that there are more rows.
    package func rows(of panel: App.Panel) -> ComposedQuery {
        compose("select * from (\n\(panel.select)) panel limit \(panel.limit + 1)")
    }

    /// Selects the events of a timeline, the latest first.
    package func events(
        of timeline: App.Timeline, since: String?, until: String? = nil, limit: Int
    ) -> ComposedQuery {
        // Events at the same time need a fixed order, too.
        compose(
            """
            select event.at::timestamptz, event.kind, event.title, event.detail from (
            \(timeline.select)) as event (at, kind, title, detail) where true\(.span(of: "event.at", since, until)) \
            order by event.at desc nulls last, event.kind, event.title, event.detail limit \(limit)
            """)
    }

    /// Selects how much of a quota a user has used.
    package func usage(of quota: App.Quota, by user: UserKey) -> ComposedQuery {
        let order: SQL? = quota.per == nil ? nil : " order by quota.per"
        return compose("select quota.* from \(quota.rows) where quota.key = \(user)\(order)")
    }

    /// Selects the usage of a user over time: the latest steps, in chronological order.
    package func rows(of history: App.Quota.History, limit: Int) -> ComposedQuery {
        compose(
            """
            select latest.* from (
            select history.* from (
            \(history.select)) history (at, used) order by 1 desc limit \(limit)) latest order by 1
            """)
    }

    /// Summarizes a quota over all users, in one row for each limit and period.
    ///
    /// Each row contains the number of users with several rows of the quota.
    package func summary(of quota: App.Quota) -> ComposedQuery {
        // With `@per`, a user has several rows and counts only once.
        let users: SQL = quota.per == nil ? "pg_catalog.count(*)" : "pg_catalog.count(distinct person.key)"
        let person: SQL? = quota.per != nil || quota.tier != nil ? "quota.key, " : nil
        let per: SQL? = quota.per == nil ? nil : ", quota.per"
        // If a user has only one row, the minimum of a column is the value of that row.
        let people: SQL = """
            select \(person)pg_catalog.min(quota.used) as used, pg_catalog.min(quota."limit") as "limit", \
            pg_catalog.min(quota.period::text) as period, pg_catalog.count(*) as answers from \(quota.rows) \
            group by quota.key\(per)
            """
        let counts: SQL = """
            person."limit", person.period, \(users) as users, pg_catalog.sum(person.used) as used, \
            \(users) filter (where person.used >= person."limit") as exhausted, \
            pg_catalog.count(*) filter (where person.answers > 1) as several from (\(people)) person
            """
        let order: SQL = "order by person.\"limit\" nulls last, person.period"
        guard let tier = quota.tier else { return compose("select \(counts) group by 1, 2 \(order)") }
        return compose(
            """
            select owner.\(name: tier)::text as tier, \(counts) \
            left join \(definition: "users") owner on owner.\(name: app.users.key) = person.key \
            group by 1, 2, 3 \(order), 1
            """)
    }

    /// Selects the numbers of a stat.
    package func rows(of stat: App.Stat, limit: Int) -> ComposedQuery {
        compose("select stat.* from (\n\(stat.select)) stat (label, value) limit \(limit)")
    }

    /// Counts the users for each outcome of a decision, in the order of its rules.
    ///
    /// A user with several outcomes counts for each of them.
    package func outcomes(of decision: App.Decision) -> ComposedQuery {
        let count: SQL = decision.per == nil ? "*" : "distinct decided.person"
        let outcomes = decision.outcomes.map(Composer.literal).joined(separator: ", ")
        // `offset 0` stops Postgres from flattening the subquery. Postgres then expects few different outcomes, and
        // doesn't sort all users by outcome.
        return compose(
            """
            select decided.outcome, pg_catalog.count(\(count)) as users from (
            \(decision.judged("\(key) as person")) offset 0) decided \
            group by 1 order by pg_catalog.array_position(array[\(unsafe: outcomes)]::text[], decided.outcome)
            """, with: decision.defaults)
    }

    /// Counts the rows of the `@users` select, the different users, and the users in each of some selections.
    package func count(_ selections: [App.Selection]) -> ComposedQuery {
        let counts: [SQL] = selections.enumerated().map { index, selection in
            ", pg_catalog.count(*) filter (where (\n\(selection.condition))) as \"selection \(index)\""
        }
        return compose(
            """
            select pg_catalog.count(*) as rows, pg_catalog.count(distinct \(key)) as users\(counts.joined()) \
            from \(definition: "users") facts
            """)
    }

    // MARK: Objects, lists, invariants

    /// Selects the object with a key; run the query only for a text that is valid for the key's type.
    package func object(_ object: App.ObjectKind, key: String) -> ComposedQuery {
        compose(
            "select facts.* from \(definition: object.noun) facts where facts.\(name: object.key) = \(key, type: nil)")
    }

    /// Selects the rows of a list, in the order of the list unless the operator chose another.
    package func rows(of list: App.List, _ filter: App.ListFilter = App.ListFilter()) -> ComposedQuery {
        // A distributed server can change the order of a subquery, so usher uses one only with a filter.
        guard filter.whose != nil || filter.span != nil || filter.order != nil || filter.limit != nil else {
            return compose("\(list.select)")
        }
        var sql: SQL = "select list.* from (\n\(list.select)) list where true"
        if let (column, text) = filter.whose {
            sql += " and pg_catalog.lower(list.\(name: column)::text) = pg_catalog.lower(\(text, type: "text"))"
        }
        if let (column, since, until) = filter.span { sql += .span(of: "list.\(name: column)", since, until) }
        if let order = filter.order { sql += " order by \(order.sql(of: "list"))" }
        if let limit = filter.limit { sql += " limit \(limit)" }
        return compose(sql)
    }

    /// Selects the violations of an invariant, and one more than the limit, to show that there are more.
    package func violations(of check: App.Check, limit: Int) -> ComposedQuery {
        compose("select * from (\n\(check.select)) violation limit \(limit + 1)")
    }

    // MARK: Objects of users

    /// Lists the objects of a kind that pass a filter.
    package func list(of object: App.ObjectKind, _ filter: App.ListFilter) -> ComposedQuery {
        var condition = filter.user.map { belonging(object, to: $0) } ?? "true"
        condition += .all(of: filter.selections)
        if let (column, since, until) = filter.span { condition += .span(of: "facts.\(name: column)", since, until) }
        let sorted = (filter.order.map { [$0] } ?? object.order).map { $0.sql(of: "facts") }
        let order: SQL = " order by \((sorted + ["facts.\(name: object.key)"]).joined(separator: ", "))"
        // If an object has members, its owner can be another user than the member.
        let owner = filter.namesOwner ? owner(of: object, named: object.members == nil ? filter.user : nil) : nil
        let head: SQL = "select facts.*\(owner?.column) from "
        // Without a limit, the rows are streamed, so Postgres doesn't need to buffer them.
        guard let limit = filter.limit else {
            return compose("\(head)\(definition: object.noun) facts\(owner?.join) where \(condition)\(order)")
        }
        let rows = SQL.rows(of: object.noun, where: "\(condition)\(order) limit \(limit)")
        return compose("\(head)\(rows)\(owner?.join)\(order)")
    }

    /// The email of an object's user as a column, and the join that the column needs.
    private func owner(of object: App.ObjectKind, named user: UserKey?) -> (column: SQL, join: SQL)? {
        guard app.namesOwners(of: object), let column = object.userColumn else { return nil }
        let addresses: [SQL] = app.users.emails.map { "\(name: $0)::pg_catalog.text" }
        let condition: SQL? = user.map { " where \(name: app.users.key) = \($0)" }
        // The columns of the user have special names here, because names in conditions stand for columns of the object.
        return (
            ", owner.\"usher address\" as \(name: App.ownerColumn)",
            """
             left join (select \(name: app.users.key), coalesce(\(addresses.joined(separator: ", "))) \
            from \(definition: "users")\(condition)) owner ("usher owner", "usher address") \
            on owner."usher owner" = facts.\(name: column)
            """
        )
    }

    /// Finds the rows of a user, or of the user's objects, that violate an invariant.
    ///
    /// The query returns one more row than the limit, to show that there are more rows. There is no query if the
    /// invariant is about objects without a user.
    package func violations(of check: App.Check, by user: UserKey, limit: Int) -> ComposedQuery? {
        switch check.subject {
        case .users: return violations(of: check, whose: "= \(user)", limit: limit)
        case .object(let noun):
            guard let object = app.objects.first(where: { $0.noun == noun }), object.hasOwner else { return nil }
            let objects = SQL.rows(of: noun, where: belonging(object, to: user))
            // Postgres computes the array once, and can then use an index of the invariant's table.
            return violations(
                of: check, whose: "= any(array(select facts.\(name: object.key) from \(objects)))", limit: limit)
        case .nothing: return nil
        }
    }

    /// Finds the rows of one object that violate an invariant, whatever user the object belongs to.
    package func violations(of check: App.Check, byObject key: String, limit: Int) -> ComposedQuery {
        violations(of: check, whose: "= \(key, type: nil)", limit: limit)
    }

    /// Finds the rows that violate an invariant and whose first column meets a condition.
    ///
    /// The first column gets a reserved name, so that the condition can refer to it in any select.
    private func violations(of check: App.Check, whose condition: SQL, limit: Int) -> ComposedQuery {
        compose(
            """
            select violation.* from (
            \(check.select)) violation ("usher subject") where violation."usher subject" \(condition) \
            limit \(limit + 1)
            """)
    }

    /// The condition that an object belongs to a user.
    private func belonging(_ object: App.ObjectKind, to user: UserKey) -> SQL {
        if let members = object.members {
            return """
                facts.\(name: object.key) = any(array(select member.key from (
                \(members)) member (key, person) where member.person = \(user)))
                """
        }
        return object.userColumn.map { "facts.\(name: $0) = \(user)" } ?? "false"
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
        let value: SQL = "named.\(name: identifier.column)"
        let (owner, join) = ownership == .any ? ("null", nil) : ownerKey(of: object)
        let condition: SQL? =
            switch ownership {
            case .owned: "\(owner) is not null and "
            case .ownerless: "\(owner) is null and "
            case .any: nil
            }
        return compose(
            """
            select \(owner)::pg_catalog.text, named.\(name: object.key)::pg_catalog.text, \(value)::pg_catalog.text \
            from \(definition: object.noun) named\(join) \
            where \(condition)\(test(value, text, likeness)) limit \(limit)
            """)
    }

    /// The expression for the key of an object's user, and the join that the expression needs.
    private func ownerKey(of object: App.ObjectKind) -> (expression: SQL, join: SQL?) {
        let owner: SQL? = object.userColumn.map { "named.\(name: $0)" }
        guard let members = object.members else { return (owner ?? "null", nil) }
        // An object whose user column is NULL belongs to its members.
        let isUnowned: SQL? = owner.map { " and \($0) is null" }
        let join: SQL = """
             left join lateral (select m.person from (
            \(members)) m (key, person) where m.key = named.\(name: object.key)\(isUnowned)) member on true
            """
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
        let shown: [SQL] = ([identifier.column] + others).map { "facts.\(name: $0)::pg_catalog.text" }
        let matches = likeness.map { test("facts.\(name: identifier.column)", text, $0) } ?? "true"
        let selected: [SQL] = selections.map { "(\n\($0.condition))" }
        let condition: SQL? = selections.isEmpty ? nil : " and (\(selected.joined(separator: " or ")))"
        return compose(
            """
            select \(shown.joined(separator: ", ")) from \(definition: object.noun) facts \
            where \(matches)\(condition) limit \(limit)
            """)
    }

    /// The condition that a column matches a text.
    private func test(_ column: SQL, _ text: String, _ likeness: App.Likeness) -> SQL {
        let needle: SQL = "\(text, type: "text")"
        let value: SQL = "\(column)::pg_catalog.text"
        switch likeness {
        case .key: return "\(column) = \(text, type: nil)"
        case .keys(let range):
            return "\(column) between \(range.lowerBound, type: nil) and \(range.upperBound, type: nil)"
        case .letters: return "\(value) = \(needle)"
        case .same: return "pg_catalog.lower(\(value)) = pg_catalog.lower(\(needle))"
        case .beginning:
            let (last, beyond) = (text + "zzzzzzzz", text + "\u{FFFF}")
            // Postgres can use an index in a language's sort order for the range, and an index in byte order for the
            // pattern.
            return """
                \(value) >= \(needle) and \(value) <= greatest(\(last, type: "text"), \(beyond, type: "text")) \
                and \(value) like \(Directory.pattern(text) + "%", type: "text")
                """
        case .inside:
            let pattern = "%" + Directory.pattern(text) + "%"
            // Postgres can use a trigram index for this pattern.
            return "pg_catalog.lower(\(value)) like pg_catalog.lower(\(pattern, type: "text"))"
        }
    }

    /// Selects the key and the editable columns of a settings table.
    package func rows(of settings: App.Settings) -> ComposedQuery {
        let columns: [SQL] = ([settings.key] + settings.columns.map(\.name)).map { "t.\(name: $0)" }
        return compose("select \(columns.joined(separator: ", ")) from \(unsafe: settings.table.quoted) t order by 1")
    }
}

extension App.Quota {
    /// The rows of the quota's select, with the alias `quota` and names for the columns.
    var rows: SQL {
        let other: SQL? = per == nil ? nil : ", per"
        return "(\n\(select)) as quota (key, used, \"limit\", period, resets_at\(other))"
    }

    /// The columns that the quota's select must return.
    var shape: [ShapedColumn] {
        let columns: [ShapedColumn] = [
            .init(name: "key"), .init(name: "used", kind: .number),
            .init(name: "limit", kind: .number, isOptional: true), .init(name: "period"),
            .init(name: "resets_at", kind: .time, isOptional: true),
        ]
        return columns + [per].compactMap { $0 }.map { ShapedColumn(name: $0) }
    }
}
