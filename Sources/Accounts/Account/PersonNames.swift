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
        "(\(roles)|(^|_)actor|uid$|(_|ed)by$|(^|_)(who|login|handle|nick_?name)$|(^|_)(\(people))s?(_?ids?)?$\(own))"
    }

    /// A column that counts or tells something of users.
    static let quantity = """
        ((?<!ac)count|(^|_)(total|number|amount|limit|quota|size|score|rating|rank|level|points?|balance|age|num|max|min|no))($|_)|^(is|has|can)_\
        |_(type|kind|role|status|state|position|priority|version|group|age|code|class|mode|format|flags?|order|index)$
        """
    /// A column that refers to something by its number, as it is written.
    static let reference = "(_[iI][dD][sS]?|[a-z0-9](Id|ID)s?)$"

    /// Words for users, each for itself.
    static let words = Set(people.split(separator: "|").map(String.init)).union([
        "user", "owner", "author", "creator", "member", "sender", "recipient", "receiver", "assignee", "person",
        "profile",
        "customer", "account",
    ])

    /// A word inside of a text.
    static func word(_ own: String) -> String {
        "(?:\(roles)|creat|(?<![a-z])(?:\(people))\(own))"
    }

    /// Whether a column in the row of a user speaks of somebody else: of who invited, leads or helps them.
    static func isOfAnother(_ column: String) -> Bool { !others.isDisjoint(with: Names.words(of: column)) }

    private static let others = Names.list(
        """
        manager boss supervisor inviter invited referrer referred referral emergency support company employer
        sponsor parent guardian spouse partner friend assistant admin sender from reply recipient to cc bcc helpdesk
        noreply agent approver
        """)

    /// Whether each row of a table may be of one user, and share the user's key.
    static func isOfOneUser(_ table: String, of users: String) -> Bool {
        let words = Names.words(of: table)
        guard let word = words.last.map({ Names.singular($0) }) else { return false }
        if words.count == 1 { return ofOneUserAlone.contains(word) }
        let isOfUser = [Names.thing(ofTable: users), "user", "account", "profile", "person"].contains(words[0])
        return words.count == 2 && isOfUser && ofOneUser.contains(word)
    }

    private static let ofOneUser = Names.list(
        """
        pref preference setting profile detail info option stat bio avatar meta metadata extra data attribute
        property config photo
        """)
    /// What is so called by itself is of one user each; settings alone may be those of the app.
    private static let ofOneUserAlone: Set = ["pref", "preference", "profile", "bio", "avatar"]

    /// What is never one of users, although no table may be called so.
    private static let things = Names.list(
        """
        address album app application assignment authority batch board branch campaign category channel chapter city
        color comment company conversation country course creative currency department device discount display
        document entity event export external feed field file folder form group image import inbox invoice issue
        item job label language legacy lesson locale location media membership message milestone next note
        notification object option order org organisation organization page parent payment photo plan post previous
        price product project question reference region report repository request role room root segment server
        session shop site sort state status store subscription supplier tag task team template tenant thread ticket
        token topic transaction type unit vendor version video warehouse webhook workspace zone
        """)

    /// Whether the rows of a table are people: what is known of a user may stand there.
    static func arePeople(_ table: String) -> Bool {
        ["person", "people", "profile", "partner", "party", "contact", "individual", "human", "account", "identity"]
            .contains(Names.last(ofTable: table))
    }

    /// Whether a column says who wrote a row down or changed it: `created_by`, `write_uid`.
    static func isStamp(_ column: String) -> Bool {
        let words = Names.words(of: column)
        return words.last == "by" || words.last?.hasSuffix("edby") == true
            || words.count > 1 && ["create", "write"].contains(words[0])
    }

    /// Whether a column refers to something that is never a user.
    static func isThing(_ word: String) -> Bool { things.contains(word) }
}
