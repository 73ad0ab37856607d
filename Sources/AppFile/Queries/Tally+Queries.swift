/// How a tally is asked for.
///
/// What each row comes to is one number, a few bits a figure, so that rows are put together by a single value and few are left; the
/// figures are added up of those.
extension Tally {
    /// The rows that were read, as the figure -1, and each figure by its number: which outcome (a decision has the number behind
    /// the last where no rule holds), or which limit and period; how many users, how much was used, how many used all.
    package func query(for app: App, bindings: [String: Binding]) -> ComposedQuery {
        let values = quotas.map(\.number)
        let parts = values.flatMap { ["\"limit \($0)\"", "\"period \($0)\""] }
        var pieces: [Composer.Piece] = [.query("tally")]
        pieces.append(.text((["select each.code"] + parts).joined(separator: ", ")))
        pieces.append(.text(", pg_catalog.count(*) as users"))
        for number in values { pieces.append(.text(", pg_catalog.sum(each.\"used \(number)\") as \"used \(number)\"")) }
        pieces.append(.text("\n  from (select "))
        pieces.append(
            .text(figures.indices.map { "\"figure \($0)\".\"code \($0)\"" }.joined(separator: " + ") + " as code"))
        for number in values {
            let columns = ["limit", "period", "used"].map { "\"figure \(number)\".\"\($0) \(number)\"" }
            pieces.append(.text(", " + columns.joined(separator: ", ")))
        }
        pieces += [.text("\n")] + from
        var shift = 0
        for (number, figure) in figures.enumerated() {
            pieces.append(.text(" cross join lateral (\n"))
            pieces += judged(figure, number, shift) + [.text(") \"figure \(number)\"\n")]
            shift += figure.bits
        }
        // A wall, so that Postgres knows nothing of what is grouped by, and takes it for few values, as they are.
        pieces.append(.text("offset 0) each group by " + (["each.code"] + parts).joined(separator: ", ") + ")\n"))
        pieces.append(
            .text(sums.joined(separator: "\n union all ") + "\n order by figure, label, \"limit\" nulls last, period"))
        return compose(pieces, app, bindings)
    }

    /// How many rows there are, and for each quota how many users they are of.
    package func proof(for app: App, bindings: [String: Binding]) -> ComposedQuery {
        var pieces: [Composer.Piece] = [.text("select pg_catalog.count(*)")]
        // To sort all keys takes as long as to read the rows, and quotas of one source mostly have the same.
        var columns: Set<[String]> = []
        for (number, quota) in quotas {
            guard let plain = quota.select.plain, columns.insert(plain.firstColumn).inserted else { continue }
            pieces.append(.text(", pg_catalog.count(distinct \"key \(number)\")"))
        }
        pieces += [.text("\n")] + from
        for (number, quota) in quotas {
            pieces += [.text(" cross join lateral (\n")] + rows(of: quota)
            // Under names that nothing in the file has, so that what stands beside it means its own.
            let names = Self.quotaColumns.map { Composer.quoted("\($0) \(number)") }
            pieces.append(.text(" \"figure \(number)\" (\(names.joined(separator: ", ")))\n"))
        }
        return compose(pieces, app, bindings)
    }

    private static let quotaColumns = ["key", "used", "limit", "period", "resets_at", "is row"]

    private var quotas: [(number: Int, quota: App.Quota)] {
        figures.enumerated().compactMap { number, figure in
            if case .quota(let quota) = figure { (number, quota) } else { nil }
        }
    }

    private var from: [Composer.Piece] {
        source.map { [.fragment($0)] } ?? [.text("from "), .definition("users"), .text(" person\n")]
    }

    /// The rows of a quota, and whether they are some.
    private func rows(of quota: App.Quota) -> [Composer.Piece] {
        guard let plain = quota.select.plain else { return [] }
        return [.fragment(plain.list), .text(", (\n")]
            + (plain.condition.map { [.fragment($0)] } ?? [.text("true")]) + [.text(") is true)")]
    }

    /// What a row is to a figure, as bits from a place on.
    private func judged(_ figure: Figure, _ number: Int, _ shift: Int) -> [Composer.Piece] {
        func bits(_ value: Int) -> String { "\(value << shift)::int8" }
        let code = " as \"code \(number)\""
        switch figure {
        case .selection(let selection):
            return [.text("select case when (\n"), .fragment(selection.condition)]
                + [
                    .text(
                        ") then \(bits(1)) else 0::int8 end\(code) from (select \(Composer.quoted(users ?? "")).*) facts"
                    )
                ]
        case .quota(let quota):
            let columns =
                "q.\"limit\" as \"limit \(number)\", q.period::text as \"period \(number)\", q.used as \"used \(number)\""
            return [
                .text(
                    "select \(columns), case when q.\"is row\" then case when q.used >= q.\"limit\" then \(bits(3)) "),
                .text("else \(bits(1)) end else 0::int8 end\(code) from (\n"),
            ] + rows(of: quota) + [.text(" q (\(Self.quotaColumns.map(Composer.quoted).joined(separator: ", ")))")]
        case .decision(let decision):
            let outcomes = decision.outcomes
            var rules: [Composer.Piece] = [.text("select case")]
            for rule in decision.rules {
                let outcome = outcomes.firstIndex(of: rule.outcome) ?? 0
                rules += [.text(" when (\n"), .fragment(rule.condition), .text(") then \(bits(outcome))")]
            }
            rules.append(.text(" else \(bits(outcomes.count)) end\(code) from (select source.*) facts"))
            let judged = decision.withDefaults(
                around: rules, assuming: [:], projection: "decided.*", includesDefaults: false)
            return [.text("select judged.* from (\n")] + facts(of: decision) + [.text(") source, lateral (")] + judged
                + [.text(") judged")]
        }
    }

    /// What a decision knows of a row.
    private func facts(of decision: App.Decision) -> [Composer.Piece] {
        let user = "select \(Composer.quoted(users ?? "")).*"
        guard let plain = decision.select?.plain else { return [.text(user)] }
        guard decision.readsUsersAlone, let leading = plain.source.leading else { return [.fragment(plain.list)] }
        return [.fragment(plain.list), .text(" from (\(user)) \(Composer.quoted(leading.alias))")]
    }

    /// The figures, as selects of one form.
    private var sums: [String] {
        func sum(
            _ figure: Int, label: String = "null::int8", limit: String = "null::numeric", period: String = "null::text",
            used: String = "null::numeric", exhausted: String = "null::int8", where condition: String = "true",
            by group: String
        ) -> String {
            """
            select \(figure) as figure, \(label) as label, \(limit) as "limit", \(period) as period, \
            coalesce(pg_catalog.sum(t.users), 0)::int8 as users, \(used) as used, \(exhausted) as exhausted \
            from tally t where \(condition) group by \(group)
            """
        }
        var shift = 0
        return [sum(-1, by: "()")]
            + figures.enumerated().map { number, figure in
                defer { shift += figure.bits }
                let code = "(t.code >> \(shift)) & \(1 << figure.bits - 1)"
                switch figure {
                case .selection: return sum(number, where: "\(code) = 1", by: "()")
                case .decision: return sum(number, label: code, by: "2")
                case .quota:
                    return sum(
                        number, limit: "t.\"limit \(number)\"::numeric", period: "t.\"period \(number)\"",
                        used: "pg_catalog.sum(t.\"used \(number)\")::numeric",
                        exhausted: "coalesce(pg_catalog.sum(t.users) filter (where \(code) = 3), 0)::int8",
                        where: "\(code) > 0", by: "3, 4")
                }
            }
    }

    private func compose(_ pieces: [Composer.Piece], _ app: App, _ bindings: [String: Binding]) -> ComposedQuery {
        let defaults = figures.reduce(into: [String: Binding]()) { $0.merge($1.defaults) { first, _ in first } }
        return Composer.compose(pieces, for: app, bindings: bindings.merging(defaults) { given, _ in given })
    }
}
