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
        }
        for table in kept {
            probes.append(NameProbe(sql: "select from \(table.table)", subject: "@keep", place: table.place))
        }
        for column in anonymised {
            let (table, name) = Self.split(column.column)
            probes.append(
                NameProbe(
                    sql: "select (\(column.expression)), \(name) from \(table)", subject: "@anonymise",
                    place: column.place))
        }
        return probes + secretProbes
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

    /// The table and the column of `schema.table.column`.
    private static func split(_ path: String) -> (table: String, column: String) {
        guard let dot = path.lastIndex(of: ".") else { return (path, "*") }
        return (String(path[..<dot]), String(path[path.index(after: dot)...]))
    }
}
