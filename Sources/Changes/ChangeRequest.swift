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
    /// The users that an undo skips, by id or email; later replaced by keys.
    package var except: [String] = []
    /// True for one of several undos with the same `except`, which may name users of the other undos.
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
        /// True to approve although the data changed since the request.
        package let hasMoved: Bool
    }

    /// A request for a change, without subjects and options yet.
    package init(_ what: What) { self.what = what }
}
