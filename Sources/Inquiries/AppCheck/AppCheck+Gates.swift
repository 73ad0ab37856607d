internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension AppCheck {
    /// Tells of statements that ask of their subjects only whether they are run at all.
    mutating func checkGates(_ gates: [App.Gate]) throws(PQError) {
        let parsed = try descriptions.denials(among: gates.flatMap(\.conditions).map(\.sql), areWrong: true).parsed
        var place = 0
        for gate in gates {
            let own = place..<(place + gate.conditions.count)
            if own.allSatisfy(parsed.contains) { report(.gate, at: gate.place) }
            place = own.upperBound
        }
    }

    /// Tells of what speaks against the deletion of everybody.
    mutating func checkGeneralRefusals() throws(PQError) {
        let refusals = app.generalRefusals
        let queries = refusals.flatMap(\.conditions)
        let parsed = try descriptions.denials(among: queries.map(\.sql), areWrong: true).parsed
        let asked = refusals.indices.filter(parsed.contains)
        if asked.isEmpty { return }
        let answers = try transaction.read(asked.map { Query(queries[$0]) }, isLast: false)
        for (number, answer) in zip(asked, answers) where (try? answer.get())?.rows.isEmpty == false {
            report(.refusesAll, at: refusals[number].place)
        }
    }

    /// Tells of statements that would change another user than the one they were asked about, which only the rows that are
    /// there can tell: it is asked which those are, and nothing is changed.
    mutating func checkReach(_ types: App.KeyTypes) throws(PQError) {
        // Of what is done to all rows it is said already that others are among them.
        let told = findings.filter { if case .gate = $0.mistake { true } else { false } }.map(\.place)
        let reaches = app.reaches(types, columns: try userColumns()).filter { !told.contains($0.place) }
        let denials = try descriptions.denials(among: reaches.map(\.query.sql), areWrong: true)
        let asked = reaches.indices.filter { denials.parsed.contains($0) && denials.ofPlanning[$0] == nil }.map {
            reaches[$0]
        }
        if asked.isEmpty { return }
        let answers = try transaction.read([Query(app.anyUser)] + asked.map { Query($0.query) }, isLast: false)
        if case .success(let rows) = answers[0], (try? rows.only().boolean("found")) == false {
            unseen += asked.map { Unseen(name: $0.name, seen: 0, what: .changedUsersOfNone) }
            return
        }
        for (reach, answer) in zip(asked, answers.dropFirst()) {
            switch answer {
            case .failure(let error) where error.state == .queryCanceled:
                unseen.append(Unseen(name: reach.name, seen: 0, what: .changedUsers))
            // What raises an error for some row is told elsewhere.
            case .failure: continue
            case .success(let rows):
                guard let row = rows.first, let one = row.shown("subject")?.text,
                    let other = row.shown("other")?.text
                else { continue }
                report(
                    reach.table.map { .reachesRows(of: one, other: other, table: "\($0.schema).\($0.name)") }
                        ?? .reachesOthers(of: one, other: other), at: reach.place)
            }
        }
    }

    /// The columns in which the tables of acts name users, and whether their rows are those users themselves.
    private func userColumns() throws(PQError) -> [TableName: App.UserColumns] {
        let tables = app.tablesOfActs
        guard !tables.isEmpty, let (root, column) = app.rootColumn else { return [:] }
        let rows = try transaction.read(
            Query(
                file: "catalog/user_columns.sql",
                [
                    root.schema, root.name, column, arrayLiteral(tables.map(\.schema)),
                    arrayLiteral(tables.map(\.name)),
                ]))
        var found: [TableName: App.UserColumns] = [:]
        do throws(DecodingFailure) {
            for row in rows.rows {
                found[TableName(schema: try row.text("schema"), name: try row.text("name"))] = App.UserColumns(
                    names: try row.texts("columns"), holdsUsers: try row.boolean("holds_users"))
            }
        } catch {
            throw .decoding(error)
        }
        return found
    }
}
