/// What columns, members of JSON and parts of paths are called that hold a user, as patterns of Postgres.
enum PersonNames {
    /// Words that speak of users wherever they stand in a name.
    private static let roles =
        "user|owner|author|creator|created?_?by|member|sender|recipient|receiver|assign|person|profile|customer|account"
    /// Words that do so only by themselves: a ghost is no host.
    private static let people = """
        people|actor|participant|follower|followee|watcher|reader|voter|liker|attendee|guest|friend|subscriber|admin|\
        moderator|editor|reviewer|approver|invitee|inviter|player|student|teacher|employee|driver|host|viewer|visitor|\
        contact|buyer|seller|patient|coach|requester|reporter|manager|contributor|collaborator
        """

    /// A column of users, in any letter case; `own` are further words.
    static func column(_ own: String = "") -> String {
        "(\(roles)|(^|_)actor|uid$|_by$|(^|_)(who|login|handle|nick_?name)$|(^|_)(\(people))s?(_?ids?)?$\(own))"
    }

    /// A column that counts or tells something of users.
    static let quantity =
        "(count|total|number|amount|limit|quota|size|(^|_)(age|num|max|min))($|_)|^(is|has|can)_"
    /// A column that refers to something by its number, as it is written.
    static let reference = "(_[iI][dD][sS]?|[a-z0-9](Id|ID)s?)$"

    /// A word inside of a text.
    static func word(_ own: String) -> String {
        "(?:\(roles)|creat|(?<![a-z])(?:\(people))\(own))"
    }

    /// Whether each row of a table may be of one user, and share the user's key.
    static func isOfOneUser(_ table: String, of users: String) -> Bool {
        var words = Names.words(of: table)
        if words.count > 1, [Names.thing(ofTable: users), "user", "account", "profile", "person"].contains(words[0]) {
            words.removeFirst()
        }
        guard words.count == 1, let word = words.first.map({ Names.singular($0) }) else { return false }
        return ofOneUser.contains(word)
    }

    private static let ofOneUser: Set = [
        "pref", "preference", "setting", "profile", "detail", "info", "option", "stat", "bio", "avatar", "meta",
        "metadata", "extra", "data", "attribute", "property", "config", "photo",
    ]

    /// What is never one of users, although no table may be called so.
    private static let things: Set = [
        "address", "batch", "category", "city", "country", "currency", "device", "document", "entity", "external",
        "file", "group", "image", "invoice", "item", "job", "language", "legacy", "locale", "media", "message",
        "next", "object", "order", "parent", "plan", "post", "previous", "product", "region", "request", "role",
        "root", "session", "state", "status", "tenant", "thread", "transaction", "type", "version", "workspace",
    ]

    /// Whether a column says who wrote a row down or changed it: `created_by`, `write_uid`.
    static func isStamp(_ column: String) -> Bool {
        let words = Names.words(of: column)
        return words.last == "by" || words.count > 1 && ["create", "write"].contains(words[0])
    }

    /// Whether a reference is to something else than users, of whom tables with these names know nothing.
    static func isThing(_ column: String, _ tables: Set<String>) -> Bool {
        let words = Names.words(of: column)
        let stem = words.last.map { ["id", "ids"].contains($0) } == true ? Array(words.dropLast()) : words
        guard let last = stem.last.map(Names.singular) else { return true }
        return things.contains(last) || tables.contains(last)
            || tables.contains((stem.dropLast() + [last]).joined(separator: "_"))
    }
}
