internal import AppFile
package import Asking
internal import Catalog
internal import PQ

/// The way to the users of an app.
extension Inquiry {
    /// The directory, with what the catalog says of the way to its users.
    package func users() throws(Failure) -> UserDirectory { try users(asking: []).directory }

    /// The same, and the answers to what is asked on the way.
    func users(
        asking questions: [Query]
    ) throws(Failure) -> (directory: UserDirectory, answers: [Result<Rows, ServerError>]) {
        // Who asks nothing may do so when the transaction has ended.
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

    /// The type of the keys as Postgres describes the directory, where they come from no column of a table.
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

    /// Asks some questions at one instant, in one round trip: whatever comes next begins anew on its way, unless it was
    /// said to come.
    func briefly(_ queries: [ComposedQuery], isLast: Bool = true) throws(Failure) -> [Answer] {
        if queries.isEmpty, !isLast { return [] }
        reopen()
        return try read(queries, isLast: isLast)
    }

    /// Addresses that begin like one that nobody has, as far as that takes no time.
    func addresses(near text: String) throws(Failure) -> [String] {
        guard let local = text.split(separator: "@").first, local.count < text.count, local.count > 3 else { return [] }
        let users = try users()
        let stem = String(local.prefix(max(2, local.count / 2)))
        let query =
            users.beginning(with: stem, limit: Self.mostNear, bindings: bindings)?.query
            ?? (users.isOfMany
                ? nil
                : users.directory.scan(for: stem, anywhere: false, limit: Self.mostNear, bindings: bindings))
        guard let query, case .success(let rows)? = try briefly([query]).first?.reading else { return [] }
        let emails = app.users.emails
        return rows.rows.compactMap(User.init).flatMap { user in emails.compactMap { user.facts.shown($0)?.text } }
    }

    private static let mostNear = 200
}
