package import AppFile
package import Asking
package import Catalog
package import PQ

/// The result or the preview of a change.
package struct ChangeReport: Sendable {
    /// The operation id; nil if nothing was committed.
    package var operation: String?
    package let command: String
    package var isDryRun: Bool
    /// The undone operation: its command, and its target if that is not a user.
    package let undone: String?
    package let environment: Environment
    package let isFinal: Bool
    package let takesTwoToUndo: Bool
    /// The kind of the subjects: users or objects.
    package let subject: App.Subject
    package let subjects: [ChangeSubject]
    package let owners: RowOwners
    package let changes: [RowChange]
    package let decisions: [DecisionChange]
    package let warnings: [SubjectRemark]
    package internal(set) var refused: [SubjectRemark]
    package let others: OtherUsers?
    package let impacts: [(before: FilledSentence, after: FilledSentence)]
    /// The time for which usher evaluates all decisions.
    package let now: String
    /// The digest of the result; the real run compares it with the digest of the preview.
    let fingerprint: String?
    /// True if the data or the action changed since the request.
    package var hasMoved = false
    /// True if the operator's selection selects no user or object.
    package internal(set) var selectsNothing = false
    package internal(set) var request: String?
    package internal(set) var role: String?
    package internal(set) var commitWarnings: [Notice] = []

    package var count: Int { subjects.count }
}

/// Other users whose rows a change writes, and the tables of those rows.
package struct OtherUsers: Sendable, Hashable {
    package let count: Int
    package let tables: [String]
}

package struct ChangeSubject: Sendable, Hashable {
    package let key: String
    /// The email of a user or the label of an object; the key if there is none.
    package let label: String

    package init(key: String, label: String) {
        self.key = key
        self.label = label
    }
}

/// A refusal or a warning about one subject, or about all subjects.
package struct SubjectRemark: Sendable, Hashable {
    package let subject: ChangeSubject?
    package let sentence: FilledSentence
    package let isOfApp: Bool
    /// True if the server raised an error; false if a rule refused.
    package let isFailure: Bool
    /// True for a plain remark that is no problem.
    package private(set) var isHarmless = false

    package init(subject: ChangeSubject?, sentence: FilledSentence, isOfApp: Bool) {
        self.subject = subject
        self.sentence = sentence
        self.isOfApp = isOfApp
        isFailure = false
    }

    init(_ left: LeftBehind) {
        self.init(left.sentence)
        isHarmless = left.isHarmless
    }

    package init(_ sentence: String, about subject: ChangeSubject? = nil, isFailure: Bool = false) {
        self.subject = subject
        self.sentence = FilledSentence(text: sentence)
        isOfApp = false
        self.isFailure = isFailure
    }

    package var named: FilledSentence { subject.map { sentence.labelled($0.label) } ?? sentence }
}

/// A row that a change inserts, updates or deletes.
package struct RowChange: Sendable, Hashable {
    package enum Kind: String, Sendable { case insert, update, delete }

    package let kind: Kind
    package let table: String
    /// The key columns as JSON.
    package let key: Value
    package let keyTexts: [String]
    /// The old values as JSON: the changed columns, or all columns of a deleted row; nil for a new row.
    package let before: Value?
    package let after: Value?
    package let columns: [Column]
    /// Secret columns that changed; their values are never shown or recorded.
    package let secrets: [String]

    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: TypeID
        /// The value as JSON.
        package let before: String?
        package let after: String?
    }
}

package struct DecisionChange: Sendable, Hashable {
    package let user: ChangeSubject
    package let name: String
    package let per: String?
    package let before: String?
    package let after: String?
}

/// Finds the user or object of a change that a row belongs to, by the key of the row.
package struct RowOwners: Sendable, Hashable {
    private let subjects: [String: ChangeSubject]
    /// The schema and the name of the users' table.
    private let root: [String]

    init(_ subjects: some Collection<ChangeSubject>, of app: App) {
        self.subjects = Dictionary(subjects.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
        let path = (app.account?.root).flatMap { SQLName.parts(ofPath: $0) } ?? []
        root = Array(path.prefix(2))
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
