extension App {
    /// A block with a select, and its statement for psql.
    package struct BlockSQL: Sendable {
        /// The word of the directive without its @, such as `panel`.
        package let kind: String
        package let name: String
        package let sql: String
    }

    /// The blocks with a select, as statements for psql.
    ///
    /// The statements use the psql variable `user` for the user, and NULL for the options of lists.
    package var blocksAsSQL: [BlockSQL] {
        let defined =
            [("users", "users")] + objects.map { ("object", $0.noun) } + definitions.map { ("define", $0.name) }
        var blocks = defined.map { block($0, $1, [.text("select * from "), .definition($1)]) }
        blocks += users.selections.map { selection in
            block(
                "select", selection.name,
                [
                    .text("select facts.* from "), .definition("users"), .text(" facts where (\n"),
                    .fragment(selection.condition), .text(")"),
                ])
        }
        blocks += decisions.map { decision in
            let judged: [Composer.Piece] =
                [.text("select facts.*, ")] + decision.outcome + [.text(" as outcome from (\n")] + decision.facts
                + [.text(") facts")]
            return block(
                "decision", decision.name,
                decision.withDefaults(around: judged, includesDefaults: false),
                decision.defaults)
        }
        blocks += quotas.map { quota in
            block(
                "quota", quota.name, [.text("select quota.* from (\n"), .fragment(quota.select), .text(quota.columns)])
        }
        blocks += panels.map { block("panel", $0.title, [.fragment($0.select)]) }
        blocks += timelines.map { block("timeline", $0.source, [.fragment($0.select)]) }
        blocks += stats.map { block("stat", $0.name, [.fragment($0.select)]) }
        blocks += checks.map { block("check", $0.name, [.fragment($0.select)]) }
        blocks += lists.map { list in
            let options = list.parameters.all.map { ($0.name, Binding(constant: nil, type: $0.boundType)) }
            return block(
                "list", "\(list.noun) \(list.verb)", [.fragment(list.select)],
                Dictionary(options) { first, _ in first })
        }
        return blocks
    }

    /// The psql commands that set `user` to the first user, unless psql was started with `-v user=…`.
    package var firstUserForPsql: String {
        let query = Composer.compose(
            [
                .text("select u.\(Composer.quoted(users.key)) as \"user\" from "), .definition("users"),
                .text(" u order by 1 limit 1"),
            ], for: self, bindings: [:])
        return "\\if :{?user}\n\\else\n\(query.sql) \\gset\n\\endif"
    }

    private func block(
        _ kind: String, _ name: String, _ pieces: [Composer.Piece], _ bindings: [String: Binding] = [:]
    ) -> BlockSQL {
        let user = ["user": Binding(expression: ":'user'", type: nil)]
        let query = compose(pieces, bindings.merging(user) { own, _ in own })
        return BlockSQL(kind: kind, name: name, sql: query.sql)
    }
}
