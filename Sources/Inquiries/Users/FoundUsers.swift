package import AppFile
package import Asking
package import PQ

/// The users that a text finds, with the kind of match.
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

    /// The best match, and others of equal rank.
    package let matches: [Match]
    package let columns: [Column]
    /// The column that identifies a user.
    package let key: String
    /// The columns that people see first; all if empty.
    package let shown: [String]
    /// The columns whose values are typed again and so must not be cut.
    package let whole: [String]
    package let isCut: Bool
    /// The searched columns, and those that would need a full scan.
    package let searched: [String]
    package let unsearched: [String]
    /// The objects with the text that belong to no user, if no user was found.
    package internal(set) var untied: [Identification] = []
    /// The columns that weren't searched in time, and why.
    package internal(set) var late: [(name: String, reason: Unreadable)] = []
    /// The emails or keys of users whose names differ by one or two typing mistakes.
    package internal(set) var close: [String] = []
    /// The emails that begin like an unknown one.
    package internal(set) var near: [String] = []
    /// The sentences about other systems, for the text or a name within it, if no user was found.
    package internal(set) var elsewhere: (text: String, entries: [App.Elsewhere]) = ("", [])

    package var users: [Row] { matches.flatMap(\.users) }
    /// The best kind of match.
    package var way: Way? { matches.first?.way }
}
