package import Asking
package import PQ

/// The users that a text finds, and by which way.
package struct FoundUsers: Sendable {
    package enum Way: String, Sendable, CaseIterable {
        case id, address, prefix, anywhere, object
    }

    /// Whom one way led to.
    package struct Match: Sendable {
        package let way: Way
        /// What the text was found in, where that is something of the users'.
        package let through: [Identification]
        package internal(set) var users: [Row]
    }

    /// The best way that led to anybody, and any other as good.
    package let matches: [Match]
    package let columns: [Column]
    /// The column that identifies a user.
    package let key: String
    /// The columns that people see first, all when empty.
    package let shown: [String]
    /// The columns that are typed again, and so are of no use in part.
    package let whole: [String]
    package let isCut: Bool
    /// The columns in which nobody looked, because it would have taken reading all users.
    package let unsearched: [String]
    /// What goes by the text and is tied to nobody, where nobody was found.
    package internal(set) var untied: [Identification] = []
    /// The addresses that begin like one that nobody has.
    package internal(set) var near: [String] = []

    package var users: [Row] { matches.flatMap(\.users) }
    /// The best way.
    package var way: Way? { matches.first?.way }
}

extension FoundUsers {
    /// With those whom other ways led to: a name before what something goes by, and that before beginnings.
    func joined(to others: FoundUsers?, limit: Int) -> FoundUsers {
        guard let others else { return self }
        let isNamed = others.way == .id || others.way == .address
        var seen: Set<String> = []
        var count = 0
        let all = (isNamed ? others.matches + matches : matches + others.matches).compactMap { match -> Match? in
            var match = match
            match.users = match.users.filter { user in
                user.shown(key)?.text.map { seen.insert($0).inserted } ?? true
            }
            count += match.users.count
            match.users = Array(match.users.prefix(limit - (count - match.users.count)))
            return match.users.isEmpty ? nil : match
        }
        return FoundUsers(
            matches: all, columns: others.columns, key: key, shown: shown, whole: whole,
            isCut: isCut || others.isCut || count > limit, unsearched: others.unsearched)
    }
}
