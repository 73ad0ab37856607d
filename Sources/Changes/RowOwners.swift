internal import AppFile

/// Finds the user or object of a change that a row belongs to, by the key of the row.
package struct RowOwners: Sendable, Hashable {
    private let subjects: [String: ChangeSubject]
    /// The schema and the name of the users' table.
    private let root: [String]

    package init(_ subjects: some Collection<ChangeSubject>, root: [String]) {
        self.subjects = Dictionary(subjects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        self.root = root
    }

    init(_ subjects: some Collection<ChangeSubject>, of app: App) {
        let path = (app.account?.root).flatMap { SQLName.parts(ofPath: $0) } ?? []
        self.init(subjects, root: Array(path.prefix(2)))
    }

    subscript(key: String) -> ChangeSubject? { subjects[key] }

    /// The user or object that a row belongs to; nil if unknown, or if its label is only the key.
    ///
    /// A numeric key matches only in the users' table, because rows of other tables have numbers, too.
    package func owner(of table: String?, _ key: [String]) -> ChangeSubject? {
        let isRoot = table.flatMap { SQLName.parts(ofPath: $0) } == root
        let known = key.lazy.filter { isRoot || !$0.allSatisfy(\.isNumber) }.compactMap { subjects[$0] }
        return known.first { $0.label != $0.key }
    }

    /// Replaces the key by the owner, if known, in a line that begins with a table and a key.
    func naming(_ line: String) -> String {
        guard let parts = line.wholeMatch(of: #/(.+?) ({.+?}) (.+)/#) else { return line }
        let key = parts.2.matches(of: #/: (?:"([^"]*)"|([^,}]+))/#).map { String($0.1 ?? $0.2 ?? "") }
        let table = String(parts.1)
        guard let owner = owner(of: table, key) else { return line }
        return "\(owner.label): \(table) \(parts.3)"
    }
}
