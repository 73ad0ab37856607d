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
    /// Users by id or address, or objects by key.
    package var subjects: [String] = []
    /// Selections that stand in for naming them.
    package var selections: [String] = []
    /// Arguments and options by name.
    package var values: [String: String] = [:]
    /// Users whom an undo leaves out, by id or email; once it is open, their keys.
    package var except: [String] = []
    /// True if it is one of several undos with the same `except`, which need not all be about these users.
    package var isOneOfSeveral = false
    package var reason: String?
    package var ticket: String?
    package var isDryRun = false
    /// The interrupted bulk change that is to be continued.
    package var resumes: String?
    /// The request that this change approves.
    package var answers: Answered?

    /// The request of somebody else that a change is made for.
    package struct Answered: Sendable {
        package let request: String
        /// True if it is approved although what it rests on has changed since.
        package let hasMoved: Bool
    }

    /// A request with everything that was said about it.
    package init(_ what: What) { self.what = what }
}
