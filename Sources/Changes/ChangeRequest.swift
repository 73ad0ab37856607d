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
    /// The users by id or email, or the objects by key.
    package var subjects: [String] = []
    /// The selections, if the operator gave selections instead of names.
    package var selections: [String] = []
    package var values: [String: String] = [:]
    /// The users that an undo skips, by id or email; later replaced by keys.
    package var except: [String] = []
    /// True for one of several undos with the same `except`, which may contain users of the other undos.
    package var isOneOfSeveral = false
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    package var resumes: String?
    package var answers: Answered?

    /// A request of another operator that a change approves.
    package struct Answered: Sendable {
        package let request: String
        /// True to approve although the data or the action changed since the request.
        package let hasMoved: Bool
    }

    package init(_ what: What) { self.what = what }
}
