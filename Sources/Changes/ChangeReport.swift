package import AppFile
package import Asking
package import Catalog
package import PQ

/// What a change did, or would do.
package struct ChangeReport: Sendable {
    /// The operation's id, nil when nothing lasts of it.
    package var operation: String?
    package let command: String
    package var isDryRun: Bool
    /// What it takes back, by its command and by what that was about where those are no users.
    package let undone: String?
    package let environment: Environment
    package let grade: App.Grade
    package let isFinal: Bool
    /// Whether nobody can undo it alone.
    package let takesTwoToUndo: Bool
    /// What it is done to.
    package let subject: App.Subject
    package let subjects: [ChangeSubject]
    package let owners: RowOwners
    package let changes: [RowChange]
    package let decisions: [DecisionChange]
    package let warnings: [SubjectRemark]
    package internal(set) var refused: [SubjectRemark]
    package let others: OtherUsers?
    package let impacts: [(before: FilledSentence, after: FilledSentence)]
    /// The instant that everything was decided for.
    package let now: String
    /// What tells whether it would come to the same again.
    let fingerprint: String?
    /// Whether what was asked for rests on what has changed since.
    package var hasMoved = false
    /// The request that it answers, or is.
    package internal(set) var request: String?
    /// Who may approve what was asked for.
    package internal(set) var role: String?
    /// What the server warned of as it committed.
    package internal(set) var commitWarnings: [Notice] = []

    /// How many users or objects it is about.
    package var count: Int { subjects.count }
}

/// Users whose rows a change writes although it is neither about them nor names them, and the tables of those rows.
package struct OtherUsers: Sendable, Hashable {
    package let count: Int
    package let tables: [String]
}

/// A user or object that a change is about.
package struct ChangeSubject: Sendable, Hashable {
    package let key: String
    /// What people call it: an address, else the key.
    package let label: String

    package init(key: String, label: String) {
        self.key = key
        self.label = label
    }
}

/// What is said for or against one of the subjects, nil for all.
package struct SubjectRemark: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        /// A sentence of the app file.
        case sentence(FilledSentence)
        /// What the server says.
        case server(String)
        /// Something that was promised and did not come true, nil where it is not known what.
        case promise(BrokenPromise?)
        /// No user has the name, or so many have it for an address.
        case noUser(String)
        case severalUsers(String, count: Int)
        case failure(Failure)
        /// A row that is not as an operation left it, and stays so; in which table, where the subject is whose it is.
        case unlike(RowUnlike, table: String?)
        /// What an undoing leaves as it is.
        case left(LeftBehind)
        /// It was refused, and by which rule is not known.
        case unnamed
    }

    package let subject: ChangeSubject?
    package let content: Content
    /// Whether the server objected, and not a rule.
    package let isFailure: Bool

    package init(subject: ChangeSubject?, content: Content, isFailure: Bool = false) {
        self.subject = subject
        self.content = content
        self.isFailure = isFailure
    }
}

/// How a row is not as an operation left it.
package enum RowUnlike: Sendable, Hashable {
    /// It is not there any more, or is there again.
    case gone, back
    /// It changed in some columns.
    case changed(String)
    case other

    /// By the name that the database has for it.
    package init?(_ name: String, names: String?) {
        switch name {
        case "gone": self = .gone
        case "back": self = .back
        case "changed": self = .changed(names ?? "")
        case "other": self = .other
        default: return nil
        }
    }
}

/// What an undoing leaves as it is, or a preview does not show.
package enum LeftBehind: Sendable, Hashable {
    /// Rows that were added to a table that has no key.
    case keyless(table: String)
    /// Columns that came out other than the undo set them, since triggers overwrite them.
    case overwritten(String, table: String)
    /// Rows whose record was erased together with somebody.
    case erased(Int)
    /// A request has no preview: a trigger or statement may have effects that a rollback doesn't undo.
    case outside(String, place: String)

    /// Whether an undoing of many counts it among what it did not do.
    var isRefused: Bool { if case .erased = self { true } else { false } }

    /// By the name that the database has for it.
    package init?(_ name: String, table: String, names: String?) {
        switch name {
        case "keyless": self = .keyless(table: table)
        case "overwritten": self = .overwritten(names ?? "", table: table)
        case "outside": self = .outside(names ?? "", place: table)
        case "erased": self = .erased(names.flatMap { Int($0) } ?? 0)
        default: return nil
        }
    }
}

/// A promise of an act that did not come true.
package struct BrokenPromise: Sendable, Hashable {
    /// What came instead.
    package enum End: Sendable, Hashable {
        case outcome(String?)
        case unanswered
        case unavailable(String)
    }

    package let decision: String
    package let outcomes: [String]
    package let end: End
}

/// A row that a change inserts, updates or deletes.
package struct RowChange: Sendable, Hashable {
    package enum Kind: String, Sendable { case insert, update, delete }

    package let kind: Kind
    package let table: String
    /// As JSON: the columns of the key.
    package let key: Value
    /// What stands in those columns, as texts.
    package let keyTexts: [String]
    /// As JSON: the changed columns, of a deleted row all; nil for a row that is new.
    package let before: Value?
    package let after: Value?
    /// The changed columns as texts.
    package let columns: [Column]
    /// Columns that hold secrets and changed; what they held is shown and recorded nowhere.
    package let secrets: [String]

    package struct Column: Sendable, Hashable {
        package let name: String
        package let type: TypeID
        /// As JSON writes it.
        package let before: String?
        package let after: String?
    }
}

/// One answer of a decision before and after a change.
package struct DecisionChange: Sendable, Hashable {
    package let user: ChangeSubject
    package let name: String
    package let per: String?
    package let before: String?
    package let after: String?
}
