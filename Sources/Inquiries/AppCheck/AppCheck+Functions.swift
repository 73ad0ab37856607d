internal import AppFile
internal import Catalog
internal import PQ

/// Functions that what is shown may not call: those that write, as far as the catalog tells.
extension AppCheck {
    /// Of a function of Postgres' own it tells by its marks, of one of the database's by its source.
    mutating func checkFunctions() throws(PQError) {
        let calls = app.shownFragments.flatMap { fragment in fragment.calls.map { ($0, fragment.file) } }
        let names = Set(calls.map { Name(schema: $0.0.schema ?? "pg_catalog", name: $0.0.name) }).sorted()
        if names.isEmpty { return }
        let rows = try transaction.read(
            Query(
                file: "catalog/called_functions.sql",
                [arrayLiteral(names.map(\.schema)), arrayLiteral(names.map(\.name))]))
        var writing: Set<Name> = []
        var reading: Set<Name> = []
        do throws(DecodingFailure) {
            for row in rows.rows {
                let name = Name(schema: try row.text("schema"), name: try row.text("name"))
                let marked = try row.optionalBoolean("writes")
                let source = try row.optionalText("source")
                let writes = marked ?? source.map(FunctionBody.writes) ?? false
                if writes { writing.insert(name) } else { reading.insert(name) }
            }
        } catch {
            throw .decoding(error)
        }
        // Of several functions of a name one may be meant that only reads.
        writing.subtract(reading)
        for (call, file) in calls {
            let name = Name(schema: call.schema ?? "pg_catalog", name: call.name)
            if writing.contains(name) {
                let path = SQLName.path(of: [call.schema, call.name].compactMap { $0 })
                report(.writing(function: path), at: App.Place(file: file, offset: call.offset))
            }
        }
    }

    private struct Name: Hashable, Comparable {
        let schema: String
        let name: String

        static func < (a: Name, b: Name) -> Bool { (a.schema, a.name) < (b.schema, b.name) }
    }
}
