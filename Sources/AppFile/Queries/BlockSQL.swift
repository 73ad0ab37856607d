extension App {
    /// A block with a select, and its statement for psql; the kind is the word of its directive, such as `panel`.
    package typealias BlockSQL = (kind: String, name: String, sql: String)

    /// The blocks with a select, as statements for psql.
    ///
    /// The statements use the psql variable `user` for the user, and NULL for the options of lists.
    package var blocksAsSQL: [BlockSQL] {
        let defined =
            [("users", "users")] + objects.map { ("object", $0.noun) } + definitions.map { ("define", $0.name) }
        var blocks = defined.map { block($0, $1, "select * from \(definition: $1)") }
        blocks += users.selections.map { selection in
            block(
                "select", selection.name,
                "select facts.* from \(definition: "users") facts where (\n\(selection.condition))")
        }
        blocks += decisions.map { block("decision", $0.name, $0.judged("facts.*"), $0.defaults) }
        blocks += quotas.map { block("quota", $0.name, "select quota.* from \($0.rows)") }
        blocks += panels.map { block("panel", $0.title, "\($0.select)") }
        blocks += timelines.map { block("timeline", $0.source, "\($0.select)") }
        blocks += stats.map { block("stat", $0.name, "\($0.select)") }
        blocks += checks.map { block("check", $0.name, "\($0.select)") }
        blocks += lists.map { list in
            let options = list.parameters.all.map { ($0.name, Binding(constant: nil, type: $0.boundType)) }
            return block(
                "list", "\(list.noun) \(list.verb)", "\(list.select)", Dictionary(options) { first, _ in first })
        }
        return blocks
    }

    /// The psql commands that set `user` to the first user, unless psql was started with `-v user=…`.
    package var firstUserForPsql: String {
        let query = compose(
            "select u.\(name: users.key) as \"user\" from \(definition: "users") u order by 1 limit 1", [:])
        return "\\if :{?user}\n\\else\n\(query.sql) \\gset\n\\endif"
    }

    private func block(
        _ kind: String, _ name: String, _ sql: SQL, _ bindings: [String: Binding] = [:]
    ) -> BlockSQL {
        let user = ["user": Binding(expression: ":'user'", type: nil)]
        return (kind, name, compose(sql, bindings.merging(user) { own, _ in own }).sql)
    }
}
