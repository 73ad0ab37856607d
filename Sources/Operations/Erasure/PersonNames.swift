/// What columns, members of JSON and parts of paths are called that hold a user, as patterns of Postgres.
enum PersonNames {
    /// Words that speak of users wherever they stand in a name.
    private static let roles =
        "user|owner|author(?!i)|creator|created?_?by|member(?!ship)|sender|recipient|receiver|assign(?!ment)|person|profile|customer|account"
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
        "(count|total|number|amount|limit|quota|size|score|rating|rank|level|points?|balance|(^|_)(age|num|max|min|no))($|_)|^(is|has|can)_"
    /// A column that refers to something by its number, as it is written.
    static let reference = "(_[iI][dD][sS]?|[a-z0-9](Id|ID)s?)$"

    /// A word inside of a text.
    static func word(_ own: String) -> String {
        "(?:\(roles)|creat|(?<![a-z])(?:\(people))\(own))"
    }

    /// Whether a column in the row of a user speaks of somebody else: of who invited, leads or helps them.
    static func isOfAnother(_ column: String) -> Bool { !others.isDisjoint(with: Names.words(of: column)) }

    private static let others: Set = [
        "manager", "boss", "supervisor", "inviter", "invited", "referrer", "referred", "referral", "emergency",
        "support",
        "company", "employer", "sponsor", "parent", "guardian", "spouse", "partner", "friend", "assistant", "admin",
        "sender", "from", "reply", "recipient", "to", "cc", "bcc", "helpdesk", "noreply", "agent", "approver",
    ]

    /// Whether each row of a table may be of one user, and share the user's key.
    static func isOfOneUser(_ table: String, of users: String) -> Bool {
        let words = Names.words(of: table)
        guard let word = words.last.map({ Names.singular($0) }) else { return false }
        if words.count == 1 { return ofOneUserAlone.contains(word) }
        let isOfUser = [Names.thing(ofTable: users), "user", "account", "profile", "person"].contains(words[0])
        return words.count == 2 && isOfUser && ofOneUser.contains(word)
    }

    private static let ofOneUser: Set = [
        "pref", "preference", "setting", "profile", "detail", "info", "option", "stat", "bio", "avatar", "meta",
        "metadata", "extra", "data", "attribute", "property", "config", "photo",
    ]
    /// What is so called by itself is of one user each; settings alone may be those of the app.
    private static let ofOneUserAlone: Set = ["pref", "preference", "profile", "bio", "avatar"]

    /// What is never one of users, although no table may be called so.
    private static let things: Set = [
        "address", "assignment", "authority", "batch", "campaign", "category", "city", "country", "creative",
        "currency",
        "device", "document", "entity", "external", "file", "group", "image", "invoice", "item", "job", "language",
        "legacy", "locale", "media", "membership", "message",
        "next", "object", "order", "parent", "plan", "post", "previous", "product", "region", "request", "role",
        "root", "segment", "session", "state", "status", "template", "tenant", "thread", "transaction", "type",
        "version", "workspace",
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
