internal import Ledger
internal import PQ

/// What the ledger is told of deletions and restorations, by functions of its own that say themselves who, when and where.
extension Ledger {
    /// One part of a deletion.
    enum Part {
        /// A deletion in batches begins: by its root and their keys the next run finds it.
        case begin(AccountRoot)
        case batch, end, archive, files
        /// A list of files is done with.
        case removed(list: String)

        fileprivate var name: String {
            switch self {
            case .begin: "begin"
            case .batch: "batch"
            case .end: "end"
            case .archive: "archive"
            case .files: "files"
            case .removed: "removed"
            }
        }
    }

    /// Opens a deletion, the first thing that its transaction writes, and forgets the people.
    ///
    /// Its one row says how many entries are emptied, and by which claim they are restored.
    static func erase(_ entry: Entry, _ root: AccountRoot) -> Query {
        let request = JSONPayload.object(members(of: entry) + members(of: root))
        return "select emptied, locks, claim from usher.erase(\(entry.payload)::jsonb || \(request)::jsonb)"
    }

    /// Opens a restoration, the first thing that its transaction writes, of what a claim is about.
    ///
    /// Its one row holds the locks that somebody else has.
    static func restore(_ entry: Entry, _ claim: String) -> Query {
        let request = JSONPayload.object(members(of: entry))
        return """
            select usher.restore(
                \(entry.payload)::jsonb || \(request)::jsonb || jsonb_build_object('claim', \(claim)::jsonb)) as locks
            """
    }

    /// Records a part, on the word of whoever records it.
    static func part(_ part: Part, _ entry: Entry) -> Query {
        var request = members(of: entry) + [("part", .text(part.name))]
        switch part {
        case .begin(let root): request += members(of: root)
        case .removed(let list): request.append(("list", .text(list)))
        case .batch, .end, .archive, .files: break
        }
        return "select usher.part(\(entry.payload)::jsonb || \(JSONPayload.object(request))::jsonb)"
    }

    private static func members(of entry: Entry) -> [(String, JSONPayload.Item?)] {
        [
            ("operation", .text(entry.id)), ("parent", entry.parent.map { .text($0) }),
            ("app", entry.app.map { .text($0) }), ("outcome", .text(entry.outcome.rawValue)),
        ]
    }

    private static func members(of root: AccountRoot) -> [(String, JSONPayload.Item?)] {
        let place: [(String, String?)] = [("schema", root.schema), ("table", root.name), ("key", root.column)]
        return [("root", .object(place)), ("keys", .list(root.values))]
    }
}
