internal import AppFile
internal import Asking
internal import Catalog
internal import Inquiries
internal import PQ
internal import Storage
internal import Terminal

/// A stored file of an account.
///
/// SQL deletes only the rows of the files, so the storage API must delete the files.
package struct StoredFile: Sendable, Hashable {
    package let bucket: String
    package let path: String
    package let bytes: Int

    var json: JSON { JSON([("bucket", bucket), ("path", path), ("bytes", bytes)]) }

    static let columns = ["bucket_id", "name", "metadata", "owner", "owner_id"]

    /// Finds the files of the account, by owner and by `@files` paths.
    static func all(of closure: Closure, _ account: App.Account?, asking ask: Ask) throws(Failure) -> [StoredFile] {
        let model = closure.model
        guard let table = model.graph.table(Platform.files), !table.isEmpty else { return [] }
        var bindings = Bindings()
        var conditions = model.fileEdges.compactMap { closure.conditions.refs($0, &bindings) }
        for place in account?.files ?? [] {
            let prefixes = model.root.values.map { place.prefix.replacing(#/{.*?}/#, with: $0, maxReplacements: 1) }
            let names = bindings.bind(prefixes, of: "text")
            conditions.append(
                "t.bucket_id = \(bindings.bind(place.bucket, as: "text")) and t.name ^@ any (\(names))")
        }
        if model.root.type == "uuid" || model.root.type == "text" || model.root.type == "character varying" {
            // By convention, the path of a file begins with the owner's id. `owner` and `owner_id` contain the id, too.
            let ids = bindings.bind(model.root.values, of: "text")
            conditions.append("t.owner_id = any (\(ids)) or t.owner::pg_catalog.text = any (\(ids))")
            let folders = bindings.bind(model.root.values.map { $0 + "/" }, of: "text")
            conditions.append("t.name ^@ any (\(folders))")
        }
        guard let condition = any(conditions.map { "(\($0))" }) else { return [] }
        try [table].requireReadable()
        let sql = """
            select coalesce(t.bucket_id, '') as bucket, coalesce(t.name, '') as path, coalesce((t.metadata ->> 'size')::pg_catalog.int8, 0) as bytes \
            from \(table.ownRows) t where \(condition) order by 1, 2
            """
        let rows = try ask([Query(unsafe: sql, values: bindings.values)])[0].rows
        return try failing(
            try rows.map { row throws(PQError) in
                StoredFile(bucket: try row.text("bucket"), path: try row.text("path"), bytes: try row.integer("bytes"))
            })
    }

    /// Deletes files with the storage API; returns the files that are left, with the reason.
    ///
    /// Only the API deletes the rows of files. Until then, a repeated deletion finds the files by the user's id.
    static func remove(_ files: [StoredFile], from storage: StorageAPI) -> (left: [StoredFile], why: Failure?) {
        var left: [StoredFile] = []
        var why: Failure?
        for (bucket, files) in Dictionary(grouping: files, by: \.bucket).sorted(by: { $0.key < $1.key }) {
            let result = storage.delete(files.map(\.path), of: bucket)
            let paths = Set(result.left)
            left += files.filter { paths.contains($0.path) }
            why = why ?? result.why
        }
        return (left, why)
    }
}

/// The tables of Supabase that usher knows by name.
enum Platform {
    static let users = "auth.users"
    /// The table of stored files; only the storage API may delete its rows.
    static let files = "storage.objects"
    static let storage = "storage"

    /// The built-in `@account` block for Supabase, for `--root auth.users` without an app file.
    static func account(at root: String) -> App.Account? {
        AppLibrary.platforms.compactMap(\.account).first { account in
            account.root.hasPrefix("\(users).") && [users, account.root].contains(root.lowercased())
        }
    }
}
