import Accounts
import Asking
import PQ
import Storage
import Terminal

extension DeleteCommand {
    /// Has the store remove what an earlier deletion left to it, which has ended.
    func removeFiles(of id: String, ended: Value?) throws(Failure) -> ExitStatus {
        let connection = try context.connectionToChange()
        let lists = try StoredFiles.Outbox.pending(of: id, on: connection, options: context.inquiry)
        if lists.isEmpty {
            try write(0, left: 0, of: id, ended)
            return .done
        }
        guard let storage = try StorageAPI.ofEnvironment() else {
            throw Failure(
                .usage, "there is no storage API to call",
                hint: "set USHER_STORAGE_URL, and USHER_STORAGE_KEY_FILE to a file with its service key")
        }
        var left = 0
        var reasons: [String] = []
        for list in lists where !context.options.isDryRun {
            let (files, why) = list.drain(by: storage, on: connection, options: context.inquiry) {
                () throws(Failure) in try context.connectionOfItsOwn()
            }
            left += files.count
            if let why { reasons.append(why.words) }
        }
        let total = lists.reduce(0) { $0 + $1.files.count }
        if context.options.isDryRun { left = total }
        try write(total, left: left, of: lists[0].deletion, ended)
        if context.options.isDryRun || reasons.isEmpty { return .done }
        throw Failure(
            .partial, "\(left) of \(total) files may still be in the storage",
            hint: "`usher account delete --resume \(id)` tries again", details: reasons)
    }

    /// The same failure with the deletions whose files are still to be removed.
    ///
    /// A process that is lost behind the commit says nothing, and whoever runs its command again finds nobody.
    func withFilesLeft(_ failure: Failure) -> Failure {
        guard let connection = try? context.connection(),
            let lists = try? StoredFiles.Outbox.pending(on: connection, options: context.inquiry),
            let first = lists.first
        else { return failure }
        return Failure(
            failure.kind, failure.message,
            hint:
                "if the account is already deleted: `usher account delete --resume \(first.deletion)` removes its files",
            details: lists.prefix(10).map {
                "operation \($0.deletion) still has to delete \($0.files.count.of("file")) in the storage"
            })
    }

    private func write(_ total: Int, left: Int, of operation: String, _ ended: Value?) throws(Failure) {
        let columns = [Column(name: "removed", type: .bigint), Column(name: "left", type: .bigint)]
        let removed = total - left
        let when: SafeText = ended.map { " at " + ScreenText(context).value($0) } ?? ""
        let sentence =
            total == 0
            ? "The deletion ended" + when + "; there is nothing to resume."
            : SafeText("\(removed) of \(total) files are deleted.")
        try PageWriter(context: context).write(
            json: [
                ("operation", .string(operation)), ("ended", ended.map { JSON($0) } ?? .null),
                ("files_removed", JSON(removed)), ("files_left", JSON(left)),
            ],
            records: [
                Row(columns: columns, values: [removed, left].map { Value(String($0), type: .bigint) })
            ], key: operation, screen: [sentence])
    }
}
