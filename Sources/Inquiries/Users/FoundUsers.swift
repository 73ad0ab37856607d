package import AppFile
package import Asking
package import PQ

/// The users that a text finds, and by which way.
package struct FoundUsers: Sendable {
    package enum Way: String, Sendable, CaseIterable {
        case id, address, prefix, anywhere, object, words, someWords
    }

    /// The users that one kind of search found.
    package struct Match: Sendable {
        package let way: Way
        /// The columns that contain the text, if the users own them.
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
    /// The columns that were searched, and those that would have taken reading all rows.
    package let searched: [String]
    package let unsearched: [String]
    /// The objects with the text that belong to no user, if no user was found.
    package internal(set) var untied: [Identification] = []
    /// The columns that were not read in time, and why.
    package internal(set) var late: [(name: String, reason: Unreadable)] = []
    /// The emails or keys of users who are called like the text but for one or two typing errors.
    package internal(set) var close: [String] = []
    /// The addresses that begin like one that nobody has.
    package internal(set) var near: [String] = []
    /// The sentences about other systems, for the text or a name within it, if no user was found.
    package internal(set) var elsewhere: (text: String, entries: [App.Elsewhere]) = ("", [])

    package var users: [Row] { matches.flatMap(\.users) }
    /// The best way.
    package var way: Way? { matches.first?.way }
}
