internal import AppFile
internal import Catalog
internal import PQ

/// Warns about a comparison of a column with a text that the column can't contain, if the database lists the allowed
/// values.
struct ValueLint {
    private let app: App
    private let transaction: ReadTransaction

    init(_ app: App, _ transaction: ReadTransaction) { (self.app, self.transaction) = (app, transaction) }

    func findings() throws(PQError) -> [AppFinding] {
        let compared = ofTables + ofConditions
        let selects = Array(Set(compared.map(\.select)))
        let columns = Dictionary(
            uniqueKeysWithValues: zip(selects, try transaction.describe(selects)).map {
                ($0, (try? $1.get())?.columns ?? [])
            })
        let rows = try transaction.read(
            AllowedValues.query(of: Array(Set(columns.values.joined().compactMap(\.origin)))))
        let allowed: AllowedValues
        do throws(DecodingFailure) { allowed = try AllowedValues(rows) } catch { throw .decoding(error) }
        return compared.compactMap { comparison, select in
            let column = columns[select]?.first { $0.name == comparison.name }
            guard let values = allowed[column?.origin], !values.contains(comparison.text) else { return nil }
            return AppFinding(
                "\(comparison.name) is never '\(comparison.text)'",
                hint: "the allowed values are \(values.joined(separator: ", "))", severity: .warning,
                at: comparison.place, meant: Nearest.name(to: comparison.text, among: values))
        }
    }

    /// The comparisons of columns whose table the SQL names, each with a select that returns the column.
    private var ofTables: [(comparison: Comparison, select: String)] {
        (app.fragments + app.changingFragments).flatMap(\.comparisons).compactMap { comparison in
            comparison.table.map { (comparison, "select * from \($0.quoted)") }
        }
    }

    /// The comparisons of facts in conditions, without facts that an assumption can replace.
    private var ofConditions: [(comparison: Comparison, select: String)] {
        app.conditionScopes.flatMap { scope in
            scope.conditions.flatMap(\.comparisons).filter { comparison in
                comparison.table == nil && !scope.assumptions.contains(comparison.name)
            }.map { ($0, scope.select) }
        }
    }
}
