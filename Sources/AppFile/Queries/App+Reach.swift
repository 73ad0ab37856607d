/// Whom the acts of an app would change, asked without changing anybody.
extension App {
    /// The column of which a user is a value, as it is declared, or else as the directory says.
    package var rootColumn: (table: TableName, column: String)? {
        if let account {
            guard let parts = SQLName.parts(ofPath: account.root), parts.count == 3 else { return nil }
            return (TableName(schema: parts[0], name: parts[1]), parts[2])
        }
        guard let base = users.source?.key.base, base.isColumn else { return nil }
        return (base.table, base.column)
    }

    /// The columns of tables in which the directory has addresses.
    package var addressColumns: [DirectorySource.Base] {
        guard let source = users.source else { return [] }
        return users.emails.flatMap { source.terms(of: $0) ?? [] }.compactMap(\.base).filter(\.isColumn)
    }

    /// A statement of an act on users, as the question for one whom it would change although it was asked about another.
    package struct Reach: Sendable {
        /// What the act is called.
        package let name: String
        package let place: Place
        /// The table whose rows refer to whom they would be taken from, nil where they are users themselves.
        package let table: TableName?
        /// One row at most: the key of who was asked about, and of who would be changed.
        package let query: ComposedQuery
    }

    /// The tables that acts on users write.
    package var tablesOfActs: Set<TableName> {
        Set(actsOnUsers.flatMap(\.statements).flatMap(\.sql.targets).map(\.table))
    }

    /// The columns in which a table names users.
    package struct UserColumns {
        let names: [String]
        /// Whether its rows are those users, and do not only refer to them.
        let holdsUsers: Bool

        package init(names: [String], holdsUsers: Bool) { (self.names, self.holdsUsers) = (names, holdsUsers) }
    }

    /// The statements of acts that write rows of users, or rows that refer to users, by the columns that say to whom.
    package func reaches(_ types: KeyTypes, columns: [TableName: UserColumns]) -> [Reach] {
        actsOnUsers.flatMap { act in
            act.statements.compactMap { statement in
                guard let target = statement.sql.target, let parts = statement.sql.reach,
                    let columns = columns[target.table]
                else { return nil }
                let cells = columns.names.map { "\(target.alias).\(Composer.quoted($0))::text" }
                let whose = columns.holdsUsers ? cells.joined() : Self.whose(cells)
                return Reach(
                    name: act.name, place: statement.sql.place, table: columns.holdsUsers ? nil : target.table,
                    query: reach(of: statement.sql, parts, whose, Self.bindings(act.parameters, types), types))
            }
        }
    }

    /// A user whom a row refers to, nobody where one of them was asked about.
    private static func whose(_ cells: [String]) -> String {
        let all = cells.joined(separator: ", ")
        return "case when \(subject)::text in (\(all)) then null else coalesce(\(all), null) end"
    }

    private static let subject = "\"usher subject\".key"

    /// Whether there is anybody to ask about.
    package var anyUser: ComposedQuery {
        Composer.compose(
            [.text("select exists (select from "), .definition("users"), .text(") as found")], for: self, bindings: [:])
    }

    private var actsOnUsers: [(name: String, statements: [Statement], parameters: Parameters)] {
        actions.filter { $0.subject == .users }.map { ("\($0.noun) \($0.verb)", $0.statements, $0.parameters) }
            + states.filter { $0.subject == .users }.map {
                ("state \($0.name)", $0.statements, Parameters(arguments: [], options: []))
            }
    }

    private func reach(
        of statement: Fragment, _ parts: ReachParts, _ key: String, _ given: [String: Binding], _ types: KeyTypes
    ) -> ComposedQuery {
        let one = Self.subject
        let subjects = [
            "now": Binding("now", type: "timestamptz"), "user": Binding(expression: "(\(one))", type: types.users),
            "users": Binding(expression: "(array[\(one)])", type: types.users.map { $0 + "[]" }),
        ]
        var pieces: [Composer.Piece] = [
            .text("select \(one)::text as subject, written.key as other from (select u."),
            .text("\(Composer.quoted(users.key)) as key from "),
            .definition("users"), .text(" u limit \(Self.someUsers)) \"usher subject\" cross join lateral (\n"),
            .fragment(parts.queries), .text(" select \(key) as key from "), .fragment(parts.table),
        ]
        if let source = parts.source { pieces += [.text(", "), .fragment(source)] }
        if let condition = parts.condition { pieces += [.text(" where "), .fragment(condition)] }
        pieces.append(.text(") written where written.key <> \(one)::text limit 1"))
        return Composer.compose(
            pieces, of: statement, for: self, bindings: given.merging(subjects) { _, engine in engine })
    }
}
