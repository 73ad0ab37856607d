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

    /// The statements that ask whose own a text is that is no key and no address: what people are called, and the beginning
    /// of a key; by index where there are many.
    func callings(
        _ text: String, limit: Int = App.mostCandidates + 1
    ) throws(Failure) -> [(column: String, query: ComposedQuery)] {
        let users = try users()
        var asked = users.callings(text, limit: limit, bindings: bindings)
        if text.utf8.count >= Self.leastOfKey, let range = KeyText.beginning(with: text, users.keyType) {
            let query = users.directory.beginning(
                with: text, in: [], keys: range, keyType: users.keyType, limit: limit, bindings: bindings)
            asked.append((app.users.key, query))
        }
        return asked
    }

    /// Who is called so.
    func called(_ columns: [String], _ answers: ArraySlice<Answer>) -> [Identified] {
        zip(columns, answers).flatMap { column, answer -> [Identified] in
            // What cannot be asked leads to nobody; it is said where everybody is searched.
            guard case .success(let rows) = answer.reading else { return [] }
            return rows.rows.compactMap(User.init).map { user in
                let value = user.facts.shown(column)?.text ?? user.key
                return Identified(
                    user: user.key, through: Identification(noun: nil, column: column, value: value, key: nil))
            }
        }
    }

    /// Less than that of an identifier is no name for anybody.
    static let leastOfKey = 8

    /// What belongs to users.
    var belongings: Belongings { Belongings(self) }

    /// The one user whom identifiers lead to; several are told, each with the way.
    func only(_ found: [Identified], of text: String) throws(Failure) -> Identified? {
        var keys: Set<String> = []
        let firsts = found.filter { keys.insert($0.user).inserted }
        guard let first = firsts.first, firsts.count > 1 else { return firsts.first }
        let shown = firsts.prefix(App.mostCandidates)
        // Whoever has gone meanwhile, or long ago, is told by key.
        let users = (try? users(keyed: shown.map(\.user))) ?? []
        let lines = shown.map { identified in
            line(identified.user, users.first { $0.key == identified.user }) + "  " + identified.through.words
        }
        throw Failure(
            InquiryRefusal.severalUsers(text, count: keys.count, through: first.through, first: lines))
    }

    /// What a text names that is tied to nobody, as far as that takes no time.
    func untied(_ text: String, _ types: [String: String]) throws(Failure) -> [Identification] {
        let quick = try belongings.identifiers(untied: text, types, in: self).quick(App.mostCandidates + 1, in: self)
        if quick.count == 0 { return [] }
        return quick.things(try read(quick.questions(App.mostCandidates + 1, in: self), isLast: false)[...])
    }

    /// A user in a list of several: the key, and what a table of users shows.
    func line(_ key: String, _ user: User?) -> String {
        let names = app.users.columns.isEmpty ? app.users.emails : app.users.columns
        let shown = names.compactMap { user?.facts.shown($0)?.text }
        return ([key] + shown).joined(separator: "  ")
    }
}
