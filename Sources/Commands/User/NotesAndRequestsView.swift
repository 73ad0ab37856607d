import Asking
import Changes
import Inquiries
import PQ
import Terminal

/// The view of notes and requests in `user show`; empty if there are none.
struct NotesAndRequestsView {
    let text: ScreenText
    let permission: Permission

    private static let mostShown = 5

    func lines(_ desk: Result<NotesAndRequests, Failure>?) -> [SafeText] {
        guard let desk else { return [] }
        switch desk {
        case .failure(let failure):
            return ["", ("Notes and requests are unavailable: " as SafeText).yellow + SafeText(failure.sentence)]
        case .success(let desk):
            if desk.requests.isEmpty, desk.notes.isEmpty { return [] }
            let requests = desk.requests.map { request in
                // usher suggests `request approve` only to operators who didn't make the request.
                let mayApprove = permission.holds(request.role) && !request.isOwn
                let own = line(
                    ("? " as SafeText).yellow + "requested: " + text.instants(in: request.text, hasZones: true).bold,
                    [
                        SafeText(request.operator), text.value(request.at, withDistance: true),
                        request.ticket.map { SafeText($0) },
                        mayApprove
                            ? nil
                            : (request.isOwn && permission.holds(request.role) ? "another person with " : "")
                                + SafeText(request.role) + " can approve request " + short(request.id),
                    ])
                let command = SafeText(text.program) + "request approve " + short(request.id)
                return own + (mayApprove ? ["  → " + command.bold.whole] : [])
            }
            let notes = desk.notes.prefix(Self.mostShown).map { note in
                line(
                    ("• " as SafeText).cyan + text.value(Value(note.text)),
                    [
                        SafeText(note.operator), text.value(note.at, withDistance: true),
                        note.ticket.map { SafeText($0) },
                    ])
            }
            let left = desk.notes.count - notes.count
            let rest = left > 0 ? [("  … and older notes: see `user timeline`" as SafeText).dim] : []
            return [""] + requests.flatMap { $0 } + notes.flatMap { $0 } + rest
        }
    }

    /// A line for each open request, and the last change with its whole reason.
    func brief(_ desk: Result<NotesAndRequests, Failure>?) -> [SafeText] {
        guard case .success(let desk)? = desk else { return [] }
        let requests = desk.requests.map { request in
            ("? " as SafeText).yellow + "requested: " + text.instants(in: request.text, hasZones: true).bold + "  "
                + (SafeText(request.operator) + ", request " + short(request.id)).dim
        }
        let change = desk.change.map { change in
            line(
                "last change: " + SafeText(change.text),
                [
                    "by " + SafeText(change.operator), text.pastTime(change.at), change.reason.map { SafeText($0) },
                    change.ticket.map { SafeText($0) }, "operation " + short(change.id),
                ])
        }
        return requests + (change ?? [])
    }

    private func line(_ what: SafeText, _ more: [SafeText?]) -> [SafeText] {
        let line = what + "  " + more.compactMap { $0 }.joined(separator: ", ").dim
        return line.wrapped(to: text.width, indent: 2)
    }

    private func short(_ id: String) -> SafeText { SafeText(String(id.prefix(8))) }

    static func json(_ desk: Result<NotesAndRequests, Failure>?) -> JSON.Members {
        guard let desk else { return [] }
        switch desk {
        case .failure: return [("notes", JSON.null), ("requests", JSON.null)]
        case .success(let desk):
            func json(_ entry: NotesAndRequests.Entry, _ own: JSON.Members) -> JSON {
                JSON(
                    [("id", entry.id), ("at", entry.at), ("operator", entry.operator)] + own
                        + [("ticket", entry.ticket)])
            }
            let notes = desk.notes.map { json($0, [("text", $0.text)]) }
            let requests = desk.requests.map { json($0, [("asks", $0.text), ("role", $0.role)]) }
            let change = desk.change.map { json($0, [("command", $0.text), ("reason", $0.reason)]) }
            return [
                ("notes", notes), ("requests", requests), ("last_change", change),
            ]
        }
    }
}
