internal import AppFile
package import Asking
internal import Catalog
internal import PQ

extension Inquiry {
    /// The directory of the users, with the indexes that help to find them.
    package func users() throws(Failure) -> UserDirectory {
        if let directory { return directory }
        let known: [AddressColumn.Name: AddressColumn]
        if let knownColumns {
            known = knownColumns
        } else {
            let names = UserDirectory.names(of: [app])
            let answers = try Self.answers(try look(AddressColumn.queries(about: names))[...])
            known = try failing(try AddressColumn.all(names, answers))
        }
        let found = try UserDirectory(app, known, bindings: bindings) { () throws(Failure) in try keyType(of: .users) }
        directory = found
        return found
    }

    /// The known emails that begin like an unknown email, if an index covers emails.
    func addresses(near text: String) throws(Failure) -> [String] {
        guard let local = text.split(separator: "@").first, local.count < text.count, local.count > 3 else { return [] }
        let users = try users(beginning: String(local.prefix(max(2, local.count / 2))), limit: Self.mostNear)
        return users.flatMap { $0.emails(in: app) }
    }

    /// The users with a search column that begins with a text, if an index finds them or there are few users.
    func users(beginning text: String, limit: Int) throws(Failure) -> [User] {
        let users = try users()
        let query =
            users.beginning(with: text, limit: limit)?.query
            ?? (users.isOfMany
                ? nil : users.directory.scan(for: text, anywhere: false, limit: limit))
        guard let query else { return [] }
        reopen()
        guard case .success(let rows) = try read([query], isLast: true)[0].reading else { return [] }
        return rows.rows.compactMap(User.init)
    }

    private static let mostNear = 200
}
