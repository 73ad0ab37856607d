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
                let role = request.words("role")
                let isOwn = request.shown("own")?.boolean == true
                let mayApprove = permission.holds(role) && !isOwn
                let own = line(
                    ("? " as SafeText).yellow + requested(request),
                    [
                        SafeText(request.words("operator")), time(of: request), words("ticket", of: request),
                        mayApprove
                            ? nil
                            : (isOwn && permission.holds(role) ? "another person with " : "")
                                + SafeText(role) + " can approve request " + short(request),
                    ])
                let command = SafeText(text.program) + "request approve " + short(request)
                return own + (mayApprove ? ["  → " + command.bold.whole] : [])
            }
            let notes = desk.notes.prefix(Self.mostShown).map { note in
                line(
                    ("• " as SafeText).cyan + text.value(Value(note.words("text"))),
                    [SafeText(note.words("operator")), time(of: note), words("ticket", of: note)])
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
            ("? " as SafeText).yellow + requested(request) + "  "
                + (SafeText(request.words("operator")) + ", request " + short(request)).dim
        }
        let change = desk.change.map { change in
            line(
                "last change: " + SafeText(change.words("text")),
                [
                    "by " + SafeText(change.words("operator")), change.shown("at").map { text.pastTime($0) },
                    words("reason", of: change), words("ticket", of: change), "operation " + short(change),
                ])
        }
        return requests + (change ?? [])
    }

    private func line(_ what: SafeText, _ more: [SafeText?]) -> [SafeText] {
        let line = what + "  " + more.compactMap { $0 }.joined(separator: ", ").dim
        return line.wrapped(to: text.width, indent: 2)
    }

    private func requested(_ request: Row) -> SafeText {
        "requested: " + text.instants(in: request.words("text"), hasZones: true).bold
    }

    private func time(of row: Row) -> SafeText? { row.shown("at").map { text.value($0, withDistance: true) } }

    private func words(_ name: String, of row: Row) -> SafeText? { row.shown(name)?.text.map { SafeText($0) } }

    private func short(_ row: Row) -> SafeText { SafeText(String(row.words("id").prefix(8))) }

    static func json(_ desk: Result<NotesAndRequests, Failure>?) -> JSON.Members {
        guard let desk else { return [] }
        switch desk {
        case .failure: return [("notes", JSON.null), ("requests", JSON.null)]
        case .success(let desk):
            func json(_ entry: Row, _ own: JSON.Members) -> JSON {
                let head = ["id", "at", "operator"].map { ($0, entry.shown($0)) }
                return JSON(head + own + [("ticket", entry.shown("ticket"))])
            }
            let notes = desk.notes.map { json($0, [("text", $0.words("text"))]) }
            let requests = desk.requests.map { json($0, [("asks", $0.words("text")), ("role", $0.words("role"))]) }
            let change = desk.change.map { json($0, [("command", $0.words("text")), ("reason", $0.shown("reason"))]) }
            return [
                ("notes", notes), ("requests", requests), ("last_change", change),
            ]
        }
    }
}

extension Row {
    /// The text of a column; empty for NULL, such as the text of a deleted note.
    fileprivate func words(_ name: String) -> String { shown(name)?.text ?? "" }
}
