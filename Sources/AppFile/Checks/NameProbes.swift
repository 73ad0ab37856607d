/// A statement that Postgres parses to check the names of a directive.
package struct NameProbe: Sendable {
    package let sql: String
    /// The text of the directive, with which the message of a finding begins.
    package let subject: String
    package let place: App.Place
    /// The place of the table's name, if it differs from the place of the column.
    package var tablePlace: App.Place?
    /// The position in the statement where the directive's SQL begins; nil if the directive contains no SQL.
    package var start: Int?

    /// True if the probe only checks a type, because another probe checks the names.
    package var isOfType = false

    /// The place in the file for a position that Postgres reports.
    package func place(ofPosition position: Int?) -> App.Place {
        guard let start, let position, position >= start else { return place }
        return App.Place(file: place.file, offset: place.offset + position - start)
    }
}

extension AppProbes {
    /// The probes for the names in settings and account directives; they fail if a name doesn't exist.
    package var names: [NameProbe] {
        app.settings.flatMap { settings in
            let table = settings.place.narrowed(to: settings.table, in: "table")
            let key = settings.place.narrowed(to: settings.key, in: "key")
            let columns = [(settings.key, key)] + settings.columns.map { ($0.name, $0.place ?? settings.place) }
            let subject = "@settings \(settings.name)"
            return columns.map { column, place in
                NameProbe(
                    sql: "select \(Composer.quoted(column)) from \(SQLName.quoted(settings.table))",
                    subject: subject, place: place, tablePlace: table)
            }
                + settings.columns.map { column in
                    var probe = NameProbe(
                        sql:
                            "update \(SQLName.quoted(settings.table)) set \(Composer.quoted(column.name)) = null::\(column.boundType)",
                        subject: subject, place: column.place ?? settings.place)
                    probe.isOfType = true
                    return probe
                }
        } + (app.account?.nameProbes ?? [])
    }
}

extension App.Account {
    fileprivate var nameProbes: [NameProbe] {
        var probes = [columnProbe(root, "@root", place)]
        for line in refers {
            probes.append(expressionProbe(line.from, "@refers", line.place))
            if let to = line.to { probes.append(expressionProbe(to, "@refers", line.place)) }
            probes += conditionProbes(line.condition, on: Self.table(of: line.from), "@refers", line.place)
        }
        for line in ignored where !line.pattern.contains("*") {
            probes.append(columnProbe(line.pattern, "@ignore", line.place))
        }
        for line in kept {
            probes.append(tableProbe(line.table, "@keep", line.place))
            probes += wayProbes(line.way, on: line.table, "@keep", line.place)
        }
        for line in assignments {
            let (table, column) = Self.split(line.column)
            probes.append(columnProbe(line.column, "@set", line.place))
            probes.append(valueProbe(line.expression, of: table, "@set", line.place))
            probes.append(assignmentProbe(line.expression, to: column, of: table, "@set", line.place))
            probes += wayProbes(line.way, on: table, "@set", line.place)
        }
        for line in shared {
            probes.append(tableProbe(line.table, "@shared", line.place))
            probes += conditionProbes(line.condition, on: line.table, "@shared", line.place)
            if case .give(let value) = line.answer {
                probes.append(valueProbe(value, of: line.table, "@shared", line.place))
            }
        }
        for line in owned {
            probes.append(columnProbe(line.from, "@owns", line.place))
            probes.append(columnProbe(line.to, "@owns", line.place))
        }
        for line in written { probes.append(tableProbe(line.table, "@written", line.place)) }
        return probes + secretProbes
    }

    private func wayProbes(_ way: Way, on table: String, _ subject: String, _ place: App.Place) -> [NameProbe] {
        let columns = way.via.map { [columnProbe("\(table).\($0)", "\(subject) \(table) via", place, at: $0)] } ?? []
        return columns + conditionProbes(way.condition, on: table, subject, place)
    }

    private func conditionProbes(
        _ condition: String?, on table: String, _ subject: String, _ place: App.Place
    ) -> [NameProbe] {
        guard let condition else { return [] }
        return [probe("select from \(SQLName.quoted(table)) t where (", condition, ")", of: table, subject, place)]
    }

    /// The probe for a statement that contains SQL of a directive, between two texts that usher adds.
    private func probe(
        _ begin: String, _ sql: String, _ end: String, of table: String, _ subject: String, _ place: App.Place
    ) -> NameProbe {
        NameProbe(
            sql: begin + sql + end, subject: subject, place: place.narrowed(to: sql),
            tablePlace: place.narrowed(to: table), start: begin.count + 1)
    }

    /// The probes for the columns of `@secret`; they fail if a column doesn't exist.
    package var secretProbes: [NameProbe] { secrets.map { columnProbe($0.column, "@secret", $0.place) } }

    private func tableProbe(_ path: String, _ subject: String, _ place: App.Place) -> NameProbe {
        NameProbe(
            sql: "select from \(SQLName.quoted(path))", subject: "\(subject) \(path)",
            place: place.narrowed(to: path))
    }

    private func columnProbe(
        _ path: String, _ subject: String, _ place: App.Place, at part: String? = nil
    ) -> NameProbe {
        let (table, column) = Self.split(path)
        return NameProbe(
            sql: "select \(SQLName.quoted(column)) from \(SQLName.quoted(table))",
            subject: "\(subject) \(part ?? path)",
            place: place.narrowed(to: part.map { "via \($0)" } ?? path))
    }

    /// The probes that assign the new owner to each owner column of a table; one list for each `@shared` with `give`.
    package func givingProbes(_ columns: [String: [String]]) -> [[NameProbe]] {
        shared.compactMap { line in
            guard case .give(let value) = line.answer, let columns = columns[line.table] else { return nil }
            return columns.map { assignmentProbe(value, to: $0, of: line.table, "@shared", line.place) }
        }
    }

    private func assignmentProbe(
        _ expression: String, to column: String, of table: String, _ subject: String, _ place: App.Place
    ) -> NameProbe {
        let begin = "update \(SQLName.quoted(table)) t set \(SQLName.quoted(column)) = ("
        var probe = probe(begin, expression, ")", of: table, subject, place)
        probe.isOfType = true
        return probe
    }

    private func valueProbe(
        _ expression: String, of table: String, _ subject: String, _ place: App.Place
    ) -> NameProbe {
        probe("select (", expression, ") from \(SQLName.quoted(table)) t", of: table, subject, place)
    }

    /// The probe for a side of a reference: `schema.table.column` or `schema.table (expression)`.
    private func expressionProbe(_ side: String, _ subject: String, _ place: App.Place) -> NameProbe {
        guard let open = side.firstIndex(of: "(") else { return columnProbe(side, subject, place) }
        let table = Self.table(of: side)
        return probe(
            "select ", String(side[open...]), " from \(SQLName.quoted(table))", of: table, "\(subject) \(side)", place)
    }

    /// The table in `schema.table.column` or `schema.table (expression)`.
    private static func table(of side: String) -> String {
        side.firstIndex(of: "(").map { String(trim(side[..<$0])) } ?? split(side).table
    }

    /// The table and the column in `schema.table.column`.
    fileprivate static func split(_ path: String) -> (table: String, column: String) {
        guard let dot = path.lastIndex(of: ".") else { return (path, "*") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }
}
