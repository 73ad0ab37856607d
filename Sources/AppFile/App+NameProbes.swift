/// A statement that holds the names of a directive against the database.
package struct NameProbe: Sendable {
    package let sql: String
    /// What the directive says, for the message.
    package let subject: String
    package let place: App.Place
}

extension App {
    /// Every parameter the file declares, with the place of its block.
    package var declarations: [(declaration: ParameterDeclaration, place: Place)] {
        var all: [(declaration: ParameterDeclaration, place: Place)] = []
        if let app = requires.first?.place { all += constants.map { ($0, app) } }
        for decision in decisions {
            guard let place = decision.select?.place ?? decision.rules.first?.condition.place else { continue }
            all += decision.assumptions.map { ($0, place) }
        }
        for action in actions { all += action.parameters.all.map { ($0, action.place) } }
        for list in lists { all += list.parameters.all.map { ($0, list.place) } }
        for table in settings { all += table.columns.map { ($0, table.place) } }
        return all
    }

    /// Names in the directives of settings and of the account, as statements that fail when there is no such thing.
    package var nameProbes: [NameProbe] {
        settings.flatMap { settings in
            ([settings.key] + settings.columns.map(\.name)).map { column in
                NameProbe(
                    sql: "select \(Composer.quoted(column)) from \(settings.table)",
                    subject: "@settings \(settings.name)", place: settings.place)
            }
        } + (account?.nameProbes ?? [])
    }
}

extension App.Account {
    fileprivate var nameProbes: [NameProbe] {
        var probes = [columnProbe(root, "@root", place)]
        for reference in references {
            probes.append(expressionProbe(reference.from, "@reference", reference.place))
            probes.append(expressionProbe(reference.to, "@reference", reference.place))
            let table = Self.table(of: reference.from)
            probes += conditionProbes(reference.condition, on: table, "@reference", reference.place)
        }
        for line in owned {
            probes.append(columnProbe(line.from, "@owns", line.place))
            probes.append(columnProbe(line.to, "@owns", line.place))
        }
        for line in kept {
            let table = line.column.map(Self.table) ?? line.name
            let column = line.column.map { Self.split($0).column } ?? ""
            probes.append(NameProbe(sql: "select \(column) from \(table)", subject: "@keep", place: line.place))
        }
        for line in detached { probes.append(columnProbe(line.column, "@detach", line.place)) }
        for line in mentions { probes.append(columnProbe(line.column, "@mention", line.place)) }
        for line in anonymised {
            let (table, name) = Self.split(line.column)
            probes.append(
                NameProbe(
                    sql: "select (\(line.expression)), \(name) from \(table)", subject: "@anonymise",
                    place: line.place))
            probes += conditionProbes(line.condition, on: table, "@anonymise", line.place)
        }
        for line in plain where !line.pattern.contains("*") {
            probes.append(columnProbe(line.pattern, "@plain", line.place))
        }
        for line in collateral {
            var expression = ""
            if case .reassign(let value) = line.answer { expression = "(\(value))" }
            probes.append(
                NameProbe(sql: "select \(expression) from \(line.table)", subject: "@collateral", place: line.place))
        }
        for line in written {
            probes.append(NameProbe(sql: "select from \(line.table)", subject: "@written", place: line.place))
        }
        return probes + secretProbes
    }

    private func conditionProbes(
        _ condition: String?, on table: String, _ subject: String, _ place: App.Place
    ) -> [NameProbe] {
        condition.map { [NameProbe(sql: "select from \(table) where (\($0))", subject: subject, place: place)] } ?? []
    }

    /// The columns that are never shown.
    package var secretProbes: [NameProbe] { secrets.map { columnProbe($0.column, "@secret", $0.place) } }

    private func columnProbe(_ path: String, _ subject: String, _ place: App.Place) -> NameProbe {
        let (table, column) = Self.split(path)
        return NameProbe(sql: "select \(column) from \(table)", subject: "\(subject) \(path)", place: place)
    }

    /// `schema.table.column`, or `schema.table (expression)`.
    private func expressionProbe(_ side: String, _ subject: String, _ place: App.Place) -> NameProbe {
        guard let open = side.firstIndex(of: "(") else { return columnProbe(side, subject, place) }
        return NameProbe(
            sql: "select \(side[open...]) from \(side[..<open])", subject: "\(subject) \(side)", place: place)
    }

    /// The table of `schema.table.column` or `schema.table (expression)`.
    private static func table(of side: String) -> String {
        side.firstIndex(of: "(").map { String(trim(side[..<$0])) } ?? split(side).table
    }

    /// The table and the column of `schema.table.column`.
    private static func split(_ path: String) -> (table: String, column: String) {
        guard let dot = path.lastIndex(of: ".") else { return (path, "*") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }
}
