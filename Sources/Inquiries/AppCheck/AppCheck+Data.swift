internal import Asking
internal import AppFile
internal import Catalog
internal import PQ

/// What parsing does not tell: whether statements can be planned, and what stands in the tables.
extension AppCheck {
    private static let prefix = "explain "

    /// Has Postgres plan what it could parse: that folds constants and looks into views and functions.
    mutating func checkPlans(_ probes: [Probe]) throws(PQError) {
        let denied = try descriptions.denials(among: probes.map(\.query.sql)).ofPlanning
        // What an act does needs no rights of the role; what it reads itself does.
        for (place, error) in denied where !probes[place].isChange { report(error, in: probes[place]) }
        let isSpread = try !transaction.read(Query(file: "catalog/distributed.sql")).rows.isEmpty
        let probes = probes.indices.filter { denied[$0] == nil }.map { place in
            isSpread ? probes[place].asSelected : probes[place]
        }
        let answers = try transaction.read(
            probes.map { Query(unsafe: Self.prefix + $0.query.sql, $0.query.values) }, isLast: false)
        for (probe, answer) in zip(probes, answers) {
            guard case .failure(let error) = answer else { continue }
            // What takes long is no fault of the file.
            if error.state == .queryCanceled || error.state == .lockNotAvailable { continue }
            if probe.isChange, error.state == .insufficientPrivilege { continue }
            report(error, in: probe, behind: Self.prefix.unicodeScalars.count)
        }
    }

    /// What may be missing, is, and is read by nothing: most likely it is called otherwise.
    mutating func checkMissing(_ missing: [App.Optional]) {
        for one in missing where !app.names(one) {
            let path = [one.table.schema, one.table.name] + [one.column].compactMap { $0 }
            report(.unreadOptional(one.name), at: one.place, because: .init(one.column == nil ? .table : .column, path))
        }
    }

    /// One finding for each thing that the role may not read, at the first place that needs it.
    mutating func reportDenied() {
        for (message, places) in denied {
            guard let first = places.min(by: { ($0.file.name, $0.offset) < ($1.file.name, $1.offset) }) else {
                continue
            }
            let others = Set(places.map { "\($0.file.name) \($0.offset)" }).count - 1
            findings.append(AppFinding(.unread(message: message, others: others), at: first))
        }
    }

    /// Columns that are called like secrets, in the tables that the file names: one finding, where it first names such a table.
    mutating func checkSecretNames() throws(PQError) {
        if missesSecret { return }
        let fragments = app.fragments + app.changingFragments
        let tables = app.tables(readBy: fragments)
        let answer = try transaction.read(Words.query)
        let words: Words
        do throws(DecodingFailure) { words = try Words(answer) } catch { throw .decoding(error) }
        let rows = try transaction.read(words.secretColumns(of: tables.map { ($0.schema, $0.name) }))
        let declared = Set((app.account?.secrets ?? []).compactMap { SQLName.parts(ofPath: $0.column) })
        let columns = rows.rows.map { $0.values.compactMap(\.text) }.filter { $0.count == 3 && !declared.contains($0) }
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
    }
}
