internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The keys of users: where they stand once, and what they must be.
extension AppCheck {
    /// Each user once, wherever one thing is said of each: of whoever stood twice nobody would know which was meant.
    mutating func checkSingles(_ right: [(Probe, Description)]) throws(PQError) {
        // With more columns than are asked for it is most likely the line that says what each is for that is missing.
        let misshapen = findings.compactMap { finding in
            if case .shape = finding.mistake { finding.place } else { nil }
        }
        let singles = app.singles.filter { single in
            right.contains { $0.0.place == single.place } && !misshapen.contains(single.place)
        }
        let denied = try descriptions.denials(among: singles.map(\.repeated.sql)).ofPlanning
        let asked = singles.indices.filter { denied[$0] == nil }.map { singles[$0] }
        let whole = try transaction.read(
            asked.map { Query($0.repeated) }, isLast: false, preparing: ["set local statement_timeout = '1s'"])
        for (single, all) in zip(asked, whole) {
            var answer = all
            if case .failure(let error) = all, error.state == .queryCanceled {
                // All users take too long, so some of them are looked at.
                answer = try transaction.read([Query(single.repeatedAmongSome)], isLast: false)[0]
                let isSeen = if case .success = answer { true } else { false }
                unseen.append(Unseen(name: single.name, seen: isSeen ? App.someUsers : 0))
            }
            guard let key = (try? answer.get())?.first?.values.first?.text else { continue }
            report(.repeatedKey(of: single.name, key: key, takesSeveral: single.takesSeveral), at: single.place)
        }
    }

    /// Quotas, decisions and objects say of users what they say, and not of something else that they name.
    mutating func checkKeyed(
        _ users: DescribedColumn, _ directories: [Result<Description, ServerError>], _ right: [(Probe, Description)]
    ) throws(PQError) {
        let ofSelects = app.keyed.compactMap { select, name -> (column: DescribedColumn, place: App.Place)? in
            guard let columns = right.first(where: { $0.0.place == select.place })?.1.columns,
                let index = name.map({ name in columns.firstIndex { $0.name == name } }) ?? 0, index < columns.count
            else { return nil }
            return (columns[index], select.place(ofColumn: index))
        }
        let ofObjects = zip(app.objects, directories.dropFirst()).compactMap {
            object, directory -> (column: DescribedColumn, place: App.Place)? in
            guard let name = object.userColumn,
                let column = (try? directory.get())?.columns.first(where: { $0.name == name }),
                let place = object.userPlace
            else { return nil }
            return (column, place)
        }
        let found = ofSelects + ofObjects
        let types = try ComparedTypes(found.map(\.column.type) + [users.type], transaction)
        let keys = try KnownKeys(of: Set((found.map(\.column) + [users]).compactMap(\.origin)), in: app, transaction)
        let tolerated = Set(app.tables(readBy: [app.users.select]))
        guard let wanted = types[users.type] else { return }
        for (column, place) in found {
            if let type = types[column.type], !type.compares(with: wanted) {
                report(.member(of: "user", type: type.name, wanted: wanted.name), at: place)
            } else if let (own, key) = keys.strangers(column.origin, users.origin, tolerating: tolerated) {
                report(.strange(to: "user", column: own, wanted: key), at: place)
            }
        }
    }

    /// Compares the column by which a promise names one answer of a decision with the column that tells its answers apart.
    mutating func checkExpected(
        _ directories: [Result<Description, ServerError>], _ right: [(Probe, Description)]
    ) throws(PQError) {
        let promised = app.actions.flatMap { action in
            action.expects.compactMap { expectation -> (App.Expectation, one: DescribedColumn, per: DescribedColumn)? in
                guard case .object(let noun) = action.subject,
                    let place = app.objects.firstIndex(where: { $0.noun == noun }),
                    let decision = app.decisions.first(where: { $0.name == expectation.decision }),
                    let object = try? directories[place + 1].get(),
                    let facts = right.first(where: { $0.0.place == decision.select?.place })?.1,
                    let one = object.columns.first(where: { $0.name == expectation.about }),
                    let per = facts.columns.first(where: { $0.name == decision.per })
                else { return nil }
                return (expectation, one, per)
            }
        }
        let types = try ComparedTypes(promised.flatMap { [$0.one.type, $0.per.type] }, transaction)
        for (expectation, one, per) in promised {
            guard let own = types[one.type], let wanted = types[per.type], !own.compares(with: wanted) else { continue }
            report(
                .expectedApart(
                    decision: expectation.decision, column: one.name, type: own.name, per: per.name, wanted: wanted.name
                ),
                at: expectation.place)
        }
    }

    /// What an example assumes is declared by a decision, or a fact.
    mutating func checkAssumptions(_ right: [(Probe, Description)]) {
        var known = Set(facts + app.decisions.flatMap(\.assumptions).map(\.name))
        for select in app.decisions.compactMap(\.select) {
            guard let columns = right.first(where: { $0.0.place == select.place })?.1.columns else { return }
            known.formUnion(columns.map(\.name))
        }
        for (name, place) in app.examples.flatMap(\.assumptions) where !known.contains(name) {
            report(.noAssumption(name), at: place, near: name, among: known.sorted())
        }
    }
}
