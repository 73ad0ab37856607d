import Asking
import Catalog
import Inquiries
import Ledger
import PQ
import Terminal

struct AuditView {
    let context: Context

    /// The maximum number of changes on a screen or in a document.
    private static let mostChanges = 1000

    func show(_ operation: AuditedOperation) throws(Failure) {
        let shown = [
            "id", "at", "operator", "reason", "ticket", "text", "because", "hint", "arguments", "request", "asked_by",
            "app", "kind", "parent", "undoes", "undone_by", "erased_by", "seal",
        ]
        context.screen.write(ScreenText(context).sheet(operation.summary, state: "outcome", shown))
        guard operation.total > 0 else { return }
        context.screen.write("")
        try writeChanges(operation, limit: Self.mostChanges)
        if operation.total > Self.mostChanges {
            context.remark(
                SafeText("\(Self.mostChanges)") + " of " + SafeText("\(operation.total)")
                    + " changed rows are shown; -o csv and -o ndjson write all rows")
        }
    }

    func writeDocument(_ operation: AuditedOperation) throws(Failure) {
        var changes: [JSON] = []
        try operation.changes(as: .images, limit: Self.mostChanges) { row in changes.append(JSON(row.copy())) }
        var members = operation.summary.members
        members.append(("changes", changes))
        if operation.total > changes.count { members.append(("truncated", true)) }
        try context.writePage(json: members, key: operation.id, screen: [])
    }

    /// Writes the changed rows as ndjson, or else the changed columns as records.
    func writeChanges(_ operation: AuditedOperation, limit: Int? = nil) throws(Failure) {
        let shape: AuditedOperation.Shape = context.options.format == .ndjson ? .images : .columns
        let writer = RecordWriter(
            context, columns: shape == .columns ? ["table", "key", "column", "before", "after"] : [])
        let isForPeople = context.options.format == .table
        var rows: [Row] = []
        try operation.changes(as: shape, limit: limit, withTypes: isForPeople) { row throws(Failure) in
            guard isForPeople else { return try writer.write(row) }
            let copy = row.copy()
            // The type of a dropped column is unknown, so usher shows its recorded values as text.
            let type = (try? copy.identifier("type_oid")).map(TypeID.init(rawValue:)) ?? .text
            let values = zip(copy.columns, copy.values).map { column, value in
                ["before", "after"].contains(column.name) ? ScreenText.value(ofImage: value.text, type) : value
            }
            rows.append(Row(columns: copy.columns, values: values))
        }
        let emails = context.emails(ofKeys: rows.flatMap { $0.keyValues })
        for row in rows { try writer.write(row.calling(emails)) }
        try writer.finish()
    }
}

extension ScreenText {
    /// One entry of the audit log: the command, its target and its state, then other values with labels.
    func sheet(_ row: Row, state: String, _ shown: [String], labels: [String: String] = [:]) -> [SafeText] {
        func value(_ name: String) -> SafeText? {
            row.shown(name).flatMap { $0.isNull ? nil : self.value($0, withDistance: true) }
        }
        let head = [value("command")?.bold, value("target"), value(state)].compactMap { $0 }.joined(separator: "  ")
        let items: [KeyValueList.Item] = shown.compactMap { name in
            (name == "arguments" ? arguments(row.shown(name)) : value(name)).map {
                (SafeText(labels[name] ?? name), $0)
            }
        }
        return head.wrapped(to: width, indent: 2) + KeyValueList(items).lines(width: width)
    }
}

extension Row {
    /// The values of the recorded key, which has the form `name=value, …`.
    fileprivate var keyValues: [String] {
        (shown("key")?.text ?? "").split(separator: ", ").map { String($0.drop { $0 != "=" }.dropFirst()) }
    }

    /// The row with each key value replaced by the user's email, or shortened if there is no email.
    fileprivate func calling(_ emails: [String: String]) -> Row {
        replacing("key") { _ in Value(keyValues.map { emails[$0] ?? $0.short }.joined(separator: " ")) }
    }
}

extension Context {
    /// The emails of users by key, if an app file fits the database and the role can read the emails.
    fileprivate func emails(ofKeys keys: [String]) -> [String: String] {
        do throws(Failure) {
            let inquiry = try Inquiry.open(
                on: try connection(), candidates: try candidates(), options: inquiry, for: .users)
            var kept: Set<String> = []
            for key in Set(keys) where try inquiry.mayBeKey(key) { kept.insert(key) }
            return try inquiry.addresses(ofKeys: kept.sorted())
        } catch { return [:] }
    }
}
