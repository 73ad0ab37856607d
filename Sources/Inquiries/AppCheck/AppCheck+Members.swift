internal import AppFile
internal import Catalog
internal import PQ

/// The members of objects: a key of the object, and a key of a user.
extension AppCheck {
    /// Columns of two selects that are held against each other.
    private struct Members {
        let object: App.ObjectKind
        let place: (key: App.Place, user: App.Place)
        let found: (key: DescribedColumn, user: DescribedColumn)
        let wanted: (key: DescribedColumn, user: DescribedColumn)
    }

    /// Holds members to what the directories of users and objects, in this order, have for keys.
    mutating func checkMembers(
        _ directories: [Result<Description, ServerError>], _ answered: [(Probe, Description)]
    ) throws(PQError) {
        guard let users = directories.first.flatMap({ Self.column(app.users.key, of: $0) }) else { return }
        let all = zip(app.objects, directories.dropFirst()).compactMap { object, directory -> Members? in
            guard let select = object.members, let key = Self.column(object.key, of: directory),
                let columns = answered.first(where: { $0.0.place == select.place })?.1.columns, columns.count == 2
            else { return nil }
            return Members(
                object: object, place: (select.place(ofColumn: 0), select.place(ofColumn: 1)),
                found: (columns[0], columns[1]), wanted: (key, users))
        }
        if all.isEmpty { return }
        let types = try ComparedTypes(
            all.flatMap { [$0.found.key.type, $0.found.user.type, $0.wanted.key.type, $0.wanted.user.type] },
            transaction)
        let keys = try KnownKeys(
            of: Set(
                all.flatMap { [$0.found.key, $0.found.user, $0.wanted.key, $0.wanted.user] }.compactMap(\.origin)),
            in: app, transaction)
        for members in all { judge(members, types, keys) }
    }

    private mutating func judge(_ members: Members, _ types: ComparedTypes, _ keys: KnownKeys) {
        let (found, wanted, noun) = (members.found, members.wanted, members.object.noun)
        func leads(_ column: DescribedColumn, to key: DescribedColumn) -> Bool {
            keys.leads(column.origin, to: key.origin)
        }
        // One of them may be right where it stands: then the other is.
        let isTurned =
            leads(found.key, to: wanted.user) && !leads(found.key, to: wanted.key)
            && !leads(found.user, to: wanted.user)
            || leads(found.user, to: wanted.key) && !leads(found.user, to: wanted.user)
                && !leads(found.key, to: wanted.key)
        if isTurned { return report(.turnedMembers(of: noun), at: members.place.key) }
        for (column, key, place, owner) in [
            (found.key, wanted.key, members.place.key, noun), (found.user, wanted.user, members.place.user, "user"),
        ] {
            if let one = types[column.type], let other = types[key.type], !one.compares(with: other) {
                return report(.member(of: owner, type: one.name, wanted: other.name), at: place)
            }
            let reads = owner == noun ? members.object.select : app.users.select
            let tolerated = Set(app.tables(readBy: [reads]))
            if let (column, key) = keys.strangers(column.origin, key.origin, tolerating: tolerated) {
                return report(.strange(to: owner, column: column, wanted: key), at: place)
            }
        }
    }

    private static func column(_ name: String, of directory: Result<Description, ServerError>) -> DescribedColumn? {
        (try? directory.get())?.columns.first { $0.name == name }
    }
}
