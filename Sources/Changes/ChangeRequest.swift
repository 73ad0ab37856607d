internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ

/// The change that an operator typed.
package struct ChangeRequest: Sendable {
    package enum What: Sendable {
        case action(noun: String, verb: String)
        case state(String)
        case setting(table: String?, key: String, column: String, value: String)
        case undo(operation: String)
    }

    package var what: What
    /// Users by id or email, or objects by key.
    package var subjects: [String] = []
    /// Selections instead of names.
    package var selections: [String] = []
    /// Arguments and options by name.
    package var values: [String: String] = [:]
    /// Users that an undo leaves out, by id or email; later their keys.
    package var except: [String] = []
    /// True if this is one of several undos with the same `except`, whose users may belong to the others.
    package var isOneOfSeveral = false
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    /// The interrupted bulk change that is to be continued.
    package var resumes: String?
    /// The request that this change approves.
    package var answers: Answered?

    /// A request of another operator that a change approves.
    package struct Answered: Sendable {
        package let request: String
        /// True to approve although the data changed since.
        package let hasMoved: Bool
    }

    /// A request with everything that was said about it.
    package init(_ what: What) { self.what = what }
}
