internal import CPQ

final class NoticeInbox {
    private var notices: [Notice] = []
    /// The message of the server when it closed an idle connection.
    private(set) var closingMessage: String?

    func put(_ notice: Notice) {
        if notice.endsConnection { closingMessage = notice.message }
        // A loop of the server may raise a notice for each row, so the number of notices is limited.
        if notices.count < 1000 { notices.append(notice) }
    }

    func take() -> [Notice] {
        defer { notices = [] }
        return notices
    }
}

func receiveNotice(context: UnsafeMutableRawPointer?, result: OpaquePointer?) {
    guard let context = unsafe context, let result = unsafe result else { return }
    let inbox = unsafe Unmanaged<NoticeInbox>.fromOpaque(context).takeUnretainedValue()
    unsafe inbox.put(
        Notice(
            severity: diagnostic(.severity, of: result) ?? "NOTICE",
            state: SQLState(rawValue: diagnostic(.state, of: result) ?? ""),
            message: diagnostic(.message, of: result) ?? "", detail: diagnostic(.detail, of: result)))
}
