package import Acts
internal import AppFile
package import Asking
internal import Catalog
internal import Inquiries
internal import Ledger
package import PQ
package import Storage

/// The stored files of an account, of which SQL deletes only the rows.
package struct StoredFiles: Sendable {
    package struct File: Sendable, Hashable {
        package let bucket: String
        package let path: String
        package let bytes: Int

        init(bucket: String, path: String, bytes: Int) {
            self.bucket = bucket
            self.path = path
            self.bytes = bytes
        }

        init(_ row: Row) throws(DecodingFailure) {
            bucket = try row.text("bucket")
            path = try row.text("path")
            bytes = try row.integer("bytes")
        }
    }

    package let files: [File]

    package var buckets: [(bucket: String, files: Int, bytes: Int)] {
        Dictionary(grouping: files, by: \.bucket).sorted { $0.key < $1.key }.map { bucket, files in
            (bucket, files.count, files.reduce(0) { $0 + $1.bytes })
        }
    }

    init(_ answer: Rows?) throws(DecodingFailure) {
        files = try (answer?.rows ?? []).map { row throws(DecodingFailure) in try File(row) }
    }

    /// Queries files by owner and by `@files` paths; nil if there are no stored files.
    static func question(_ closure: Closure, _ account: App.Account?) throws(Failure) -> Query? {
        let model = closure.model
        guard let table = model.graph.table(Platform.files), !table.isEmpty else { return nil }
        var bindings = Bindings()
        var conditions = model.fileEdges.compactMap { closure.conditions.refs($0, &bindings) }
        for place in account?.files ?? [] {
            let prefixes = model.root.values.map { Self.prefix(place.prefix, of: $0) }
            let names = bindings.bind(prefixes, of: "text")
            conditions.append(
                "t.bucket_id = \(bindings.bind(place.bucket, as: "text")) and t.name ^@ any (\(names))")
        }
        if model.root.type == "uuid" || model.root.type == "text" || model.root.type == "character varying" {
            // By convention a path begins with the owner's id. There are two owner columns.
            let ids = bindings.bind(model.root.values, of: "text")
            conditions.append("t.owner_id = any (\(ids)) or t.owner::pg_catalog.text = any (\(ids))")
            let folders = bindings.bind(model.root.values.map { $0 + "/" }, of: "text")
            conditions.append("t.name ^@ any (\(folders))")
        }
        guard !conditions.isEmpty else { return nil }
        if !table.isReadable { throw Failure(unreadable: [table.qualifiedName]) }
        if table.isSecured { throw Failure(hidden: [table.qualifiedName]) }
        let sql = """
            select coalesce(t.bucket_id, '') as bucket, coalesce(t.name, '') as path, coalesce((t.metadata ->> 'size')::pg_catalog.int8, 0) as bytes \
            from \(table.ownRows) t where \(conditions.map { "(\($0))" }.joined(separator: " or ")) order by 1, 2
            """
        return Query(unsafe: sql, values: bindings.values)
    }

    private static func prefix(_ pattern: String, of value: String) -> String {
        guard let open = pattern.firstIndex(of: "{"), let close = pattern[open...].firstIndex(of: "}") else {
            return pattern
        }
        return pattern[..<open] + value + pattern[pattern.index(after: close)...]
    }
}

extension StoredFiles {
    /// The files of deleted accounts that the storage API still has to remove.
    ///
    /// The list is written down by the transaction that deletes, as a part of the deletion, so that a process that is lost
    /// behind the commit leaves the work to the next. The store may be asked for the same file twice. Once it has removed
    /// all, the list is forgotten, since paths name people, and the operation that forgets it says how many they were.
    package struct Outbox: Sendable {
        /// The deletion, and the list, by their ids in the audit log.
        package let deletion: String
        private let id: String
        package internal(set) var files: [File]

        private static let command = "account delete files"

        init(of deletion: String, files: [File]) {
            self.init(deletion: deletion, id: OperationID.make(), files: files)
        }

        private init(deletion: String, id: String, files: [File]) {
            self.deletion = deletion
            self.id = id
            self.files = files
        }

        /// The entry with the list, by whose id it is removed later.
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

        /// Removes the files on a connection of its own.
        package func drain(
            by storage: StorageAPI, on connection: Connection, options: InquiryOptions, elsewhere: @escaping Elsewhere
        ) -> (left: [File], why: DeletionNote?) {
            drain(by: storage, ActRunner(on: connection, options: options, elsewhere: elsewhere))
        }

        /// Removes the files and the list; returns the files that may be left, and why.
        func drain(by storage: StorageAPI, _ runner: ActRunner) -> (left: [File], why: DeletionNote?) {
            var left: [File] = []
            var why: DeletionNote?
            for (bucket, files) in Dictionary(grouping: files, by: \.bucket).sorted(by: { $0.key < $1.key }) {
                let result = storage.delete(files.map(\.path), of: bucket)
                let paths = Set(result.left)
                left += files.filter { paths.contains($0.path) }
                why = why ?? result.why.map { .filesNotRemoved($0) }
            }
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

/// The tables of Supabase that usher knows by name.
enum Platform {
    static let users = "auth.users"
    /// The table of stored files, which only the storage API may delete from.
    static let files = "storage.objects"
    static let storage = "storage"

    /// What the file of the platform says about accounts, for `--root auth.users` without an app file.
    static func account(at root: AccountRoot.Name) -> App.Account? {
        AppLibrary.platforms.compactMap(\.account).first { account in
            account.root.hasPrefix("\(users).") && [users, account.root].contains(root.text.lowercased())
        }
    }
}
