package import Acts
internal import AppFile
package import Asking
internal import Catalog
package import Inquiries
internal import Ledger
internal import PQ
internal import Terminal

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

extension ChangeRequest {
    /// Requests a change instead of making it; returns a preview without the columns that the requester can't read.
    package func ask(in inquiry: Inquiry, elsewhere: @escaping Elsewhere) throws(Failure) -> ChangeReport {
        let (client, _) = try ActClient.open(self, in: inquiry, elsewhere: elsewhere)
        let act = client.act
        if !isDryRun, !act.isForced { try client.environment.requireReason(reason != nil, for: "request") }
        // Only the approver sees the users of a selection.
        let (found, strangers) =
            selections.isEmpty ? try ChangeResolver(inquiry).subjects(of: act, client.request) : ([], [])
        if let first = strangers.first {
            throw Failure(.notFound, first.sentence.plain, details: strangers.dropFirst().map(\.sentence.plain))
        }
        inquiry.leaveOpen()
        let id = OperationID.make()
        let text = client.text(
            id, keys: found.map(\.key),
            more: [("dry", isDryRun), ("selections", selections.isEmpty ? nil : selections)])
        let entry = client.attempt(id, .request, .lost, on: found)
        let (answer, warnings) = try client.call(.ask, text, as: entry, nothing: .done)
        var report = try AnsweredChange(answer, by: client, for: found)
            .report(operation: nil, isDryRun: true)
        report.request = answer.outcome == .done ? id : nil
        report.role = answer.role
        report.commitWarnings = warnings
        return report
    }
}
