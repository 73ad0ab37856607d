internal import AppFile
package import Asking
internal import Catalog
internal import PQ

/// Finds the users of an app.
extension Inquiry {
    /// The directory of the users, with the indexes that help to find them.
    package func users() throws(Failure) -> UserDirectory { try users(asking: []).directory }

    /// The directory of the users, and the results of other queries in the same round trip.
    func users(
        asking questions: [Query]
    ) throws(Failure) -> (directory: UserDirectory, answers: [Result<Rows, ServerError>]) {
        // If there are no other queries, the transaction may already have ended, so usher must not use it.
        func alone() throws(Failure) -> [Result<Rows, ServerError>] { questions.isEmpty ? [] : try look(questions) }
        if let directory { return (directory, try alone()) }
        let reading: AddressColumn.Reading
        var told: [Result<Rows, ServerError>]
        if let columnReading {
            (reading, told) = (columnReading, try alone())
        } else {
            let names = UserDirectory.names(of: [app])
            let own = AddressColumn.queries(about: names)
            told = try look(own + questions)
            let answers = try Self.answers(told.prefix(own.count))
            told.removeFirst(own.count)
            reading = try decoding(try AddressColumn.Reading(names, answers))
        }
        let found = try UserDirectory(app, reading.columns) { () throws(Failure) in try describedKeyType() }
        directory = found
        return (found, told)
    }

    /// The type of the users' key, if the key isn't a table column: Postgres describes the select.
    private func describedKeyType() throws(Failure) -> String {
        let directory = try columns(of: app.directoryProbes[0].query)
        guard let type = directory.first(where: { $0.name == app.users.key })?.type.rawValue else { return "text" }
        do throws(PQError) {
            let rows = try transaction.read(TypeNames.query(of: [type]))
            do throws(DecodingFailure) { return try TypeNames.read(rows)[type] ?? "text" } catch {
                throw .decoding(error)
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Runs queries in one round trip; unless another query was announced, they are the last of the transaction.
    func briefly(_ queries: [ComposedQuery], isLast: Bool = true) throws(Failure) -> [Answer] {
        if queries.isEmpty, !isLast { return [] }
        reopen()
        return try read(queries, isLast: isLast)
    }

    /// Emails that begin like an unknown email, if an index finds them.
    func addresses(near text: String) throws(Failure) -> [String] {
        guard let local = text.split(separator: "@").first, local.count < text.count, local.count > 3 else { return [] }
        let users = try users(beginning: String(local.prefix(max(2, local.count / 2))), limit: Self.mostNear)
        return users.flatMap { $0.emails(in: app) }
    }

    /// The users with a search column that begins with a text, if an index finds them or there are few users.
    func users(beginning text: String, limit: Int) throws(Failure) -> [User] {
        let users = try users()
        let query =
            users.beginning(with: text, limit: limit, bindings: bindings)?.query
            ?? (users.isOfMany
                ? nil : users.directory.scan(for: text, anywhere: false, limit: limit, bindings: bindings))
        guard let query, case .success(let rows)? = try briefly([query]).first?.reading else { return [] }
        return rows.rows.compactMap(User.init)
    }

    private static let mostNear = 200
}
