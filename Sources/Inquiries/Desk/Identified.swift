internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

extension Inquiry {
    /// Somebody whom a text leads to, and by which way.
    struct Identified {
        let user: String
        let through: Identification
    }

    /// Whom a text leads to that names nobody by key or address.
    ///
    /// It may be what people are called, the beginning of a key, or what belongs to them. Each stage goes by index where
    /// there are many, and ends the search.
    func identified(_ text: String, limit: Int = App.mostCandidates + 1) throws(Failure) -> [Identified] {
        let own = try ownColumns(text, limit)
        if !own.isEmpty { return own }
        return try owners(of: text, .letters, limit)
    }

    private func ownColumns(_ text: String, _ limit: Int) throws(Failure) -> [Identified] {
        let users = try users()
        var asked = users.callings(text, limit: limit, bindings: bindings)
        if text.utf8.count >= Self.leastOfKey, let range = KeyText.beginning(with: text, users.keyType) {
            let query = users.directory.beginning(
                with: text, in: [], keys: range, keyType: users.keyType, limit: limit, bindings: bindings)
            asked.append((app.users.key, query))
        }
        if asked.isEmpty { return [] }
        reopen()
        var found: [Identified] = []
        for (answer, (column, _)) in zip(try read(asked.map(\.query), isLast: false), asked) {
            // What cannot be asked leads to nobody; it is said where everybody is searched.
            guard case .success(let rows) = answer.reading else { continue }
            found += rows.rows.compactMap(User.init).map { user in
                let value = user.facts.shown(column)?.text ?? user.key
                return Identified(
                    user: user.key, through: Identification(noun: nil, column: column, value: value, key: nil))
            }
        }
        return found
    }

    /// Less than that of a key is no name for anybody.
    private static let leastOfKey = 8

    /// Whose what a text names is.
    func owners(of text: String, _ likeness: App.Likeness, _ limit: Int) throws(Failure) -> [Identified] {
        var identifiers = app.identifiers.filter { likeness == .letters || !$0.isKey }
        guard !identifiers.isEmpty else { return [] }
        try learnAllRelations()
        identifiers = identifiers.filter { hiding([$0.object.select]) == nil }
        if likeness == .letters {
            let types = try objectKeyTypes()
            identifiers = identifiers.filter { identifier in
                !identifier.isKey || KeyText.fits(text, types.objects[identifier.object.noun] ?? "") == true
            }
        }
        if identifiers.isEmpty { return [] }
        reopen()
        let answers = try read(
            identifiers.map { app.owners(of: text, by: $0, likeness, limit: limit, bindings: bindings) }, isLast: false)
        return zip(identifiers, answers).flatMap { identifier, answer -> [Identified] in
            guard case .success(let rows) = answer.reading else { return [] }
            return rows.rows.compactMap { row in
                guard let user = row.values[0].text else { return nil }
                return Identified(
                    user: user,
                    through: Identification(
                        noun: identifier.object.noun, column: identifier.isKey ? nil : identifier.column,
                        value: row.values[2].text ?? text,
                        key: row.values[1].text))
            }
        }
    }

    /// The types of the keys of all kinds of objects, as Postgres describes them.
    private func objectKeyTypes() throws(Failure) -> App.KeyTypes {
        reopen()
        return try failing { () throws(PQError) in
            let described = try transaction.describe(app.directoryProbes.map(\.query.sql))
            return try app.keyTypes(described) { numbers throws(PQError) in
                let rows = try transaction.read(TypeNames.query(of: numbers))
                do throws(DecodingFailure) { return try TypeNames.read(rows) } catch { throw .decoding(error) }
            }
        }
    }

    /// The one user whom identifiers lead to; several are told, each with the way.
    func only(_ found: [Identified], of text: String) throws(Failure) -> Identified? {
        let keys = Set(found.map(\.user))
        guard let first = found.first, keys.count > 1 else { return found.first }
        var lines: [String] = []
        for identified in found where !lines.contains(where: { $0.hasPrefix(identified.user) }) {
            guard lines.count < App.mostCandidates else { break }
            let user = try? self.user(named: identified.user)
            lines.append(line(identified.user, user) + "  " + identified.through.words)
        }
        throw Failure(
            InquiryRefusal.severalUsers(text, count: keys.count, through: first.through, first: lines))
    }

    /// A user in a list of several: the key, and what a table of users shows.
    func line(_ key: String, _ user: User?) -> String {
        let names = app.users.columns.isEmpty ? app.users.emails : app.users.columns
        let shown = names.compactMap { user?.facts.shown($0)?.text }
        return ([key] + shown).joined(separator: "  ")
    }
}
