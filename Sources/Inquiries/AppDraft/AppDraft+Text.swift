internal import AppFile
internal import Catalog

/// Writes the text of a draft, block by block.
extension AppDraft {
    func text(named name: String) -> String {
        let tables = Array(referring.prefix(Self.mostTables))
        var blocks = [head(name, tables.map(\.table)), users]
        blocks += decisions(tables)
        blocks += quotas(tables)
        let several = tables.filter { !isOneToOne($0) }.prefix(12)
        blocks += several.map { panel($0, by: $1) }
        let steps = steps(beyond: Array(several))
        blocks += steps.map { panel($0.table, by: $0.column, through: $0) }
        let things = things
        blocks += objects(things, tables, steps)
        let named = several.flatMap { table, column in
            shown(table, besides: [column.name], most: 8).compactMap { title(behind: $0, of: table)?.table }
        }
        blocks.append(account(tables.map(\.table) + steps.map(\.table) + things + named))
        return blocks.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    }

    private func head(_ name: String, _ tables: [Schema.Table]) -> String {
        var required = [root.sql + "." + key.sql]
        required += [profile?.sql].compactMap { $0 }
        required += tables.map(\.sql).filter { !required.contains($0) }.prefix(2)
        let left = schema.tables.count - 1 - tables.count
        let rest = left > 0 ? ["-- The draft covers the most important of \(schema.tables.count) tables."] : []
        return
            (["-- A draft made from the database catalog. Read it, and add what the tables don't show."] + rest
            + ["", "-- @app \(name)  \(name)", "-- @language \(Language.version)"]
            + required.map { "-- @requires \($0)" } + included.map { "-- @include \($0.name)" })
            .joined(separator: "\n")
    }

    // MARK: Users

    /// The columns of the users, each with its table and the alias of the table.
    private var facts: [(column: Schema.TableColumn, table: Schema.Table, alias: String)] {
        let own = shown(root, most: 14)
        let names = Set(own.map { Self.plain($0.name) })
        let described = profile.map { profile in
            shown(profile, besides: Set(profile.key.map(\.name)), most: 14).filter {
                !names.contains(Self.plain($0.name))
            }
            .map { ($0, profile, "p") }
        }
        let hidden = own.contains(key) ? [] : [key]
        return (hidden + own).map { ($0, root, "u") } + (described ?? [])
    }

    private var users: String {
        let facts = facts
        let emails = facts.map(\.column).filter { Self.isAddress($0, words) }
        func isPlain(_ column: Schema.TableColumn) -> Bool { words.isPlainAddress(Self.plain(column.name)) }
        let addresses = (emails.filter(isPlain) + emails.filter { !isPlain($0) }).map { fact($0) }
        var lines = ["-- @users", "-- @key \(fact(key))"]
        if !addresses.isEmpty { lines.append("-- @email \(addresses.joined(separator: ", "))") }
        let told = facts.filter { values[$0.column.origin] != nil }
        if facts.count > 8 {
            let latest = facts.filter { $0.column == instant($0.table) }
            let columns = addresses.prefix(1) + (told.prefix(3) + latest.prefix(1)).map { fact($0.column) }
            if !columns.isEmpty { lines.append("-- @columns \(columns.joined(separator: ", "))") }
        }
        for (column, table, _) in told where isTold(column, of: table) {
            lines.append("-- @fact \(fact(column)) : One of \((values[column.origin] ?? []).joined(separator: ", ")).")
        }
        lines.append(Self.wrapped("select ", facts.map { item($0.column, of: $0.alias) }, "       "))
        lines.append("  from \(root.sql) u")
        if let profile, let joined = profile.key.first {
            lines.append("  left join \(profile.sql) p on p.\(joined.sql) = u.\(key.sql)")
        }
        return lines.joined(separator: "\n") + ";"
    }

    private func isTold(_ column: Schema.TableColumn, of table: Schema.Table) -> Bool {
        (values[column.origin] ?? []).allSatisfy { value in
            value.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"{}`".unicodeScalars.contains($0) }
        }
    }

    /// The name of a column as a fact in a directive.
    private func fact(_ column: Schema.TableColumn) -> String { SQLName.path(of: [Self.plain(column.name)]) }

    // MARK: Decisions and quotas

    /// Writes a decision for each of the first two state columns of users.
    ///
    /// Columns whose names suggest a state come first. If there are none, columns with few values are used.
    private func decisions(_ tables: [(table: Schema.Table, column: Schema.TableColumn)]) -> [String] {
        var drafts: [(state: Schema.TableColumn, text: String)] = []
        var names: Set<String> = []
        let own = [root, profile].compactMap { $0.flatMap(state) }.filter { state in
            facts.contains { $0.column == state.column }
        }
        if let state = own.first(where: { words.isStanding($0.column.name) }) ?? own.first {
            let name = Self.option(state.column.name)
            names.insert(name)
            drafts.append((state.column, decision(name, select: nil, of: fact(state.column), state)))
        }
        for (table, column) in tables {
            guard let state = state(table), let latest = instant(table) ?? table.key.first else { continue }
            let select = """
                select u.\(fact(key)), t.state
                  from users u
                  left join lateral (select t.\(state.column.sql) as state
                                       from \(table.sql) t
                                      where t.\(column.sql) = u.\(fact(key))\(ofUsers(column, of: table, as: "t"))
                                      order by \(Self.latestFirst(latest))
                                      limit 1) as t on true;
                """
            var name = Self.option(Self.short(table.name))
            if names.contains(name) { name = Self.option(table.name) }
            guard names.insert(name).inserted else { continue }
            drafts.append((state.column, decision(name, select: select, of: "state", state)))
        }
        let called = drafts.filter { words.isStanding($0.state.name) }
        let hasOwn = own.contains { words.isStanding($0.column.name) }
        return (called.isEmpty ? drafts : called).prefix(2).map(\.text) + [hasOwn ? "" : marks(besides: names)]
    }

    /// Writes a decision from the boolean columns of users.
    private func marks(besides names: Set<String>) -> String {
        let flags = facts.map(\.column).filter { $0.type == "boolean" }.prefix(8)
        if flags.isEmpty || names.contains("marks") { return "" }
        let rules = flags.map {
            "-- @rule \(Self.outcome($0.name))  Marked as: \(Self.words($0.name)).\n\(fact($0));"
        }
        let lines = [
            "-- Order these rules by priority, and describe the result of each.",
            "-- @decision marks  Which flags does this user have?",
        ]
        return (lines + rules + Self.noneOfThem).joined(separator: "\n")
    }

    private func decision(_ name: String, select: String?, of fact: String, _ state: State) -> String {
        let question =
            select == nil
            ? "What is the \(name) of this user?" : "What is the state of this user's latest row of \(name)?"
        var lines = ["-- @decision \(name)  \(question)"]
        if let select { lines.append(select) }
        for value in state.values {
            lines += ["-- @rule \(Self.outcome(value))  It is \(value).", "\(fact) = '\(value)';"]
        }
        // The table may lack some of the possible values.
        if !state.isWhole {
            lines += ["-- @rule other  A value that this file does not describe yet.", "\(fact) is not null;"]
        }
        return (lines + Self.noneOfThem).joined(separator: "\n")
    }

    /// The last rule of every drafted decision.
    private static let noneOfThem = ["-- @rule none  There is none.", "true;"]

    private static func outcome(_ value: String) -> String {
        let name = option(value)
        return name.isEmpty || name.contains(" ") ? "other" : name
    }

    /// Writes a quota for each usage column with a limit, in the table of users or in a table with one row per user.
    private func quotas(_ tables: [(table: Schema.Table, column: Schema.TableColumn)]) -> [String] {
        var names: Set<String> = []
        return limits.compactMap { limit in
            let owner =
                [root, profile].compactMap { $0 }.first { $0.qualifiedName == limit.table }.flatMap { table in
                    userKey(of: table).map { (table, $0) }
                } ?? tables.first { $0.table.qualifiedName == limit.table && isOneToOne($0) }
            let name = Self.option(limit.used)
            guard let (table, column) = owner, let used = table.column(limit.used),
                let most = table.column(limit.limit),
                names.insert(name).inserted, names.count <= 4
            else { return nil }
            return """
                -- @quota \(name)
                select t.\(column.sql), t.\(used.sql), t.\(most.sql), 'total', null::timestamptz from \(table.sql) t;
                """
        }
    }

    /// True if the table has at most one row for each user.
    private func isOneToOne(_ table: (table: Schema.Table, column: Schema.TableColumn)) -> Bool {
        table.table.key == [table.column]
    }

    // MARK: Panels and objects

    private func panel(_ table: Schema.Table, by column: Schema.TableColumn, through step: Step? = nil) -> String {
        let columns = shown(table, besides: step == nil ? [column.name] : [], most: 8)
        let latest = instant(table)
        let order = latest.map { "\n order by \(Self.latestFirst($0))" } ?? ""
        var names = Set(columns.map { Self.plain($0.name) })
        var (items, joins): ([String], [String]) = ([], [])
        for column in columns {
            let name = words.withoutKey(Self.plain(column.name).split(separator: "_").map(String.init))
                .joined(separator: "_")
            guard let title = title(behind: column, of: table), names.insert(name).inserted else {
                items.append(item(column, of: "t"))
                continue
            }
            let alias = "r\(joins.count + 1)"
            items.append("\(alias).\(title.column.sql) as \(SQLName.path(of: [name]))")
            joins.append(
                "\n  left join \(title.table.sql) \(alias) on \(alias).\(title.key.sql) = t.\(column.sql)")
        }
        if items.isEmpty { items = ["count(*) as rows"] }
        let own = step.map { step in
            "select p.\(step.key.sql) from \(step.between.sql) p where p.\(step.user.sql) = :user"
                + ofUsers(step.user, of: step.between, as: "p")
        }
        let user = "= :user" + (step == nil ? ofUsers(column, of: table, as: "t") : "")
        return """
            -- @panel \(self.title(of: table))
            -- @limit 10
            \(Self.wrapped("select ", items, "       "))
              from \(table.sql) t\(joins.joined())
             where t.\(column.sql) \(own.map { "in (\($0))" } ?? user)\(columns.isEmpty ? "" : order);
            """
    }

    /// A condition for polymorphic references, where `owner_type` next to `owner_id` names the kind of owner.
    ///
    /// The condition limits the rows to those of users; it is empty without such a column.
    private func ofUsers(_ column: Schema.TableColumn, of table: Schema.Table, as alias: String) -> String {
        guard column.name.hasSuffix("_id"), let kind = table.column(column.name.dropLast(3) + "_type"), kind.isTextual,
            let name = Self.namesReferring(to: root, words).last
        else { return "" }
        let model = name.split(separator: "_").dropLast().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return " and \(alias).\(kind.sql) = '\(model)'"
    }

    /// The tables with a state column; tables whose state column has a telling name are preferred, and tables that
    /// refer to users come first.
    private var things: [Schema.Table] {
        let weights = weights
        let users = [root.qualifiedName, profile?.qualifiedName]
        let own = Set(referring.map(\.table.qualifiedName))
        func rank(_ table: Schema.Table) -> (Int, Double) {
            (own.contains(table.qualifiedName) ? 0 : 1, -(weights[table.qualifiedName] ?? 0))
        }
        let stateful = schema.tables.filter { table in
            table.key.count == 1 && !users.contains(table.qualifiedName)
                && table.schema == root.tableSchema(beside: profile) && state(table) != nil
        }.sorted { rank($0) == rank($1) ? $0.name < $1.name : rank($0) < rank($1) }
        let called = stateful.filter { standing($0) != nil }
        return Array((called.isEmpty ? stateful : called).prefix(6))
    }

    /// Writes a block for each of these tables as a kind of object.
    private func objects(
        _ things: [Schema.Table], _ tables: [(table: Schema.Table, column: Schema.TableColumn)], _ steps: [Step]
    ) -> [String] {
        var nouns: Set<String> = []
        return things.compactMap { table in
            guard let key = table.key.first, let state = state(table) else { return nil }
            var noun = Self.short(table.name)
            if nouns.contains(noun) { noun = Self.plain(table.name) }
            if taken.contains(noun) || noun == "users" { noun += "_row" }
            guard nouns.insert(noun).inserted, SQLName.parts(ofPath: noun) == [noun] else { return nil }
            let user = tables.first { $0.table == table }?.column
            var columns = shown(table, most: 10)
            for needed in [key, state.column] + [user].compactMap({ $0 }) where !columns.contains(needed) {
                columns.append(needed)
            }
            var lines = ["-- @object \(noun)  \(Self.words(table.name))", "-- @key \(fact(key))"]
            if let user { lines.append("-- @user \(fact(user))") }
            lines += [Self.wrapped("select ", columns.map { item($0, of: "t") }, "       "), "  from \(table.sql) t;"]
            if user == nil, let members = members(of: table, steps) { lines += ["-- @members", members] }
            var options: Set<String> = []
            for value in state.values.prefix(6) {
                let name = Self.option(value)
                guard !name.isEmpty, !taken.contains("--\(name)"), options.insert(name).inserted else { continue }
                lines += ["-- @select \(name)  It is \(value).", "\(fact(state.column)) = '\(value)';"]
            }
            return lines.joined(separator: "\n")
        }
    }

    // MARK: The account

    private func account(_ tables: [Schema.Table]) -> String {
        var lines = ["-- @account", "-- @root \(root.sql).\(key.sql)"]
        var told = Set(included.flatMap { $0.account?.secrets ?? [] }.map(\.column))
        for table in [root] + [profile].compactMap({ $0 }) + tables {
            let secrets = table.columns.filter { isSecret($0, of: table) }.map { "\(table.sql).\($0.sql)" }
            lines += secrets.filter { told.insert($0).inserted }.map { "-- @secret \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// The name of a table in words; if another table has the same words, with the path of the table.
    private func title(of table: Schema.Table) -> String {
        let title = Self.words(table.name)
        let isShared = referring.contains { $0.table != table && Self.words($0.table.name) == title }
        return isShared ? "\(title) of \(table.sql)" : title
    }

    /// Writes a list in lines of at most 118 characters.
    private static func wrapped(_ head: String, _ items: [String], _ indent: String) -> String {
        var lines: [String] = []
        var line = head
        for (index, item) in items.enumerated() {
            let piece = item + (index + 1 < items.count ? "," : "")
            if line.count + piece.count > 118, line.count > indent.count {
                lines.append(line.hasSuffix(" ") ? String(line.dropLast()) : line)
                line = indent
            }
            line += piece + " "
        }
        lines.append(String(line.dropLast()))
        return lines.joined(separator: "\n")
    }
}

extension Schema.Table {
    /// The schema of the app's own tables: that of the profile table if there is one, because a platform may own the
    /// users.
    fileprivate func tableSchema(beside profile: Schema.Table?) -> String { profile?.schema ?? schema }
}
