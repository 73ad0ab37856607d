internal import AppFile
internal import Catalog

/// Writes the text of a draft, block by block.
extension AppDraft {
    func text(named name: String) -> String {
        let tables = Array(referring.prefix(Self.mostTables))
        let several = tables.filter { $0.table.key != [$0.column] }.prefix(12)
        let objects = objectTables
        var blocks = [head(name, tables.map(\.table)), users]
        blocks += decisions(tables)
        blocks += several.map { panel($0, by: $1) }
        blocks += self.objects(objects, tables)
        blocks.append(account(tables.map(\.table) + objects))
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private func head(_ name: String, _ tables: [Schema.Table]) -> String {
        var required = [root.sql + "." + key.sql]
        required += [profile?.sql].compactMap { $0 }
        required += tables.map(\.sql).filter { !required.contains($0) }.prefix(2)
        let left = schema.tables.count - 1 - tables.count
        let rest = left > 0 ? ["-- The draft covers the most important of \(schema.tables.count) tables."] : []
        return
            (["-- usher drafted this file from the database catalog. Add the rules that the tables don't show."] + rest
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
            shown(profile, except: Set(profile.key.map(\.name)), most: 14).filter {
                !names.contains(Self.plain($0.name))
            }
            .map { ($0, profile, "p") }
        }
        let hidden = own.contains(key) ? [] : [key]
        return (hidden + own).map { ($0, root, "u") } + (described ?? [])
    }

    private var users: String {
        let facts = facts
        let emails = facts.map(\.column).filter { Self.isEmail($0, words) }
        func isPlain(_ column: Schema.TableColumn) -> Bool { words.isPlainAddress(Self.plain(column.name)) }
        let addresses = (emails.filter(isPlain) + emails.filter { !isPlain($0) }).map { fact($0) }
        var lines = ["-- @users", "-- @key \(fact(key))"]
        if !addresses.isEmpty { lines.append("-- @email \(addresses.joined(separator: ", "))") }
        lines.append(Self.select(facts.map { item($0.column, of: $0.alias) }))
        lines.append("  from \(root.sql) u")
        if let profile, let joined = profile.key.first {
            lines.append("  left join \(profile.sql) p on p.\(joined.sql) = u.\(key.sql)")
        }
        return lines.joined(separator: "\n") + ";"
    }

    /// The name of a column as a fact in a directive.
    private func fact(_ column: Schema.TableColumn) -> String { SQLName.path(of: [Self.plain(column.name)]) }

    // MARK: Decisions

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
                                      where t.\(column.sql) = u.\(fact(key))
                                      order by \(Self.latestFirst(latest))
                                      limit 1) as t on true;
                """
            var name = Self.option(Self.short(table.name))
            if names.contains(name) { name = Self.option(table.name) }
            guard names.insert(name).inserted else { continue }
            drafts.append((state.column, decision(name, select: select, of: "state", state)))
        }
        let called = drafts.filter { words.isStanding($0.state.name) }
        return (called.isEmpty ? drafts : called).prefix(2).map(\.text)
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
        return (lines + ["-- @rule none  There is no value.", "true;"]).joined(separator: "\n")
    }

    private static func outcome(_ value: String) -> String {
        let name = option(value)
        return name.isEmpty || name.contains(" ") ? "other" : name
    }

    // MARK: Panels and objects

    private func panel(_ table: Schema.Table, by column: Schema.TableColumn) -> String {
        let columns = shown(table, except: [column.name], most: 8)
        let items = columns.isEmpty ? ["count(*) as rows"] : columns.map { item($0, of: "t") }
        let order = columns.isEmpty ? nil : instant(table)
        return """
            -- @panel \(title(of: table))
            -- @limit 10
            \(Self.select(items))
              from \(table.sql) t
             where t.\(column.sql) = :user\(order.map { "\n order by \(Self.latestFirst($0))" } ?? "");
            """
    }

    /// At most six tables with a state column; tables that refer to users come first.
    ///
    /// If the names of some state columns suggest a state, the draft uses only the tables of these columns.
    private var objectTables: [Schema.Table] {
        let weights = weights
        let users = [root.qualifiedName, profile?.qualifiedName]
        let own = Set(referring.map(\.table.qualifiedName))
        func rank(_ table: Schema.Table) -> (Int, Double) {
            (own.contains(table.qualifiedName) ? 0 : 1, -(weights[table.qualifiedName] ?? 0))
        }
        let stateful = schema.tables.filter { table in
            table.key.count == 1 && !users.contains(table.qualifiedName)
                && table.schema == (profile ?? root).schema && state(table) != nil
        }.sorted { rank($0) == rank($1) ? $0.name < $1.name : rank($0) < rank($1) }
        let called = stateful.filter { standing($0) != nil }
        return Array((called.isEmpty ? stateful : called).prefix(6))
    }

    /// Writes a block for each table, which declares the table as a kind of object.
    private func objects(
        _ objects: [Schema.Table], _ tables: [(table: Schema.Table, column: Schema.TableColumn)]
    ) -> [String] {
        var nouns: Set<String> = []
        return objects.compactMap { table in
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
            lines += [Self.select(columns.map { item($0, of: "t") }), "  from \(table.sql) t;"]
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
        var declared = Set(included.flatMap { $0.account?.secrets ?? [] }.map(\.column))
        for table in [root] + [profile].compactMap({ $0 }) + tables {
            let secrets = table.columns.filter { isSecret($0, of: table) }.map { "\(table.sql).\($0.sql)" }
            lines += secrets.filter { declared.insert($0).inserted }.map { "-- @secret \($0)" }
        }
        return lines.joined(separator: "\n")
    }

    /// The name of a table in words; if another table has the same words, with the path of the table.
    private func title(of table: Schema.Table) -> String {
        let title = Self.words(table.name)
        let isShared = referring.contains { $0.table != table && Self.words($0.table.name) == title }
        return isShared ? "\(title) of \(table.sql)" : title
    }

    /// The beginning of a select, with five columns on each line.
    private static func select(_ columns: [String]) -> String {
        let lines = stride(from: 0, to: columns.count, by: 5).map { start in
            columns[start..<min(start + 5, columns.count)].joined(separator: ", ")
        }
        return "select " + lines.joined(separator: ",\n       ")
    }
}
