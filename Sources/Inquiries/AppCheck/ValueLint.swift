internal import AppFile
internal import Catalog
internal import PQ

/// Warns about a comparison of a column with a text that the column can't contain, if the database lists the allowed
/// values.
struct ValueLint {
    let app: App
    /// The statements without an error, each with its description.
    let described: [AppCheck.Described]
    let transaction: ReadTransaction

    /// A comparison, the columns that the compared name can stand for, and the parameters that the SQL can use.
    private typealias Compared = (
        comparison: Comparison, columns: [DescribedColumn], declarations: [ParameterDeclaration]
    )

    func findings() throws(PQError) -> [Diagnostic] {
        let compared = try ofTables() + ofConditions
        let rows = try transaction.read(
            AllowedValues.query(of: Array(Set(compared.flatMap(\.columns).compactMap(\.origin)))))
        let allowed = try AllowedValues(rows)
        return compared.flatMap { one -> [Diagnostic] in
            // If a fact is also an assumption, its allowed values include the choices of the assumption.
            let assumed = one.declarations.first { $0.name == one.comparison.name }
            let column = one.columns.first { $0.name == one.comparison.name }
            guard let own = allowed[column?.origin] ?? (assumed == nil ? nil : []),
                let values = assumed.map({ $0.choices.isEmpty ? nil : $0.choices + own }) ?? own
            else { return [] }
            return texts(of: one).filter { !values.contains($0.text) }.map { text, place in
                let near = Nearest.hint(for: text, among: values).map { $0 + " " } ?? ""
                return Diagnostic(
                    "\(one.comparison.name) is never '\(text)'", at: place,
                    hint: "\(near)the allowed values are \(values.joined(separator: ", "))", severity: .warning)
            }
        }
    }

    /// The texts that the SQL compares with a column, each with its place; for a parameter, the texts are its choices.
    private func texts(of one: Compared) -> [(text: String, place: App.Place)] {
        switch one.comparison.operand {
        case .literal(let text): [(text, one.comparison.place)]
        case .parameter(let name):
            one.declarations.filter { $0.name == name }.flatMap { declared in
                declared.choices.compactMap { choice in declared.place.map { (choice, $0.narrowed(to: choice)) } }
            }
        }
    }

    /// The comparisons of names whose table the statement shows.
    private func ofTables() throws(PQError) -> [Compared] {
        let ofActions = app.actions.flatMap { action in action.statements.map { ($0.sql, action.parameters.all) } }
        let all = (app.fragments + app.changingFragments).map { ($0, [ParameterDeclaration]()) } + ofActions
        let found = all.flatMap { sql, declarations in
            sql.comparisons.compactMap { comparison in comparison.table.map { (comparison, $0, declarations) } }
        }
        let columns = try transaction.columns(of: Set(found.map(\.1)))
        return found.map { ($0, columns[$1] ?? [], $2) }
    }

    private var ofConditions: [Compared] {
        described.flatMap { probe, answer in
            (probe.condition?.comparisons ?? []).filter { $0.table == nil }.map {
                ($0, answer.columns, probe.declarations)
            }
        }
    }
}

extension ReadTransaction {
    /// The columns of tables, as Postgres describes them; empty for a table that it can't describe.
    func columns(of tables: Set<TableName>) throws(PQError) -> [TableName: [DescribedColumn]] {
        let tables = Array(tables)
        let answers = try describe(tables.map { "select * from \($0.quoted)" })
        return Dictionary(uniqueKeysWithValues: zip(tables, answers).map { ($0, (try? $1.get())?.columns ?? []) })
    }
}
