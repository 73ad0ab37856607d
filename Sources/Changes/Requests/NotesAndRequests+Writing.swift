package import Acts
internal import AppFile
package import Asking
package import Inquiries
internal import Ledger
internal import PQ
internal import Terminal

extension NotesAndRequests {
    /// Adds a note about a user; returns the operation id and the user.
    package static func note(
        _ text: String, about user: String, reason: String?, ticket: String?, in inquiry: Inquiry,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> (operation: String, label: String) {
        let found = try inquiry.user(named: user)
        try inquiry.requireWritable()
        inquiry.leaveOpen()
        let own = OperationID.make()
        try write(
            .note, own, .note, "user note",
            [
                ("app", inquiry.app.name), ("key", found.key), ("text", text), ("reason", reason), ("ticket", ticket),
            ], ActRunner(in: inquiry, elsewhere: elsewhere), app: inquiry.app.name)
        return (own, found.label(in: inquiry.app))
    }

    /// Requests the deletion of accounts; returns the request id (nil for a dry run) and the users.
    package static func requestDeletion(
        of users: [String], isDryRun: Bool, reason: String?, ticket: String?, in inquiry: Inquiry,
        elsewhere: @escaping Elsewhere
    ) throws(Failure) -> (request: String?, role: String, users: [String]) {
        let found = try users.map { user throws(Failure) in try inquiry.user(named: user) }
        try inquiry.requireWritable()
        if !isDryRun { try inquiry.environment.requireReason(reason != nil, for: "request") }
        inquiry.leaveOpen()
        let own = OperationID.make()
        let app = inquiry.app
        let entry = Ledger.Entry(id: own, kind: .request, outcome: .lost, command: "account delete", app: app.name)
        let request = JSON.present([
            ("id", own), ("kind", "deletion"), ("app", app.name), ("keys", found.map(\.key)), ("dry", isDryRun),
            ("reason", reason), ("ticket", ticket),
        ]).text()
        let (answer, _) = try ActRunner(in: inquiry, elsewhere: elsewhere).call(.ask, request, as: entry)
        return (isDryRun ? nil : own, answer.role ?? "", found.map { $0.label(in: app) })
    }

    static func write(
        _ function: ActFunction, _ id: String, _ kind: Ledger.Entry.Kind, _ command: String,
        _ members: JSON.Members, _ runner: ActRunner, app: String? = nil
    ) throws(Failure) {
        let entry = Ledger.Entry(id: id, kind: kind, outcome: .lost, command: command, app: app)
        let request = JSON.present([("id", id)] + members).text()
        _ = try runner.call(function, request, as: entry)
    }
}
