internal import AppFile
internal import Catalog
internal import PQ

/// Secrets that no line speaks of, by what columns are called and by what stands in them.
extension AppCheck {
    typealias Secrets = [(origin: DescribedColumn.Origin, path: [String])]

    func shownSecrets(_ secrets: Secrets) -> ShownSecrets {
        ShownSecrets(app: app, secrets: secrets, transaction: transaction, descriptions: descriptions)
    }

    /// Columns that are called like secrets, in the tables that the file names: one finding, where it first names such a table.
    mutating func checkSecretNames() throws(PQError) -> [DescribedColumn.Origin] {
        if missesSecret { return [] }
        let fragments = app.fragments + app.changingFragments
        let tables = app.tables(readBy: fragments)
        let answer = try transaction.read(Words.query)
        let words: Words
        do throws(DecodingFailure) { words = try Words(answer) } catch { throw .decoding(error) }
        let declared = Set((app.account?.secrets ?? []).compactMap { SQLName.parts(ofPath: $0.column) })
        let secrets = try self.secrets(words.secretColumns(of: tables.map { ($0.schema, $0.name) }))
            .filter { !declared.contains($0.path) }
        let columns = secrets.map(\.path)
        let named = Set(columns.map { TableName(schema: $0[0], name: $0[1]) })
        let places = fragments.filter { fragment in
            fragment.relations.contains { named.contains(TableName(schema: $0.schema ?? "", name: $0.name)) }
        }.map(\.place)
        let files = app.files.map(\.name)
        // An author can mend the file itself; what it includes came with the program.
        func order(_ place: App.Place) -> (Int, Int) {
            (files.firstIndex(of: place.file.name) ?? files.count, place.offset)
        }
        if let place = places.min(by: { order($0) < order($1) }) {
            report(.undeclaredSecrets(columns.map(SQLName.path)), at: place)
        }
        return secrets.map(\.origin)
    }

    /// The columns that a question finds, without those that are said to be nothing of the kind.
    private func secrets(_ query: Query) throws(PQError) -> Secrets {
        let rows = try transaction.read(query)
        let ignored = app.account?.ignored ?? []
        do throws(DecodingFailure) {
            let found: Secrets = try rows.rows.map { row throws(DecodingFailure) in
                (
                    .init(table: try row.identifier("table"), column: try row.integer("number")),
                    [try row.text("schema"), try row.text("name"), try row.text("column")]
                )
            }
            return found.filter { secret in !ignored.contains { $0.covers(secret.path) } }
        } catch {
            throw .decoding(error)
        }
    }

    /// Columns whose values look like secrets, where they are shown: by a look at the first pages of their tables, which takes
    /// as long however many there are, and which the server judges, so that no value leaves it.
    mutating func checkSecretValues(
        _ right: [(Probe, Description)], beside known: [DescribedColumn.Origin],
        _ directories: [Result<Description, ServerError>]
    ) throws(PQError) {
        if missesSecret { return }
        let named = app.namingColumns(directories)
        let tables = app.tables(readBy: app.fragments)
        let texts = Query(
            file: "catalog/text_columns.sql", [arrayLiteral(tables.map(\.schema)), arrayLiteral(tables.map(\.name))])
        let columns = try secrets(texts).filter { !known.contains($0.origin) && !named.contains($0.origin) }
        if columns.isEmpty { return }
        let samples = try samples(texts).filter { sample in columns.contains { $0.origin.table == sample.key } }
        let answers = try transaction.read(
            samples.map { Query(file: "catalog/secret_values.sql", with: "seen (attribute, value)", as: $0.value) },
            isLast: false)
        var found: Set<DescribedColumn.Origin> = []
        for (table, answer) in zip(samples.map(\.key), answers) {
            // What cannot be looked at, or not in time, is no fault of the file.
            guard let rows = try? answer.get() else { continue }
            for number in rows.rows.compactMap({ $0.values.first?.text.flatMap { Int($0) } }) {
                found.insert(.init(table: table, column: number))
            }
        }
        let suspects = columns.filter { found.contains($0.origin) }.map { ($0.origin, [SQLName.path(of: $0.path)]) }
        findings += try shownSecrets(suspects).findings(in: right, as: AppMistake.seenSecrets)
    }

    private func samples(_ query: Query) throws(PQError) -> [(key: UInt32, value: String)] {
        let rows = try transaction.read(query)
        do throws(DecodingFailure) {
            return try rows.rows.map { row throws(DecodingFailure) in
                (try row.identifier("table"), try row.text("sample"))
            }
            .reduce(into: [UInt32: String]()) { $0[$1.0] = $1.1 }.sorted { $0.key < $1.key }
        } catch {
            throw .decoding(error)
        }
    }
}

extension App {
    /// What users and objects are known by, which people are to see.
    fileprivate func namingColumns(_ directories: [Result<Description, ServerError>]) -> Set<DescribedColumn.Origin> {
        let names = [[users.key] + users.emails + users.search] + objects.map { [$0.key] + $0.search }
        return zip(names, directories).reduce(into: []) { known, directory in
            let columns = (try? directory.1.get())?.columns ?? []
            known.formUnion(columns.filter { directory.0.contains($0.name) }.compactMap(\.origin))
        }
    }
}
