extension AppProbes {
    /// The probes for the names in settings and account directives; they fail if a name doesn't exist.
    package var names: [Probe] { app.settings.flatMap(names) + (app.account.map(names) ?? []) }

    private func names(in settings: App.Settings) -> [Probe] {
        let line = NamedLine(app: app, word: "@settings", place: settings.place)
        let place = settings.place.narrowed(to: settings.path, in: "table")
        let table: SQL = "\(unsafe: settings.table.quoted, at: place)"
        let key = settings.place.narrowed(to: settings.key, in: "key")
        let columns = settings.columns.map { ($0, $0.place ?? settings.place) }
        return ([(settings.key, key)] + columns.map { ($0.name, $1) }).map { column, place in
            line.probe("select \(unsafe: Composer.quoted(column), at: place) from \(table)", place, part: settings.name)
        }
            + columns.map { column, place in
                let null = "null::\(column.boundType)"
                let update: SQL = "update \(table) set \(name: column.name) = \(unsafe: null)"
                return line.probe(update, place, part: settings.name, isOfType: true)
            }
    }

    private func names(in account: App.Account) -> [Probe] {
        func line(_ word: String, _ place: App.Place) -> NamedLine { NamedLine(app: app, word: word, place: place) }
        var probes = [line("@root", account.place).column(account.root)]
        for refers in account.refers {
            let line = line("@refers", refers.place)
            probes += ([refers.from] + [refers.to].compactMap { $0 }).map(line.side)
            probes += line.condition(refers.condition, on: NamedLine.table(of: refers.from))
        }
        for ignored in account.ignored where !ignored.pattern.contains("*") {
            probes.append(line("@ignore", ignored.place).column(ignored.pattern))
        }
        for kept in account.kept {
            let line = line("@keep", kept.place)
            probes += [line.table(kept.table)] + line.way(kept.way, on: kept.table)
        }
        for assigned in account.assignments {
            let line = line("@set", assigned.place)
            let (table, column) = NamedLine.split(assigned.column)
            probes += [line.column(assigned.column), line.value(assigned.expression, of: table)]
            probes.append(line.assignment(of: assigned.expression, to: column, of: table))
            probes += line.way(assigned.way, on: table)
        }
        for shared in account.shared {
            let line = line("@shared", shared.place)
            probes += [line.table(shared.table)] + line.condition(shared.condition, on: shared.table)
            if case .give(let value) = shared.answer { probes.append(line.value(value, of: shared.table)) }
        }
        for owned in account.owned { probes += [owned.from, owned.to].map(line("@owns", owned.place).column) }
        for written in account.written { probes.append(line("@written", written.place).table(written.table)) }
        return probes + secrets
    }

    /// The probes for the columns of `@secret`; they fail if a column doesn't exist.
    package var secrets: [Probe] {
        (app.account?.secrets ?? []).map { NamedLine(app: app, word: "@secret", place: $0.place).column($0.column) }
    }

    /// The probes that assign the new owner to each owner column of a table; one list for each `@shared` with `give`.
    package func giving(_ columns: [String: [String]]) -> [[Probe]] {
        (app.account?.shared ?? []).compactMap { shared in
            guard case .give(let value) = shared.answer, let columns = columns[shared.table] else { return nil }
            let line = NamedLine(app: app, word: "@shared", place: shared.place)
            return columns.map { line.assignment(of: value, to: $0, of: shared.table) }
        }
    }
}

/// A directive with names, for the probes of the names.
private struct NamedLine {
    let app: App
    let word: String
    let place: App.Place

    /// Creates a probe; `part` is the part of the directive with which the message of a finding begins.
    func probe(_ sql: SQL, _ place: App.Place, part: String? = nil, isOfType: Bool = false) -> Probe {
        var probe = Probe(query: app.compose(sql, [:]), place: place)
        probe.subject = part.map { "\(word) \($0)" } ?? word
        probe.isOfType = isOfType
        return probe
    }

    func table(_ path: String) -> Probe {
        probe("select from \(named(path))", place.narrowed(to: path), part: path)
    }

    func column(_ path: String) -> Probe { column(path, path, place.narrowed(to: path)) }

    private func column(_ path: String, _ part: String, _ place: App.Place) -> Probe {
        let parts = Self.split(path)
        let (table, column) = (SQLName.quoted(parts.table), SQLName.quoted(parts.column))
        return probe("select \(unsafe: column, at: place) from \(unsafe: table, at: place)", place, part: part)
    }

    /// The probe for a side of a reference: `schema.table.column` or `schema.table (expression)`.
    func side(_ side: String) -> Probe {
        guard let open = side.firstIndex(of: "(") else { return column(side) }
        let expression = String(side[open...])
        return probe(
            "select \(written(expression)) from \(named(Self.table(of: side)))", place.narrowed(to: expression),
            part: side)
    }

    func way(_ way: App.Account.Way, on table: String) -> [Probe] {
        let via = [way.via].compactMap { $0 }.map { via in
            column("\(table).\(via)", "\(table) via \(via)", place.narrowed(to: "via \(via)"))
        }
        return via + condition(way.condition, on: table)
    }

    func condition(_ condition: String?, on table: String) -> [Probe] {
        [condition].compactMap { $0 }.map { condition in
            probe("select from \(named(table)) t where (\(written(condition)))", place.narrowed(to: condition))
        }
    }

    func value(_ expression: String, of table: String) -> Probe {
        probe("select (\(written(expression))) from \(named(table)) t", place.narrowed(to: expression))
    }

    func assignment(of expression: String, to column: String, of table: String) -> Probe {
        let name = SQLName.quoted(column)
        return probe(
            "update \(named(table)) t set \(unsafe: name) = (\(written(expression)))",
            place.narrowed(to: expression), isOfType: true)
    }

    /// The name of a table as SQL, with its place.
    private func named(_ path: String) -> SQL { "\(unsafe: SQLName.quoted(path), at: place.narrowed(to: path))" }

    /// SQL of the directive, with its place.
    private func written(_ sql: String) -> SQL { "\(unsafe: sql, at: place.narrowed(to: sql))" }

    /// The table in `schema.table.column` or `schema.table (expression)`.
    static func table(of side: String) -> String {
        side.firstIndex(of: "(").map { String(trim(side[..<$0])) } ?? split(side).table
    }

    /// The table and the column in `schema.table.column`.
    static func split(_ path: String) -> (table: String, column: String) {
        guard let dot = path.lastIndex(of: ".") else { return (path, "*") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }
}
