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
            isSpread ? probes[place].asElsewhere : probes[place]
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
}
