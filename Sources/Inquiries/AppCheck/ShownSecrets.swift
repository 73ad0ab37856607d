internal import AppFile
internal import Catalog
internal import PQ

/// Secrets that would be shown, as they are or in what is made of them.
///
/// Postgres itself tells what becomes of a column: it plans each statement with a mark in the place of the secret, and computes
/// with that as far as it can. What still holds the mark shows the secret; a digest or the last letters of it do not.
struct ShownSecrets {
    let app: App
    /// The columns that nobody may see, by the paths that a finding names the ends of.
    let secrets: [(origin: DescribedColumn.Origin, path: [String])]
    let transaction: ReadTransaction
    let descriptions: Descriptions

    /// One finding for each place that shows what no place before it does.
    func findings(
        in answered: [(Probe, Description)], as mistake: ([String], _ others: Int) -> AppMistake
    ) throws(PQError) -> [AppFinding] {
        if secrets.isEmpty { return [] }
        let shown = answered.filter { $0.0.isShown }
        let plans = try plans(of: shown.map(\.0))
        var findings: [(names: [String], place: App.Place)] = []
        var others: [String: Int] = [:]
        for (number, (probe, description)) in shown.enumerated() {
            for (column, described) in description.columns.enumerated() {
                let held = held(by: described, column, plans[number])
                if held.isEmpty { continue }
                let names = held.map { secrets[$0].path.last ?? "" }
                let place = place(ofColumn: column, in: probe)
                for name in names { others[name] = others[name].map { $0 + 1 } }
                let new = names.filter { others[$0] == nil }
                if new.isEmpty { continue }
                for name in new { others[name] = 0 }
                if let known = findings.firstIndex(where: { $0.place == place }) {
                    findings[known].names += new
                } else {
                    findings.append((new, place))
                }
            }
        }
        return findings.map { names, place in
            let elsewhere = names.compactMap { others[$0] }.max() ?? 0
            return AppFinding(mistake(names, elsewhere), at: place)
        }
    }

    /// The secrets that a column holds, by their numbers.
    private func held(by column: DescribedColumn, _ number: Int, _ plan: MarkedPlan?) -> [Int] {
        let plain = secrets.indices.filter { secrets[$0].origin == column.origin }
        if !plain.isEmpty || Self.holdsNoText.contains(column.type) { return plain }
        guard let columns = plan?.columns, columns.indices.contains(number) else { return [] }
        return columns[number].sorted()
    }

    /// Flags, numbers and times hold nothing of a text or a document.
    private static let holdsNoText: Set<TypeID> = [
        .boolean, .smallint, .integer, .bigint, .numeric, .real, .double, .timestamptz, .timestamp, .date,
    ]

    private func place(ofColumn number: Int, in probe: Probe) -> App.Place {
        app.fragments.first { $0.place == probe.place }?.place(ofColumn: number) ?? probe.place
    }

    /// How Postgres would answer what names a table with a secret.
    private func plans(of probes: [Probe]) throws(PQError) -> [Int: MarkedPlan] {
        let marks = secrets.indices.map(MarkedPlan.mark)
        let tables = try tables(secrets.indices.map { (marks[$0], nil) })
        var marked: [(number: Int, sql: String)] = []
        for (number, probe) in probes.enumerated() {
            if let sql = Fragment.planned(probe.query.sql, with: tables) { marked.append((number, sql)) }
        }
        if marked.isEmpty { return [:] }
        let denied = try descriptions.denials(among: marked.map(\.sql))
        let right = marked.indices.filter { denied.ofParsing[$0] == nil && denied.ofPlanning[$0] == nil }
            .map { marked[$0] }
        let answers = try transaction.read(
            right.map { Query(unsafe: "explain (verbose, format json) " + $0.sql) },
            isLast: false)
        let texts = answers.map { (try? $0.get())?.first?.values.first?.text ?? "[{}]" }
        let rows = try transaction.read(Query(file: "catalog/plan_outputs.sql", [arrayLiteral(texts)]))
        do throws(DecodingFailure) {
            let plans = try MarkedPlan.all(rows, marks: marks.count)
            return Dictionary(uniqueKeysWithValues: plans.map { (right[$0].number, $1) })
        } catch {
            throw .decoding(error)
        }
    }

    /// The tables with secrets, as selects that hold a mark in the place of each, or have it under another name.
    private func tables(_ columns: [(mark: String?, name: String?)]) throws(PQError) -> [TableName: String] {
        let rows = try transaction.read(
            Query(
                file: "catalog/marked_tables.sql",
                [
                    arrayLiteral(secrets.map { String($0.origin.table) }),
                    arrayLiteral(secrets.map { String($0.origin.column) }), arrayLiteral(columns.map(\.mark)),
                    arrayLiteral(columns.map(\.name)),
                ]))
        var tables: [TableName: String] = [:]
        do throws(DecodingFailure) {
            for row in rows.rows {
                tables[TableName(schema: try row.text("schema"), name: try row.text("name"))] = try row.text("marked")
            }
        } catch {
            throw .decoding(error)
        }
        return tables
    }
}

/// Secrets that a statement of operators reads, whatever it makes of them: for that they would need a grant.
extension ShownSecrets {
    /// One finding for each place that reads a secret which none shows.
    func readings(
        in answered: [(Probe, Description)], besides shown: [AppFinding]
    ) throws(PQError) -> [AppFinding] {
        if secrets.isEmpty { return [] }
        let run = answered.map(\.0).filter { !$0.isChange }
        // A definition may be there for changes alone, which the owner does.
        let unused = app.definitions.map(\.select).filter { definition in
            !run.contains { $0.place != definition.place && $0.query.includes(definition) }
        }.map(\.place)
        let asked = answered.filter { !$0.0.isChange && !unused.contains($0.0.place) }
        let told = Set(
            shown.flatMap { finding -> [String] in
                if case .shownSecrets(let names, _) = finding.mistake { names } else { [] }
            })
        let read = try read(by: asked.map { $0.0.query.sql })
        var findings: [AppFinding] = []
        for (number, (probe, description)) in asked.enumerated() {
            for (place, secret) in secrets.enumerated() {
                let name = secret.path.last ?? ""
                if told.contains(name) { continue }
                let fragment = app.fragments.first { $0.place == probe.place }
                // What reads it by a definition is right once that is.
                let isNamed = read[number]?.contains(place) == true ? fragment?.place(ofName: name) : nil
                let isTaken = description.columns.contains { $0.origin == secret.origin } ? probe.place : nil
                guard let place = isNamed ?? isTaken else { continue }
                findings.append(AppFinding(.readSecret(SQLName.path(of: secret.path)), at: place))
            }
        }
        return findings
    }

    /// The secrets that statements name, by their numbers: what names one is wrong where that goes by another name.
    private func read(by statements: [String]) throws(PQError) -> [Int: Set<Int>] {
        func wrong(without renamed: Set<Int>, among numbers: [Int]) throws(PQError) -> [Int] {
            let tables = try tables(secrets.indices.map { (nil, renamed.contains($0) ? "usher secret" : nil) })
            let parsed = numbers.compactMap { number in
                Fragment.parsed(statements[number], with: tables).map { (number: number, sql: $0) }
            }
            return zip(parsed, try descriptions.of(parsed.map(\.sql))).compactMap { parsed, answer in
                if case .failure(let error) = answer, error.state == .undefinedColumn { parsed.number } else { nil }
            }
        }
        let suspects = try wrong(without: Set(secrets.indices), among: Array(statements.indices))
        if suspects.isEmpty { return [:] }
        // Some names are no columns of a select in any case.
        let strange = Set(try wrong(without: [], among: suspects))
        var read: [Int: Set<Int>] = [:]
        for secret in secrets.indices {
            for number in try wrong(without: [secret], among: suspects) where !strange.contains(number) {
                read[number, default: []].insert(secret)
            }
        }
        return read
    }
}
