package import Acts
package import Asking
internal import Catalog
internal import Ledger
package import PQ

extension StoredFiles {
    /// The files of deleted accounts that a store has still to remove.
    ///
    /// The list is written down by the transaction that deletes, as a part of the deletion, so that a process that is lost
    /// behind the commit leaves the work to the next. The store may be asked for the same file twice. Once it has removed
    /// all, the list is forgotten, since paths name people, and the operation that forgets it says how many they were.
    package struct Outbox: Sendable {
        /// The deletion that it is a part of, and the list itself, in the ledger.
        package let deletion: String
        private let id: String
        package internal(set) var files: [File]

        private static let command = "account delete files"

        /// A list for a deletion that is about to be made.
        init(of deletion: String, files: [File]) {
            self.init(deletion: deletion, id: OperationID.make(), files: files)
        }

        private init(deletion: String, id: String, files: [File]) {
            self.deletion = deletion
            self.id = id
            self.files = files
        }

        /// What is written down with the deletion; its own id stands in it to forget it by.
        func entry(app: String?) -> Ledger.Entry {
            let list = files.map { file in
                JSONPayload.object([
                    ("bucket", .text(file.bucket)), ("path", .text(file.path)), ("bytes", .number(file.bytes)),
                ])
            }
            return Ledger.Entry(
                id: id, kind: .batch, outcome: .committed, command: Self.command, app: app, parent: deletion,
                payload: #"{"outbox": "\#(id)", "files": [\#(list.joined(separator: ", "))]}"#)
        }

        /// The lists that are not done with, of all deletions or of one.
        package static func pending(
            of deletion: String? = nil, on connection: Connection, options: InquiryOptions
        ) throws(Failure) -> [Outbox] {
            var id: String?
            if let deletion { id = try Audit.operation(deletion, on: connection, options: options).id }
            let query = Query(file: "catalog/pending_files.sql", [id])
            let answers = try Audit.open([query], on: connection, options: options).answers
            var lists: [Outbox] = []
            for row in answers[0].rows {
                let (id, deletion) = try decoding((try row.text("id"), try row.text("deletion")))
                if lists.last?.id != id { lists.append(Outbox(deletion: deletion, id: id, files: [])) }
                lists[lists.count - 1].files.append(try decoding(try File(row)))
            }
            return lists
        }

        /// The same, at once on a connection of no act.
        package func drain(
            by storage: StorageAPI, on connection: Connection, options: InquiryOptions, elsewhere: @escaping Elsewhere
        ) -> (left: [File], why: ErasureNote?) {
            drain(by: storage, ActRunner(on: connection, options: options, elsewhere: elsewhere))
        }

        /// Has the store remove the files and forgets them; what may be left comes back, and why.
        func drain(by storage: StorageAPI, _ runner: ActRunner) -> (left: [File], why: ErasureNote?) {
            let (left, why) = storage.delete(files)
            guard left.isEmpty else { return (left, why) }
            do throws(Failure) {
                try forget(by: runner)
                return ([], nil)
            } catch {
                return ([], .filesNotForgotten(error))
            }
        }

        private func forget(by runner: ActRunner) throws(Failure) {
            let entry = Ledger.Entry(
                id: OperationID.make(), kind: .forget, outcome: .committed, command: Self.command, parent: deletion,
                payload: JSONPayload.object([("arguments", .object([("removed", String(files.count))]))]))
            _ = try runner.run { (transaction, _) throws(Failure) in
                try transaction.run([Ledger.part(.removed(list: id), entry)])
                return .done((), entry)
            }
        }
    }
}
