package import Acts
internal import AppFile
package import Asking
package import Inquiries
internal import Ledger
internal import PQ
internal import Terminal

extension ChangeRequest {
    /// Requests a change instead of making it; returns a preview without the columns that the requester can't read.
    package func ask(in inquiry: Inquiry, elsewhere: @escaping Elsewhere) throws(Failure) -> ChangeReport {
        let (client, _) = try ActClient.open(self, in: inquiry, elsewhere: elsewhere)
        let act = client.act
        if !isDryRun, !act.isForced { try client.environment.requireReason(reason != nil, for: "request") }
        // Only the approver sees the users of a selection.
        let (found, strangers) = selections.isEmpty ? try inquiry.subjects(of: act, client.request) : ([], [])
        if let first = strangers.first {
            throw Failure(
                .notFound, first.sentence.plain, details: strangers.dropFirst().map(\.sentence.plain))
        }
        inquiry.hand()
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
