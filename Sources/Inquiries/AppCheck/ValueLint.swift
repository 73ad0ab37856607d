internal import AppFile
internal import Catalog
internal import PQ

/// Warns about a comparison of a column with a text that the column can't contain, if the database lists the allowed
/// values.
struct ValueLint {
    private let app: App
    private let transaction: ReadTransaction

    init(_ app: App, _ transaction: ReadTransaction) { (self.app, self.transaction) = (app, transaction) }

    /// A comparison, the select that returns its column, and the parameters that its SQL can use.
    private struct Compared {
        let comparison: Comparison
        let file: SourceFile
        let select: String
        var declarations: [ParameterDeclaration] = []
    }

    func findings() throws(PQError) -> [AppFinding] {
        let compared = ofTables + ofConditions + ofUpdates
        let selects = Array(Set(compared.map(\.select)))
        let columns = Dictionary(
            uniqueKeysWithValues: zip(selects, try transaction.describe(selects)).map {
                ($0, (try? $1.get())?.columns ?? [])
            })
        let rows = try transaction.read(
            AllowedValues.query(of: Array(Set(columns.values.joined().compactMap(\.origin)))))
        let allowed: AllowedValues
        do throws(DecodingFailure) { allowed = try AllowedValues(rows) } catch { throw .decoding(error) }
        return compared.flatMap { one -> [AppFinding] in
            let column = columns[one.select]?.first { $0.name == one.comparison.name }
            // A fact that is also an assumption can have the choices of the assumption, too.
            let assumed = one.declarations.first { $0.name == one.comparison.name }
            guard let own = allowed[column?.origin] ?? (assumed == nil ? nil : []),
                let values = assumed.map({ $0.choices.isEmpty ? nil : $0.choices + own }) ?? own
            else { return [] }
            return texts(of: one).filter { !values.contains($0.text) }.map { text, place in
                AppFinding(
                    "\(one.comparison.name) is never '\(text)'",
                    hint: "the allowed values are \(values.joined(separator: ", "))",
                    severity: .warning, at: place,
                    meant: Nearest.name(to: text, among: values))
            }
        }
    }

    /// The texts that a column is compared with, each with its place; for a parameter, these are its choices.
    private func texts(of one: Compared) -> [(text: String, place: App.Place)] {
        switch one.comparison.operand {
        case .literal(let text): [(text, App.Place(file: one.file, offset: one.comparison.offset))]
        case .parameter(let name):
            one.declarations.filter { $0.name == name }.flatMap { declared in
                declared.choices.compactMap { choice in declared.place.map { (choice, $0.narrowed(to: choice)) } }
            }
        }
    }

    private var ofTables: [Compared] {
        (app.fragments + app.changingFragments).flatMap { fragment in
            fragment.comparisons.compactMap { comparison in
                comparison.table.map {
                    Compared(comparison: comparison, file: fragment.file, select: "select * from \($0.quoted)")
                }
            }
        }
    }

    private var ofConditions: [Compared] {
        app.conditionScopes.flatMap { scope in
            scope.conditions.flatMap { condition in
                condition.comparisons.filter { $0.table == nil }.map {
                    Compared(
                        comparison: $0, file: condition.file, select: scope.select, declarations: scope.declarations)
                }
            }
        }
    }

    private var ofUpdates: [Compared] {
        let ofActions = app.actions.flatMap { action in action.statements.map { ($0.sql, action.parameters.all) } }
        let ofStates = app.states.flatMap(\.statements).map { ($0.sql, [ParameterDeclaration]()) }
        return (ofActions + ofStates).flatMap { sql, declarations in
            sql.updatedTable.map { table in
                sql.comparisons.filter { $0.table == nil }.map {
                    Compared(
                        comparison: $0, file: sql.file, select: "select * from \(table)", declarations: declarations)
                }
            } ?? []
        }
    }
}
