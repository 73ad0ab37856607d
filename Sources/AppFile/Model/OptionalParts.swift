/// Adapts an app to a database that lacks optional tables or columns.
extension App {
    /// The app without the optional tables and columns that the database lacks.
    ///
    /// A missing column has the value NULL. usher removes blocks that read a missing table or write to a missing
    /// column.
    package func without(_ missing: [App.Optional]) -> App {
        if missing.isEmpty { return self }
        let columns = missing.filter { $0.path.column != nil }
        let tables = Set(missing.filter { $0.path.column == nil }.map(\.path.table))
        var app = self
        app.absent = columns
        app.users.select = users.select.without(columns)
        let reads = { (fragments: [Fragment]) in self.tables(readBy: fragments).contains(where: tables.contains) }
        let writes = { (statements: [Statement]) in statements.contains { $0.sql.writes(columns) } }
        app.decisions.removeAll { reads([$0.select].compactMap { $0 } + $0.rules.flatMap(\.conditions)) }
        let decided = Set(app.decisions.map(\.name))
        app.actions.removeAll { action in
            reads((action.refusals + action.warnings).map(\.condition) + action.statements.map(\.sql))
                || writes(action.statements) || !action.expects.allSatisfy { decided.contains($0.decision) }
        }
        app.states.removeAll { state in
            reads(state.statements.map(\.sql)) || writes(state.statements)
                || !state.expects.allSatisfy { decided.contains($0.decision) }
        }
        app.panels.removeAll { reads([$0.select]) }
        app.timelines.removeAll { reads([$0.select]) }
        app.quotas.removeAll { reads($0.fragments) }
        app.stats.removeAll { reads([$0.select]) }
        app.lists.removeAll { reads([$0.select]) }
        app.checks.removeAll { reads([$0.select]) }
        app.settings.removeAll { settings in
            reads(settings.impacts.map(\.condition)) || tables.contains(settings.table)
        }
        let fixes = Set(app.actions.map { "\($0.noun) \($0.verb)" })
        app.checks.removeAll { check in check.fix.map { !fixes.contains("\($0.noun) \($0.verb)") } ?? false }
        app.users.selections.removeAll { reads([$0.condition]) }
        let objects = app.objects.filter { reads([$0.select] + [$0.members].compactMap { $0 }) }.map(\.noun)
        app.actions.removeAll { if case .object(let noun) = $0.subject { objects.contains(noun) } else { false } }
        app.definitions.removeAll { reads([$0.select]) }
        app.objects.removeAll { objects.contains($0.noun) }
        app.account = app.account?.without(missing)
        app.account?.statements.removeAll { reads([$0.sql]) || writes([$0]) }
        return app
    }
}

extension App.Account {
    /// The account without directives that need a missing table or column.
    fileprivate func without(_ missing: [App.Optional]) -> App.Account {
        func isThere(_ path: String) -> Bool {
            let parts = SQLName.parts(ofPath: String(trim(path.prefix { $0 != "(" }[...]))) ?? []
            guard parts.count > 1 else { return true }
            return !missing.contains { one in
                one.path.table == TableName(schema: parts[0], name: parts[1])
                    && (one.path.column == nil || parts.count > 2 && one.path.column == parts[2])
            }
        }
        var account = self
        account.refers.removeAll { !isThere($0.from) || !($0.to.map(isThere) ?? true) }
        account.ignored.removeAll { !isThere($0.pattern) }
        account.kept.removeAll { !isThere($0.table) }
        account.assignments.removeAll { !isThere($0.column) }
        account.shared.removeAll { !isThere($0.table) }
        account.owned.removeAll { !isThere($0.from) || !isThere($0.to) }
        account.written.removeAll { !isThere($0.table) }
        account.secrets.removeAll { !isThere($0.column) }
        return account
    }
}

extension Fragment {
    /// The fragment with NULL in place of missing columns, wherever usher can tell their table.
    func without(_ columns: [App.Optional]) -> Fragment {
        let aliases = tablesByAlias
        let only = Set(relations.map { TableName(schema: $0.schema ?? "", name: $0.name) })
        var changed: [Token] = []
        var index = 0
        while index < tokens.count {
            let isQualified = word(at: index + 1) == "." && isName(at: index + 2) && word(at: index + 3) != "."
            let place = isQualified ? index + 2 : index
            let table = isQualified ? aliases[word(at: index)] : only.count == 1 ? only.first : nil
            guard isName(at: index), word(at: index - 1) != ".", word(at: index - 1) != "as",
                word(at: place + 1) != "(", let table, target?.table != table || isQualified,
                let column = columns.first(where: { $0.path.table == table && $0.path.column == word(at: place) })
            else {
                changed.append(tokens[index])
                index += 1
                continue
            }
            var sql = "null::\(column.type ?? "text")"
            if isOutput(index...place), let name = column.path.column { sql += " as " + Composer.quoted(name) }
            changed.append(
                Token(kind: .absent(sql), range: tokens[index].range.lowerBound..<tokens[place].range.upperBound))
            index = place + 1
        }
        return Fragment(file: file, tokens: changed, isBroken: isBroken)
    }

    /// True if the statement assigns a value to one of some columns.
    func writes(_ columns: [App.Optional]) -> Bool {
        targets.contains { target in
            columns.contains { column in
                column.path.table == target.table
                    && tokens.indices.contains { index in
                        isName(at: index) && word(at: index) == column.path.column && word(at: index - 1) != "."
                    }
            }
        }
    }

    /// True if the tokens are an entire output column of a select, so that Postgres names the column after them.
    private func isOutput(_ item: ClosedRange<Int>) -> Bool {
        guard ["select", "distinct", "all", ","].contains(word(at: item.lowerBound - 1)),
            item.upperBound + 1 == tokens.count || [",", "from", ")", "union"].contains(word(at: item.upperBound + 1))
        else { return false }
        var depth = 0
        for index in tokens[..<item.lowerBound].indices.reversed() {
            switch word(at: index) {
            case ")", "]": depth += 1
            case "(", "[":
                if depth == 0 { return false }
                depth -= 1
            case let word where depth == 0 && isKeyword(at: index):
                if word == "select" { return true }
                if ["from", "where", "by", "values", "set"].contains(word) { return false }
            default: continue
            }
        }
        return false
    }
}
