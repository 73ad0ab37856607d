internal import AppFile
internal import Asking
internal import Catalog
internal import PQ

/// The files of an account in a platform's store: their rows are only half of them, and no SQL removes the other half.
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

    /// The buckets with the number and size of the files in them.
    package var buckets: [(bucket: String, files: Int, bytes: Int)] {
        Dictionary(grouping: files, by: \.bucket).sorted { $0.key < $1.key }.map { bucket, files in
            (bucket, files.count, files.reduce(0) { $0 + $1.bytes })
        }
    }

    /// Reads the answer to its question, where there was one.
    init(_ answer: Rows?) throws(DecodingFailure) {
        files = try (answer?.rows ?? []).map { row throws(DecodingFailure) in try File(row) }
    }

    /// Asks for files by owner, and by the paths that the app file declares; nil where there is no store, or nothing in it.
    static func question(_ closure: AccountClosure, _ account: App.Account?) throws(Failure) -> Query? {
        let map = closure.map
        guard let table = map.graph.table(Platform.files), !table.isEmpty else { return nil }
        var bindings = Bindings()
        var conditions = map.fileLinks.compactMap { $0.condition(closure.keys, &bindings) }
        for place in account?.files ?? [] {
            let prefixes = map.root.values.map { Self.prefix(place.prefix, of: $0) }
            let names = bindings.bind(prefixes, of: "text")
            conditions.append(
                "t.bucket_id = \(bindings.bind(place.bucket, as: "text")) and t.name ^@ any (\(names))")
        }
        if Identity.isTelling(map.root.type) {
            // The first part of a path is by convention whose file it is, and owners are written in two ways.
            let ids = bindings.bind(map.root.values, of: "text")
            conditions.append("t.owner_id = any (\(ids)) or t.owner::pg_catalog.text = any (\(ids))")
            let folders = bindings.bind(map.root.values.map { $0 + "/" }, of: "text")
            conditions.append("t.name ^@ any (\(folders))")
        }
        guard !conditions.isEmpty else { return nil }
        try closure.requireSight(of: [table.oid])
        let sql = """
            select coalesce(t.bucket_id, '') as bucket, coalesce(t.name, '') as path, coalesce((t.metadata ->> 'size')::pg_catalog.int8, 0) as bytes \
            from \(table.ownRows) t where \(conditions.map { "(\($0))" }.joined(separator: " or ")) order by 1, 2
            """
        return Query(unsafe: sql, values: bindings.values)
    }

    /// A declared path with the value of the root in the place of its fact.
    private static func prefix(_ pattern: String, of value: String) -> String {
        guard let open = pattern.firstIndex(of: "{"), let close = pattern[open...].firstIndex(of: "}") else {
            return pattern
        }
        return pattern[..<open] + value + pattern[pattern.index(after: close)...]
    }
}
