internal import CPQ

/// Where libpq's notice receiver puts what it was given.
final class NoticeInbox {
    private var notices: [Notice] = []

    func put(_ notice: Notice) {
        // A loop that raises a notice a row must not fill the memory.
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
    let severity = unsafe diagnostic(.severity, of: result) ?? "NOTICE"
    inbox.put(Notice(severity: severity, message: unsafe diagnostic(.message, of: result) ?? ""))
}
