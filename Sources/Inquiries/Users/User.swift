package import AppFile
package import Asking
package import PQ

package struct User: Sendable {
    package let key: String
    package let keyType: String
    package let facts: Row

    /// Creates a user from a result row: the key, its type, an internal column, and the facts.
    init?(_ row: Row) {
        guard row.values.count >= 3, let key = row.values[0].text, let type = row.values[1].text else { return nil }
        self.key = key
        keyType = type
        facts = Row(columns: Array(row.columns.dropFirst(3)), values: Array(row.values.dropFirst(3)))
    }

    /// The user's emails, in the order of `@email`.
    package func emails(in app: App) -> [String] { app.users.emails.compactMap { facts.shown($0)?.text } }

    /// The user's first email, or the key if the user has none.
    package func label(in app: App) -> String { emails(in: app).first ?? key }
}

extension Inquiry {
    func bindings(for user: User) -> [String: Binding] { bindings(for: .known(user.key, type: user.keyType)) }

    /// The values for a statement about a user; an earlier statement may look up the user's key.
    func bindings(for key: UserKey) -> [String: Binding] { bindings.merging(["user": key.binding]) { $1 } }

    /// Finds the user with a typed name.
    package func user(named text: String) throws(Failure) -> User { try UserSearch.one(text, in: self).user }

    package func mayBeKey(_ text: String) throws(Failure) -> Bool { KeyText.fits(text, try users().keyType) ?? true }

    /// Finds the users for many texts, in the order of the texts; a text without a user gets an empty list.
    package func users(
        named texts: [String], each receive: (String, [(key: String, email: String?)]) throws(Failure) -> Void
    ) throws(Failure) {
        let users = try users()
        for start in stride(from: 0, to: texts.count, by: Self.mostAtOnce) {
            let part = texts[start..<min(start + Self.mostAtOnce, texts.count)]
            var query = users.resolution(ofMany: Array(part))
            query.setting = Self.withoutBitmaps
            let answer = try read([query], isLast: false)[0]
            try requireWholeDirectory()
            var matches: [String: [(key: String, email: String?)]] = [:]
            for row in try answer.get().rows {
                let (text, key) = try failing((try row.text(at: 0), try row.text(at: 1)))
                matches[text, default: []].append((key, row.values[3].text))
            }
            for text in part { try receive(text, matches[text] ?? []) }
        }
    }

    /// Turns bitmap scans off.
    ///
    /// Postgres would underestimate the cost of a trigram index for equality. A search for a thousand names
    /// would then take longer than a full scan.
    private static let withoutBitmaps = "select pg_catalog.set_config('enable_bitmapscan', 'off', true)"

    /// The number of names per query: large enough for few round trips, and small enough for memory.
    private static let mostAtOnce = 5_000
}
